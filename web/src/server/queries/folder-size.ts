import { encodePath, type FolderSize } from '@filestead/contract'
import { call, throwConnectionLost } from '../client.ts'

/** How much lies below a folder: the sum so far as it grows, and last the whole. */
export async function* folderSize(path: string, signal: AbortSignal): AsyncGenerator<FolderSize> {
  const response = await call('GET', `folder-size${encodePath(path)}`, { signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  let isWhole = false
  for (;;) {
    const { value, done } = (await reader?.read().catch(throwConnectionLost)) ?? { value: undefined, done: true }
    const lines = (rest + (value ?? '')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const sum: FolderSize = JSON.parse(line)
      isWhole = sum.isWhole
      yield sum
    }
    if (done && !isWhole) throwConnectionLost(new Error('The answer came to no end'))
    if (done) return
  }
}
