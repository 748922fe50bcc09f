import { encodePath } from '@filestead/contract'
import { apiUrl } from './client.ts'

export interface RunningCommand {
  stop(): void
}

/** Runs one line in a folder. `onEnd` gets what the server says about how it ended, such as the exit status. */
export function runCommand(
  folder: string,
  line: string,
  { onLine, onEnd }: { onLine: (text: string) => void; onEnd: (reason: string) => void },
): RunningCommand {
  const address = new URL(apiUrl(`command${encodePath(folder === '/' ? '/' : `${folder}/`)}`), location.href)
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
  const socket = new WebSocket(address)
  socket.addEventListener('open', () => socket.send(line))
  socket.addEventListener('message', ({ data }) => onLine(String(data)))
  socket.addEventListener('close', ({ reason }) => onEnd(reason))
  return { stop: () => socket.close() }
}
