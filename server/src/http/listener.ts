import { chmodSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'
import { type Certificate, readCertificate, type WatchOptions, watchCertificate } from './certificate.ts'
import { type Client, clientReader, isForwarded } from './client-address.ts'
import { answerFailure } from './failures.ts'
import { isFromElsewhere, namesIn } from './hosts.ts'
import { everyAddress } from './listen-address.ts'
import { loggedPath } from './logged-path.ts'
import { meantBy } from './meant-address.ts'
import type { Connection } from './request.ts'
import type { Conversation, Reply } from './sockets.ts'
import { pathBelow, patternsFor } from './target.ts'

export interface Listener {
  readonly url: string
  /** Looks at the files of the certificate now, and not within a minute. */
  checkCertificate(): Promise<void>
  /** No new work at once; what is under way gets `grace` milliseconds. */
  close(grace: number): Promise<void>
}

export interface ListenOptions {
  address: string
  port: number
  /** A unix socket instead of address and port. */
  socket: string
  socketPerm: number
  /** Certificate and key; both or neither. */
  cert: string
  key: string
  baseURL: string
  trustedProxies: string
  /** Names of this server beside those that the requests show. */
  allowedHosts?: string
}

// The most the runtime takes. A sender or receiver that is slower than this is kept alive by `keepAlive`.
const longestSilence = 255

/** Opens the socket and hands every request to `answer`, with what only the socket knows. */
export function listen(
  { socket: unix, socketPerm, cert, key, ...options }: ListenOptions,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
  answer: (request: Request, connection: Connection) => Response | Promise<Response>,
  { idleSeconds = longestSilence, certificate }: { idleSeconds?: number; certificate?: WatchOptions } = {},
): Listener {
  const { address, port, baseURL } = options
  const isTls = cert !== ''
  const clientOf = clientReader(options.trustedProxies, { isUnix: unix !== '' })
  const isNamed = namesIn(options.allowedHosts ?? '')
  const trustsNoProxy = options.trustedProxies === ''
  let hasWarned = false
  let hasWarnedOfOutside = false
  /** Requests without an answer yet. Their clients are silent, and must not run into the idle timeout: a copy takes hours. */
  const waiting = new Map<Request, Server>()
  const sockets = new Set<Socket>()

  function warnOnce({ isClaimIgnored, address }: Client): void {
    if (!isClaimIgnored || hasWarned) return
    hasWarned = true
    log.warn(
      { address },
      'Ignoring forwarding headers: their sender is not among --trustedProxies. All who come through it share one address.',
    )
  }

  /** A proxy that cuts the base URL off gets nothing but this answer, so the log tells why. */
  function refuseOutside(request: Request): Response {
    if (!hasWarnedOfOutside)
      log.warn(
        { baseURL, path: loggedPath(request.method, pathBelow('', request.url) ?? '') },
        'Refusing requests outside of the base URL: a proxy must not cut it off, a health check has to name it',
      )
    hasWarnedOfOutside = true
    return answerFailure(new Failure('not-found', 'Outside of the base URL'), request)
  }

  /** Asked by timers: that a request has ended meanwhile must not end the server. */
  function wake(socket: Server, request: Request): void {
    try {
      socket.timeout(request, idleSeconds)
    } catch {
      waiting.delete(request)
    }
  }

  function connectionOf(request: Request, socket: Server, path: string): Connection {
    let known: Client | undefined
    let id: string | undefined
    // Lazy: most requests never ask for the address, and to look it up costs as much as all the rest of this function.
    const client = () => {
      known ??= clientOf(socket.requestIP(request)?.address ?? '', request.headers)
      return known
    }
    if (!hasWarned && isForwarded(request.headers)) warnOnce(client())
    return {
      path,
      since: performance.now(),
      get id() {
        id ??= (client().isFromTrustedProxy ? idIn(request.headers) : undefined) ?? nextId()
        return id
      },
      get address() {
        return client().address
      },
      get isShared() {
        return client().isShared
      },
      get claimed() {
        return client().claimed
      },
      get isSecure() {
        return isTls || client().isSecure
      },
      get isFromTrustedProxy() {
        return !trustsNoProxy && client().isFromTrustedProxy
      },
      get isFromElsewhere() {
        return isFromElsewhere(request.headers, isNamed)
      },
      keepAlive: () => wake(socket, request),
      keepAliveUntilAnswered: () => void waiting.set(request, socket),
      upgrade(begin) {
        // Afterwards the runtime knows the request no more, and the log still tells where a command came from.
        known = client()
        return socket.upgrade(request, { data: { begin, waiting: [] } })
      },
    }
  }
  const settings = {
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    websocket: {
      maxPayloadLength: 64 * 1024,
      open(ws: Socket): void {
        sockets.add(ws)
        ws.data.conversation = ws.data.begin({
          say: (text) => (ws.send(text) === isBehind ? drained(ws) : undefined),
          end: (reason) => ws.close(1000, reason),
        })
      },
      message: (ws: Socket, text: string | Buffer): void => ws.data.conversation?.heard(String(text)),
      drain: resumeSenders,
      close(ws: Socket): void {
        sockets.delete(ws)
        ws.data.conversation?.ended()
        resumeSenders(ws)
      },
    },
    error: (error: unknown) => answerFailure(error, new Request('http://unknown/')),
    routes: patternsFor(
      (isAsSent) => (request: Bun.BunRequest, socket: Server) => respond(request, socket, isAsSent(request)),
    ),
    // What no pattern knows is no path.
    fetch: refuseOutside,
  }

  function respond(request: Request, socket: Server, isAsSent: boolean): Response | Promise<Response> {
    const path = pathBelow(baseURL, request.url)
    if (path === undefined) return refuseOutside(request)
    if (!isAsSent) return answerFailure(new Failure('invalid', 'the address holds a backslash or a way up'), request)
    if (request.headers.get('host')?.includes(','))
      return answerFailure(new Failure('invalid', 'the request names several hosts'), request)
    if (path === '') return new Response(null, { status: 301, headers: { location: `${baseURL}/` } })
    const meant = meantBy(path)
    if (meant !== path) return redirect(request, baseURL + meant)
    const connection = connectionOf(request, socket, path)
    const answered = answer(request, connection)
    if (answered instanceof Response) return answered
    if (!hasBody(request)) connection.keepAliveUntilAnswered()
    const forget = () => void waiting.delete(request)
    answered.then(forget, forget)
    return answered
  }
  // On a unix socket `timeout` has no effect, and the default cuts after ten seconds. At its other end stands a proxy
  // of this machine, which has a patience of its own. The types do not know that there is anything to set.
  const endless: object = { idleTimeout: 0 }
  const open = (tls: Certificate | undefined, port: number): Server =>
    unix === ''
      ? Bun.serve({
          ...settings,
          idleTimeout: idleSeconds,
          hostname: address || everyAddress(),
          port,
          // Otherwise the runtime lets a second server in beside this one, and each would get some of the requests.
          reusePort: false,
          ...(tls && { tls: { cert: tls.cert, key: tls.key } }),
        })
      : Bun.serve({ ...settings, ...endless, unix: freeSocket(unix) })
  const files = { cert, key }
  const first = isTls && unix === '' ? readCertificate(files) : undefined
  let server = open(first, port)
  /** Those that no longer listen, and still have connections. */
  const leaving = new Set<Server>()
  let isClosed = false
  if (unix !== '') chmodSync(unix, socketPerm)

  /** The runtime cannot change the certificate of a listening socket, so another one takes its place on the port. */
  function replace(tls: Certificate): void {
    const { port: same = port } = server
    const left = server
    leaving.add(left)
    void left.stop().then(() => leaving.delete(left))
    const reopen = (tries: number): void => {
      if (isClosed) return
      try {
        server = open(tls, same)
      } catch (error) {
        if (tries === 0) log.error({ err: error }, 'Cannot listen with the new TLS certificate; trying again')
        setTimeout(() => reopen(tries + 1), 200)
      }
    }
    reopen(0)
  }
  const watch = first && watchCertificate(files, first, log, replace, certificate)

  const waking = setInterval(() => {
    for (const [request, socket] of waiting) wake(socket, request)
  }, idleSeconds * 250)
  waking.unref()
  const place = address || everyAddress()
  const host = place.includes(':') ? `[${place}]` : place
  return {
    url: unix === '' ? `${isTls ? 'https' : 'http'}://${host}:${server.port}${baseURL}` : `unix:${unix}${baseURL}`,
    checkCertificate: async () => watch?.check(),
    async close(grace) {
      isClosed = true
      watch?.stop()
      // A conversation has no end of its own.
      for (const socket of sockets) socket.close(goingAway, 'The server stops')
      const servers = [server, ...leaving]
      const finished = Promise.all(servers.map((each) => each.stop()))
      let timer: NodeJS.Timeout | undefined
      const over = new Promise<'over'>((resolve) => {
        timer = setTimeout(() => resolve('over'), grace)
      })
      if ((await Promise.race([finished, over])) === 'over') await Promise.all(servers.map((each) => each.stop(true)))
      clearTimeout(timer)
      clearInterval(waking)
      if (unix !== '') rmSync(unix, { force: true })
    },
  }
}

/** The status of a WebSocket whose server ends. */
const goingAway = 1001

/** While a body comes in, its bytes are the sign of life. */
const hasBody = ({ method, headers }: Request): boolean =>
  method !== 'GET' && ((headers.get('content-length') ?? '0') !== '0' || headers.has('transfer-encoding'))

/** An id that a proxy gave, so that its log and ours can be put side by side. */
const idIn = (headers: Headers): string | undefined => /^[\w.-]{1,64}$/.exec(headers.get('x-request-id') ?? '')?.[0]

/** Ids of this process: the moment of its start, and a number. */
const idPrefix = Date.now().toString(36)
let lastId = 0
function nextId(): string {
  lastId += 1
  return `${idPrefix}-${lastId.toString(36)}`
}

interface SocketData {
  begin(reply: Reply): Conversation
  conversation?: Conversation
  /** Resolvers of senders that wait until the client has taken what was sent. */
  waiting: (() => void)[]
}

/** What `send` returns when the runtime has queued the text; of too long a queue it drops the rest. */
const isBehind = -1

const drained = ({ data }: Socket): Promise<void> => new Promise((resolve) => data.waiting.push(resolve))

const resumeSenders = ({ data }: Socket): void => {
  for (const resolve of data.waiting.splice(0)) resolve()
}

type Socket = Bun.ServerWebSocket<SocketData>
type Server = Bun.Server<SocketData>

/** Removes a socket file that a crash has left; one with a listening process behind it stays. */
function freeSocket(path: string): string {
  if (existsSync(path) && statSync(path).isSocket() && !isListenedOn(path)) rmSync(path)
  return path
}

/** The kernel lists a socket as long as some process has it. */
const isListenedOn = (path: string): boolean =>
  existsSync('/proc/net/unix') &&
  readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .some((line) => line.endsWith(` ${path}`))

/** 308 keeps the method and the body; where there is no body, the older 301 is known everywhere. */
function redirect({ method, url }: Request, path: string): Response {
  const query = url.indexOf('?')
  const location = query === -1 ? path : path + url.slice(query)
  return new Response(null, { status: method === 'GET' || method === 'HEAD' ? 301 : 308, headers: { location } })
}
