import { connect, type Socket } from 'node:net'

/** A TCP connection for requests that a test writes byte by byte and may cut anywhere. */
export interface Line {
  readonly socket: Socket
  send(bytes: string | Uint8Array): Promise<void>
  /** All received bytes, when the connection has ended. */
  readonly received: Promise<Buffer>
  /** Resolves as soon as an answer begins; 0 when the connection ends without one. */
  readonly status: Promise<number>
  close(): void
  /** An RST instead of a FIN. */
  reset(): void
}

export async function openLine(url: string): Promise<Line> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  // Most of these tests cut the connection, which is no error here.
  socket.on('error', () => {})
  const pieces: Buffer[] = []
  const status = Promise.withResolvers<number>()
  socket.on('data', (piece: Buffer) => {
    pieces.push(piece)
    status.resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(piece.toString('latin1', 0, 20))?.[1] ?? 0))
  })
  const received = new Promise<Buffer>((resolve) => socket.once('close', () => resolve(Buffer.concat(pieces))))
  void received.then(() => status.resolve(0))
  return {
    socket,
    status: status.promise,
    received,
    send: (bytes) => new Promise((resolve) => socket.write(bytes, () => resolve())),
    close: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
  }
}

export function headOf(method: string, path: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** The body of a received answer. */
export const bodyIn = (received: Buffer): Buffer => received.subarray(received.indexOf('\r\n\r\n') + 4)
