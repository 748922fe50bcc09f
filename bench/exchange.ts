import { countAnswer } from './answer-counter.ts'
import { address, type Server } from './peer.ts'

export interface Request {
  method: 'GET' | 'PATCH' | 'POST' | 'PUT' | 'COPY'
  path: string
  headers?: Record<string, string>
  /** So many bytes are sent along. */
  sentBytes?: number
  /** The status the answer must have: 200 if nothing is said. */
  status?: number
  /** The size the body must have. */
  bodyBytes?: number
}

/** Sends one request and reads its answer to the end; resolves with the milliseconds it took. */
export async function exchange(server: Server, request: Request): Promise<number> {
  const started = performance.now()
  const line = await connectTo(server)
  await line.ask({ ...request, headers: { ...request.headers, Connection: 'close' } })
  const taken = performance.now() - started
  line.end()
  return taken
}

/** A connection for one request after the other. */
export interface Line {
  readonly localPort: number
  ask(request: Request): Promise<void>
  end(): void
}

/** A bare socket, because a fetch costs this process more than it costs the server. */
export async function connectTo(server: Server): Promise<Line> {
  const { protocol, hostname, port, host } = new URL(address(server, '/'))
  const isSecure = protocol === 'https:'
  let asked: Question | undefined

  const socket = await Bun.connect({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isSecure ? 443 : 80),
    tls: isSecure,
    socket: {
      binaryType: 'uint8array',
      drain: (connection) => asked?.sendBody(connection),
      data: (_connection, bytes) => asked?.heard(bytes),
      close: () => asked?.closed(),
      error: (_connection, error) => asked?.failed(error),
    },
  })
  return {
    localPort: socket.localPort,
    async ask(request) {
      const { pathname, search } = new URL(address(server, request.path))
      asked = question(request)
      socket.write(toHead(request, pathname + search, host, server.token))
      asked.sendBody(socket)
      await asked.answered
    },
    end: () => socket.end(),
  }
}

type Question = ReturnType<typeof question>

function question(request: Request) {
  const { promise: answered, resolve, reject } = Promise.withResolvers<void>()
  const answer = countAnswer()
  let left = request.sentBytes ?? 0
  return {
    answered: answered.then(() => assertRight(request, answer)),
    sendBody(connection: { write(bytes: Uint8Array): number }): void {
      while (left > 0) {
        const written = connection.write(block.subarray(0, Math.min(left, block.length)))
        if (written <= 0) return
        left -= written
      }
    },
    heard(bytes: Uint8Array): void {
      answer.take(bytes)
      if (answer.isDone) resolve()
    },
    closed: () => (answer.endsWithConnection ? resolve() : reject(new Error(`${request.path}: connection lost`))),
    failed: (error: Error) => reject(error),
  }
}

const block = new Uint8Array(1_048_576)

function toHead({ method, headers = {}, sentBytes = 0 }: Request, path: string, host: string, token: string): string {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Accept-Encoding: identity']
  if (token !== '') lines.push(`X-Auth: ${token}`)
  if (method !== 'GET') lines.push(`Content-Length: ${sentBytes}`)
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

function assertRight(request: Request, answer: { status: number; bodyBytes: number }): void {
  const { method, path, bodyBytes, status = 200 } = request
  if (answer.status !== status) throw new Error(`${method} ${path} answered ${answer.status}`)
  if (bodyBytes !== undefined && bodyBytes !== answer.bodyBytes) {
    throw new Error(`${method} ${path} sent ${answer.bodyBytes} bytes instead of ${bodyBytes}`)
  }
}
