import { encodePath, type FolderSize } from '@filestead/contract'
import { call, throwConnectionLost } from '../client.ts'
import { jsonLines } from '../json-lines.ts'

/** How much lies below a folder: the sum so far as it grows, and last the whole. */
export async function* folderSize(path: string, signal: AbortSignal): AsyncGenerator<FolderSize> {
  const response = await call('GET', `folder-size${encodePath(path)}`, { signal })
  let isWhole = false
  for await (const sums of jsonLines<FolderSize>(response)) {
    isWhole = sums.at(-1)?.isWhole === true
    yield* sums
  }
  if (!isWhole) throwConnectionLost(new Error('The answer came to no end'))
}
