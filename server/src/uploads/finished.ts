import type { Entry } from '../storage/port.ts'
import type { Upload } from './store.ts'

/** The file that an upload became. */
export interface Finished {
  readonly entry: Entry
  readonly metadata: string | undefined
}

/**
 * The latest finished uploads, for clients whose connection broke before the answer. Told that there is no such upload
 * they would begin anew, and find the name taken by their own file. In memory only: a client that asks after a restart
 * is no worse off than without.
 */
export interface FinishedUploads {
  add(key: string, upload: Pick<Upload, 'metadata'>, entry: Entry): void
  find(key: string): Finished | undefined
  forget(key: string): void
}

const mostKept = 1000

export function finishedUploads(most = mostKept): FinishedUploads {
  const kept = new Map<string, Finished>()
  return {
    add(key, { metadata }, entry) {
      kept.delete(key)
      kept.set(key, { entry, metadata })
      for (const oldest of kept.keys()) {
        if (kept.size <= most) break
        kept.delete(oldest)
      }
    },
    find: (key) => kept.get(key),
    forget: (key) => void kept.delete(key),
  }
}
