import { Failure } from '../failure.ts'
import type { RequestContext } from './request.ts'

/** What a room does with an open WebSocket. */
export interface WebSocketHandler {
  message(text: string): void
  closed(): void
}

/** The room's side of an open WebSocket. */
export interface WebSocketSender {
  /** Returns a promise under backpressure; what is sent before it resolves may be dropped. */
  send(text: string): Promise<void> | undefined
  close(reason: string): void
}

/** The headers of a WebSocket handshake; the key is the example of RFC 6455. */
export const handshakeHeaders = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
}

/**
 * Upgrades a request to a WebSocket. Browsers apply no same-origin policy to WebSockets and send cookies along, so the
 * Origin is checked here, with its port.
 */
export function upgradeToWebSocket(
  { request, connection }: RequestContext,
  open: (sender: WebSocketSender) => WebSocketHandler,
): Response {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
    throw new Failure('invalid', 'this address speaks WebSocket')
  const origin = request.headers.get('origin')
  if (origin !== null && !isSameOrigin(origin, request.headers.get('host')))
    throw new Failure('forbidden', 'A page from elsewhere cannot open this socket')
  if (!connection.upgrade(open)) throw new Failure('invalid', 'this is not a valid WebSocket request')
  // The runtime has taken the connection over and drops this response.
  return new Response(null)
}

function isSameOrigin(origin: string, host: string | null): boolean {
  try {
    return new URL(origin).host === host
  } catch {
    return false
  }
}

export interface SocketData {
  open(sender: WebSocketSender): WebSocketHandler
  handler?: WebSocketHandler
  /** Resolvers of senders that wait until the client has read what was sent. */
  waiting: (() => void)[]
}

export type Socket = Bun.ServerWebSocket<SocketData>

/** What `send` returns when the runtime has queued the text. Beyond a limit it drops what is sent. */
const backpressure = -1

/** The events of the runtime's WebSockets; `sockets` holds those that are open. */
export const websocketEvents = (sockets: Set<Socket>) => ({
  maxPayloadLength: 64 * 1024,
  open(socket: Socket): void {
    sockets.add(socket)
    socket.data.handler = socket.data.open({
      send: (text) => (socket.send(text) === backpressure ? drained(socket) : undefined),
      close: (reason) => socket.close(1000, reason),
    })
  },
  message: (socket: Socket, text: string | Buffer): void => socket.data.handler?.message(String(text)),
  drain: resumeSenders,
  close(socket: Socket): void {
    sockets.delete(socket)
    socket.data.handler?.closed()
    resumeSenders(socket)
  },
})

const drained = ({ data }: Socket): Promise<void> => new Promise((resolve) => data.waiting.push(resolve))

function resumeSenders({ data }: Socket): void {
  for (const resolve of data.waiting.splice(0)) resolve()
}
