import { operationHeader } from '@filestead/contract'
import { requireNothingLost, type UserContext } from '../access/routes.ts'
import type { Scope } from '../access/scope.ts'
import { parentOf, type VirtualPath } from '../storage/path.ts'
import type { Keep } from '../storage/port.ts'
import type { Changes } from './pipeline.ts'

const batchShape = /^[0-9A-Za-z-]{16,64}$/

/** What a request says about the act that it is a part of; what makes no sense is as if it said nothing. */
export function batchOf({ request }: { readonly request: Request }): string | undefined {
  const batch = request.headers.get(operationHeader)
  return batch !== null && batchShape.test(batch) ? batch : undefined
}

/** The changes of one request. `otherwise`: the act, where the request names none. */
export const changesOf = (
  changes: Changes,
  context: Pick<UserContext, 'request' | 'latest'>,
  otherwise?: string,
): Changes => ({
  ...changes,
  batch: batchOf(context) ?? otherwise,
  // A sender may take days for its last byte, and has lost its account, or the right, by then.
  stillAllowed: async (scope, path) => requireNothingLost(scope, await context.latest(), path, ['create', 'change']),
})

/**
 * Folders that are made for a draft, long before it becomes a file: they go when that is taken back. Mostly they are there
 * already, and then nothing is stored. A crash in the moment between a folder and its row leaves an empty folder.
 */
export async function withFoldersRemembered<T>(
  changes: Changes,
  scope: Scope,
  path: VirtualPath,
  work: (keep: Keep | undefined) => Promise<T>,
): Promise<T> {
  const { user } = scope.actor
  const { door, batch } = changes
  const to = scope.tree.locate(parentOf(path))
  const actor = { id: user.id, name: user.username }
  const change = { kind: 'create-folder', actor, door, batch, ...(to !== undefined && { to }) } as const
  const operation = await changes.operations?.begin(change, { isStoredWhenDone: true })
  try {
    const result = await work(operation?.keep)
    await operation?.end(change, 'done')
    return result
  } catch (error) {
    await operation?.end(change, 'failed')
    throw error
  }
}
