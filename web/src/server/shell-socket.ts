import { encodePath } from '@filestead/contract'
import { ApiError, apiUrl, call } from './client.ts'

export interface RunningCommand {
  stop(): void
}

/** How a command ended: with what the server says about it, such as the exit status, or without a word of it. */
export type CommandEnd =
  | { kind: 'ended'; reason: string }
  /** The socket was not opened. `error` is null where the server would have: a proxy in between passes no sockets on. */
  | { kind: 'refused'; error: unknown }
  | { kind: 'connection-lost' }

interface CommandListener {
  onLine: (text: string) => void
  onEnd: (end: CommandEnd) => void
}

/** Runs one line in a folder. */
export function runCommand(folder: string, line: string, { onLine, onEnd }: CommandListener): RunningCommand {
  const path = `command${encodePath(folder === '/' ? '/' : `${folder}/`)}`
  const address = new URL(apiUrl(path), location.href)
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
  const socket = new WebSocket(address)
  let state: 'opening' | 'open' | 'stopped' = 'opening'
  socket.addEventListener('open', () => {
    state = 'open'
    socket.send(line)
  })
  socket.addEventListener('message', ({ data }) => onLine(String(data)))
  socket.addEventListener('close', ({ code, reason }) => {
    if (state === 'opening') void whyRefused(path).then((error) => onEnd({ kind: 'refused', error }))
    else if (state === 'stopped' || code === normalClosure) onEnd({ kind: 'ended', reason })
    else onEnd({ kind: 'connection-lost' })
  })
  return {
    stop() {
      state = 'stopped'
      socket.close()
    },
  }
}

/** RFC 6455. A server that stops, and a line that breaks, have other codes. */
const normalClosure = 1000

/**
 * A browser does not tell a page why a socket was refused. The same address without an upgrade is refused for the same
 * reason, in words; where only the upgrade is missing, the server had nothing against it.
 */
async function whyRefused(path: string): Promise<unknown> {
  try {
    await call('GET', path)
    return null
  } catch (error) {
    return error instanceof ApiError && error.code === 'invalid' ? null : error
  }
}
