import { operationHeader, type Right } from '@filestead/contract'
import type { UserContext } from '../access/routes.ts'
import type { Scope } from '../access/scope.ts'
import { Failure, isFailure } from '../failure.ts'
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
  context: Pick<UserContext, 'request' | 'again'>,
  otherwise?: string,
): Changes => ({ ...changes, batch: batchOf(context) ?? otherwise, stillAllowed: rightsOfLate(context) })

/** In milliseconds: so old may be what is known of the rights of a sender. */
const longestKnown = 1000

/** A sender may take days for its last byte, and has lost its account, or the right, by then. */
function rightsOfLate({ again }: Pick<UserContext, 'again'>): Changes['stillAllowed'] {
  let knownAt = performance.now()
  return async (scope, path) => {
    if (performance.now() - knownAt < longestKnown) return
    const now = await again({ mayHaveExpired: true }).catch((error) => {
      if (isFailure(error, 'forbidden') || isFailure(error, 'unauthenticated')) throw error
      // A database that cannot be read for a moment takes no rights away.
      return scope
    })
    const isSamePlace = now.tree.locate(path) === scope.tree.locate(path)
    const isLost = (right: Right) => scope.may(right, path) && !now.may(right, path)
    if (!isSamePlace || isLost('create') || isLost('change'))
      throw new Failure('forbidden', 'The rights to this were taken away')
    knownAt = performance.now()
  }
}

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
  const operation = await changes.operations?.begin(change, { isStoredWhenTold: true })
  try {
    const result = await work(operation?.keep)
    await operation?.end(change, 'done')
    return result
  } catch (error) {
    await operation?.end(change, 'failed')
    throw error
  }
}
