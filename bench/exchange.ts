import { countAnswer } from './answer-counter.ts'
import { address, type Server } from './peer.ts'

export interface Request {
  method: 'GET' | 'PATCH' | 'POST'
  path: string
  headers?: Record<string, string>
  /** So many bytes are sent along. */
  sentBytes?: number
  /** The status the answer must have: 200 if nothing is said. */
  status?: number
  /** The size the body must have. */
  bodyBytes?: number
}

/**
 * Sends one request and reads its answer to the end; resolves with the milliseconds it took. A bare socket,
 * because a fetch of a large body costs this process more than it costs the server.
 */
export async function exchange(server: Server, request: Request): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const { protocol, hostname, port, host, pathname, search } = new URL(address(server, request.path))
  const isSecure = protocol === 'https:'
  const answer = countAnswer()
  let left = request.sentBytes ?? 0
  const sendBody = (connection: { write(bytes: Uint8Array): number }) => {
    while (left > 0) {
      const written = connection.write(block.subarray(0, Math.min(left, block.length)))
      if (written <= 0) return
      left -= written
    }
  }
  const started = performance.now()

  const socket = await Bun.connect({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isSecure ? 443 : 80),
    tls: isSecure,
    socket: {
      binaryType: 'uint8array',
      open(connection) {
        connection.write(toHead(request, pathname + search, host, server.token))
        sendBody(connection)
      },
      drain: sendBody,
      data(_connection, bytes) {
        answer.take(bytes)
        if (answer.isDone) resolve()
      },
      close: () => (answer.endsWithConnection ? resolve() : reject(new Error(`${request.path}: connection lost`))),
      error: (_connection, error) => reject(error),
    },
  })
  await promise
  const taken = performance.now() - started
  socket.end()
  assertRight(request, answer)
  return taken
}

const block = new Uint8Array(1_048_576)

function toHead({ method, headers = {}, sentBytes = 0 }: Request, path: string, host: string, token: string): string {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, 'Accept-Encoding: identity', 'Connection: close']
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
