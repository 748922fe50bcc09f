import { connect } from 'node:net'

export interface RawAnswer {
  /** 0 when the connection was closed, or kept open too long, without an answer. */
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Sends bytes exactly as they are and returns what came back. `fetch` would tidy the address up before sending it. */
export function sendBytes(url: string, bytes: string | Uint8Array, patience = 10_000): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setTimeout(patience, () => socket.destroy())
    socket.on('data', (piece: Buffer) => pieces.push(piece))
    // A reset after the answer is how a refused upload ends; what came before it counts.
    socket.on('error', () => {})
    socket.on('close', () => resolve(parseAnswer(Buffer.concat(pieces))))
  })
}

/** One request with its target as it is written, which ends the connection. */
export const sendRaw = (
  url: string,
  method: string,
  target: string,
  headers: Record<string, string> = {},
): Promise<RawAnswer> => {
  const lines = Object.entries({ host: new URL(url).host, connection: 'close', ...headers })
  const head = [`${method} ${target} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)]
  return sendBytes(url, `${head.join('\r\n')}\r\n\r\n`)
}

function parseAnswer(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n')
  const [start = '', ...lines] = bytes.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n')
  const headers = new Headers()
  for (const line of lines) headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim())
  return { status: Number(start.split(' ')[1] ?? 0), headers, body: bytes.subarray(end + 4).toString() }
}
