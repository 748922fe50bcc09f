import type { Scope } from '../access/scope.ts'
import { isFailure } from '../failure.ts'
import { isSameEntry } from '../storage/entry.ts'
import type { Entry } from '../storage/port.ts'
import type { Upload } from './store.ts'
import { keyOf, type Owner, type Uploads } from './uploads.ts'

/** An upload whose file was in its place when it was last seen. */
export interface Finished {
  readonly entry: Entry
  readonly metadata: string | undefined
}

export interface FinishedUploads {
  note(key: string, upload: Pick<Upload, 'metadata'>, entry: Entry): void
  find(key: string): Finished | undefined
  forget(key: string): void
}

const mostKnown = 1000

/**
 * The latest uploads that came to their end, for senders that never heard so because the connection broke under the answer.
 * Told that there is no such upload they would begin anew, and find the name taken by their own file. Kept in memory
 * only: a sender that asks after a restart is no worse off than without.
 */
export function finishedUploads(most = mostKnown): FinishedUploads {
  const known = new Map<string, Finished>()
  return {
    note(key, { metadata }, entry) {
      known.delete(key)
      known.set(key, { entry, metadata })
      for (const oldest of known.keys()) {
        if (known.size <= most) break
        known.delete(oldest)
      }
    },
    find: (key) => known.get(key),
    forget: (key) => void known.delete(key),
  }
}

/** Only as long as the file that it became still stands there. */
export async function findFinished(
  { finished }: Pick<Uploads, 'finished'>,
  scope: Scope,
  owner: Owner,
): Promise<Finished | undefined> {
  const known = finished.find(keyOf(owner))
  if (known === undefined) return undefined
  try {
    const file = await scope.open(owner.path)
    file.close()
    const isSame = isSameEntry(file.entry, known.entry) && file.entry.size === known.entry.size
    return isSame ? known : undefined
  } catch (error) {
    if (isFailure(error, 'not-found') || isFailure(error, 'invalid')) return undefined
    throw error
  }
}
