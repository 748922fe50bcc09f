import { Failure } from '../failure.ts'
import type { RequestContext } from './request.ts'

/** One end of a WebSocket conversation, without the socket. */
export interface Conversation {
  /** Something was said. Answers go through `reply`, which was given when the conversation began. */
  heard(text: string): void
  /** The other side has gone. */
  ended(): void
}

export interface Reply {
  /** Something to wait for where the other side does not keep up; what is said before it is over may be lost. */
  say(text: string): Promise<void> | undefined
  /** The reason is what the other side learns about the end. */
  end(reason: string): void
}

/** What a client sends to open a WebSocket; the key is the one of the standard's example. */
export const socketHeaders = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
}

/** Turns a request into a conversation. Only the page itself may ask: a foreign one would come with the cookie. */
export function converse({ request, connection }: RequestContext, begin: (reply: Reply) => Conversation): Response {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
    throw new Failure('invalid', 'this address speaks WebSocket')
  const origin = request.headers.get('origin')
  if (origin !== null && !isSameHost(origin, request.headers.get('host')))
    throw new Failure('forbidden', 'A page from elsewhere cannot open this socket')
  if (!connection.upgrade(begin)) throw new Failure('invalid', 'this is not a valid WebSocket request')
  // The runtime has taken the connection over and drops this answer.
  return new Response(null)
}

function isSameHost(origin: string, host: string | null): boolean {
  try {
    return new URL(origin).host === host
  } catch {
    return false
  }
}
