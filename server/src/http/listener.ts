import { chmodSync, rmSync } from 'node:fs'
import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'
import { type Certificate, readCertificate, type WatchOptions, watchCertificate } from './certificate.ts'
import { type Client, clientReader, isForwarded } from './client-address.ts'
import { answerFailure } from './failures.ts'
import { exactHosts, isCrossSite } from './hosts.ts'
import { everyAddress, removeStaleSocket } from './listen-address.ts'
import { loggedPath } from './logged-path.ts'
import type { Connection } from './request.ts'
import { pathBelow, targetPatterns, withRepairedSlashes } from './request-target.ts'
import { type Socket, type SocketData, websocketEvents } from './websocket.ts'

export interface Listener {
  readonly url: string
  /** 0 on a unix socket. */
  readonly port: number
  /** Reads the certificate files now instead of at the next check. */
  checkCertificate(): Promise<void>
  /** Stops listening at once; requests under way get `grace` milliseconds. */
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
  /** Names of this server beside those in the Host headers. */
  allowedHosts?: string
}

/** `first` of several processes on one port makes sure that no other server has it; `further` ones join. */
type Share = 'alone' | 'first' | 'further'

type Server = Bun.Server<SocketData>

interface Details {
  idleSeconds?: number
  certificate?: WatchOptions
  share?: Share
}

/** In seconds. The most the runtime takes; `keepAlive` restarts it for slower transfers. */
const longestIdleTimeout = 255

/** Listens, and passes every request to `answer` together with its connection. */
export function listen(
  { socket: unix, socketPerm, cert, key, ...options }: ListenOptions,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
  answer: (request: Request, connection: Connection) => Response | Promise<Response>,
  { idleSeconds = longestIdleTimeout, certificate, share = 'alone' }: Details = {},
): Listener {
  const { address, port, baseURL } = options
  const isTls = cert !== ''
  const clientOf = clientReader(options.trustedProxies, { isUnix: unix !== '' })
  const isOwnHost = exactHosts(options.allowedHosts ?? '')
  const trustsNoProxy = options.trustedProxies === ''
  const nextId = requestIds()
  let hasWarnedOfForwarding = false
  let hasWarnedOfBaseURL = false
  /** Requests without an answer yet. Their clients send nothing, and must not run into the idle timeout: a copy takes hours. */
  const unanswered = new Map<Request, Server>()
  const sockets = new Set<Socket>()

  function warnOfForwarding({ isClaimIgnored, address }: Client): void {
    if (!isClaimIgnored || hasWarnedOfForwarding) return
    hasWarnedOfForwarding = true
    log.warn(
      { address },
      'Ignoring forwarding headers: their sender is not among --trustedProxies. All who come through it share one address.',
    )
  }

  /** Logged, because a proxy that strips the base URL gets no other answer than this one. */
  function refuseOutside(request: Request): Response {
    if (!hasWarnedOfBaseURL)
      log.warn(
        { baseURL, path: loggedPath(request.method, pathBelow('', request.url) ?? '') },
        'Refusing requests outside of the base URL: a proxy must not cut it off, a health check has to name it',
      )
    hasWarnedOfBaseURL = true
    return answerFailure(new Failure('not-found', 'Outside of the base URL'), request)
  }

  /** Called by timers, perhaps for a request that has ended: the runtime throws then. */
  function restartIdleTimeout(server: Server, request: Request): void {
    try {
      server.timeout(request, idleSeconds)
    } catch {
      unanswered.delete(request)
    }
  }

  function connectionOf(request: Request, server: Server, path: string): Connection {
    let known: Client | undefined
    let id: string | undefined
    // Lazy: most requests need no address, and looking it up costs as much as the rest of this function.
    const client = () => {
      known ??= clientOf(server.requestIP(request)?.address ?? '', request.headers)
      return known
    }
    if (!hasWarnedOfForwarding && isForwarded(request.headers)) warnOfForwarding(client())
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
      get isCrossSite() {
        return isCrossSite(request.headers, isOwnHost)
      },
      keepAlive: () => restartIdleTimeout(server, request),
      keepAliveUntilAnswered: () => void unanswered.set(request, server),
      upgrade(open) {
        // The runtime forgets the address with the upgrade, and the log still needs it.
        known = client()
        return server.upgrade(request, { data: { open, waiting: [] } })
      },
    }
  }

  function respond(request: Request, server: Server, isAsSent: boolean): Response | Promise<Response> {
    const path = pathBelow(baseURL, request.url)
    if (path === undefined) return refuseOutside(request)
    if (!isAsSent) return answerFailure(new Failure('invalid', 'the address holds a backslash or a way up'), request)
    if (request.headers.get('host')?.includes(','))
      return answerFailure(new Failure('invalid', 'the request names several hosts'), request)
    if (path === '') return new Response(null, { status: 301, headers: { location: `${baseURL}/` } })
    const repaired = withRepairedSlashes(path)
    if (repaired !== path) return redirect(request, baseURL + repaired)
    const connection = connectionOf(request, server, path)
    const answered = answer(request, connection)
    if (answered instanceof Response) return answered
    if (!hasBody(request)) connection.keepAliveUntilAnswered()
    const forget = () => void unanswered.delete(request)
    answered.then(forget, forget)
    return answered
  }

  const settings = {
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    websocket: websocketEvents(sockets),
    error: (error: unknown) => answerFailure(failureOfRuntime(error), new Request('http://unknown/')),
    routes: targetPatterns(
      (isAsSent) => (request: Bun.BunRequest, server: Server) => respond(request, server, isAsSent(request)),
    ),
    // Reached by targets that no pattern matches, which are no paths.
    fetch: refuseOutside,
  }
  // On a unix socket `timeout` has no effect, and the default cuts after ten seconds. The peer is a proxy on this
  // machine, which has timeouts of its own. The types lack the option.
  const noIdleTimeout: object = { idleTimeout: 0 }
  const open = (tls: Certificate | undefined, port: number): Server =>
    unix === ''
      ? Bun.serve({
          ...settings,
          idleTimeout: idleSeconds,
          hostname: address || everyAddress(),
          port,
          // Otherwise a second server could listen on the same port, and each would get some of the requests.
          reusePort: share !== 'alone',
          ...(tls && { tls: { cert: tls.cert, key: tls.key } }),
        })
      : Bun.serve({ ...settings, ...noIdleTimeout, unix: removeStaleSocket(unix) })
  const files = { cert, key }
  const first = isTls && unix === '' ? readCertificate(files) : undefined
  let server = open(first, share === 'first' ? freePort(address || everyAddress(), port) : port)
  /** Servers that no longer listen and still have open connections. */
  const draining = new Set<Server>()
  let isClosed = false
  if (unix !== '') chmodSync(unix, socketPerm)

  /** The runtime cannot change the certificate of a listening socket, so a new server takes over the port. */
  function replaceServer(tls: Certificate): void {
    const { port: same = port } = server
    const old = server
    draining.add(old)
    void old.stop().then(() => draining.delete(old))
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
  const watch = first && watchCertificate(files, first, log, replaceServer, certificate)

  const keepingAlive = setInterval(() => {
    for (const [request, server] of unanswered) restartIdleTimeout(server, request)
  }, idleSeconds * 250)
  keepingAlive.unref()
  const hostname = address || everyAddress()
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return {
    url: unix === '' ? `${isTls ? 'https' : 'http'}://${host}:${server.port}${baseURL}` : `unix:${unix}${baseURL}`,
    port: server.port ?? 0,
    checkCertificate: async () => watch?.check(),
    async close(grace) {
      isClosed = true
      watch?.stop()
      // An open WebSocket would keep the server from stopping.
      for (const socket of sockets) socket.close(goingAway, 'The server stops')
      const servers = [server, ...draining]
      const finished = Promise.all(servers.map((each) => each.stop()))
      let timer: NodeJS.Timeout | undefined
      const timedOut = new Promise<'timeout'>((resolve) => {
        timer = setTimeout(() => resolve('timeout'), grace)
      })
      const isTimedOut = (await Promise.race([finished, timedOut])) === 'timeout'
      if (isTimedOut) await Promise.all(servers.map((each) => each.stop(true)))
      clearTimeout(timer)
      clearInterval(keepingAlive)
      if (unix !== '') rmSync(unix, { force: true })
    },
  }
}

/** Throws where any other server has the port: those that share one only keep out those that do not. */
function freePort(hostname: string, port: number): number {
  const probe = Bun.serve({ hostname, port, reusePort: false, fetch: () => new Response(null, { status: 503 }) })
  const free = probe.port ?? port
  void probe.stop(true)
  return free
}

/** The WebSocket close code of a server that stops (RFC 6455). */
const goingAway = 1001

/** While a body arrives, its bytes restart the idle timeout. */
const hasBody = ({ method, headers }: Request): boolean =>
  method !== 'GET' && ((headers.get('content-length') ?? '0') !== '0' || headers.has('transfer-encoding'))

/** The id that a trusted proxy gave the request, so that its log and this one can be compared. */
const idIn = (headers: Headers): string | undefined => /^[\w.-]{1,64}$/.exec(headers.get('x-request-id') ?? '')?.[0]

/** Ids made of the time of the start, the process, since several start at the same time, and a counter. */
function requestIds(): () => string {
  const prefix = `${Date.now().toString(36)}-${process.pid.toString(36)}`
  let last = 0
  return () => {
    last += 1
    return `${prefix}-${last.toString(36)}`
  }
}

/** 308 keeps the method and the body; without a body the older 301 is known to more clients. */
function redirect({ method, url }: Request, path: string): Response {
  const query = url.indexOf('?')
  const location = query === -1 ? path : path + url.slice(query)
  return new Response(null, { status: method === 'GET' || method === 'HEAD' ? 301 : 308, headers: { location } })
}

/** The runtime opens the file of an answer by itself, when the answer starts. */
function failureOfRuntime(error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown }
  if (code !== 'EMFILE' && code !== 'ENFILE') return error
  return new Failure('unavailable', 'Too many files are open', { cause: error, retryAfter: 1 })
}
