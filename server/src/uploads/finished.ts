import { LruMap } from '../lru-map.ts'
import type { Siblings } from '../nodes/siblings.ts'
import type { Identity } from '../storage/entry.ts'
import type { Entry } from '../storage/port.ts'
import type { Upload } from './store.ts'

/** The file that an upload became; plain data, which another process can be told. */
export interface Finished extends Identity {
  readonly size: number
  readonly metadata?: string | undefined
}

/**
 * The latest finished uploads, for clients whose connection broke before the answer. Told that there is no such upload
 * they would begin anew, and find the name taken by their own file. In memory only: a client that asks after a restart
 * is no worse off than without.
 */
export interface FinishedUploads {
  add(key: string, upload: Pick<Upload, 'metadata'>, entry: Entry): void
  /** Also one that another process of this server has finished. */
  find(key: string): Promise<Finished | undefined>
  forget(key: string): void
}

const mostKept = 1000
const topic = 'finished upload'

export function finishedUploads(siblings: Siblings, most = mostKept): FinishedUploads {
  const kept = new LruMap<string, Finished>(most)
  siblings.answer(topic, (key) => kept.get(String(key)))
  return {
    add: (key, { metadata }, { id, version, size }) => kept.set(key, { id, version, size, metadata }),
    find: async (key) => kept.get(key) ?? ((await siblings.ask(topic, key))[0] as Finished | undefined),
    forget: (key) => kept.delete(key),
  }
}
