import { connect, type Socket } from 'node:net'

/** A connection on which a test sends exactly what it wants, and stops in the middle if it wants. */
export interface Line {
  readonly socket: Socket
  send(bytes: string | Uint8Array): Promise<void>
  /** Everything that came, once the other side has closed or the connection broke. */
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
  // A connection that breaks is what most of these tests are about.
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

/** What a received answer holds behind its head. */
export const bodyIn = (received: Buffer): Buffer => received.subarray(received.indexOf('\r\n\r\n') + 4)
