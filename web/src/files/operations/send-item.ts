import { nameOf, parentOf } from '@filestead/contract'
import { ApiError } from '../../server/client.ts'
import { entriesNamed, transfer } from '../../server/queries/resources.ts'
import type { TransferItem, TransferRequest } from './transfer-plan.ts'

type Action = TransferRequest['action']

/**
 * Copies or moves one entry and answers its path. With `lost` it is another try, because the answer to the first one was
 * lost with the connection: what has been made by then is not made a second time.
 */
export async function sendItem(
  action: Action,
  item: TransferItem,
  signal: AbortSignal,
  lost: ApiError | null,
): Promise<string> {
  const { entry, to, onConflict } = item
  // It is not known which free name the first try has taken.
  if (lost !== null && onConflict === 'rename') throw lost
  try {
    return await transfer({ action, from: entry.path, to, onConflict }, signal)
  } catch (error) {
    if (lost === null || !(await wasMade(action, item, error, signal))) throw error
    return to
  }
}

/** Was it the first try that the second one found in its way? A folder may have been copied in part. */
async function wasMade(action: Action, { entry, to }: TransferItem, error: unknown, signal: AbortSignal) {
  if (!(error instanceof ApiError) || error.code !== (action === 'copy' ? 'already-exists' : 'not-found')) return false
  const [found] = await entriesNamed(parentOf(to), [nameOf(to)], signal)
  if (found === undefined || found.isDir !== entry.isDir) return false
  return entry.isDir ? action === 'rename' : found.size === entry.size
}
