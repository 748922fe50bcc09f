import { isWithin, type Location } from '../mounts/location.ts'
import { parentOf } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { atPlace } from './places.ts'
import { keyOf, type Upload, type UploadStore } from './store.ts'

/**
 * Small uploads that were announced a moment ago and of which nothing has come. Mostly all of it comes with the next request:
 * then neither row nor draft was needed, which cost more than the file itself. What has not come after a second gets both. Of
 * what a crash takes away before, no byte was acknowledged: the sender is told that there is no such upload, and begins anew.
 */
export interface HeldUploads {
  /** May one more be held? */
  isOpen(): Promise<boolean>
  add(upload: Upload): void
  find(owner: Pick<Upload, 'userId' | 'location'>): Upload | undefined
  has(id: string): boolean
  /** Ends one with `work`, before which it gets no row. Undefined if it has one already, or is over. */
  end<T>(id: string, work: () => Promise<T>): Promise<T | undefined>
  /** Gives an upload, those below a folder, or all, their rows and drafts. */
  write(which: Pick<Upload, 'id'> | { readonly below: Location } | 'all'): Promise<void>
}

interface HeldOptions {
  readonly store: UploadStore
  storageAt(base: string): Storage
  /** None where other processes serve the same files: they could not know of them. */
  readonly most: number
  /** Does no other server work with the same database? It would not know of them either. Asked once in a while. */
  isAlone?(): Promise<boolean>
  /** In milliseconds. */
  readonly longest?: number
}

export const mostHeldUploads = 1000

export function heldUploads(options: HeldOptions): HeldUploads {
  const { store, storageAt, most, isAlone = async () => true, longest = 1000 } = options
  const isKnownAlone = onceIn(longest, () => isAlone().catch(() => false))
  /** In the order in which they came. */
  const held = new Map<string, { readonly upload: Upload; readonly since: number }>()
  const byOwner = new Map<string, string>()
  /** What is done to each of them now. */
  const works = new Map<string, Promise<unknown>>()
  let isWatched = false

  function remove(upload: Upload): void {
    held.delete(upload.id)
    if (byOwner.get(keyOf(upload)) === upload.id) byOwner.delete(keyOf(upload))
  }

  /** One after the other, and only as long as the upload is held. */
  async function alone<T>(id: string, work: (upload: Upload) => Promise<T>): Promise<T | undefined> {
    for (let other = works.get(id); other !== undefined; other = works.get(id)) await other.catch(() => {})
    const upload = held.get(id)?.upload
    if (upload === undefined) return undefined
    const mine = work(upload)
    works.set(id, mine)
    try {
      const result = await mine
      remove(upload)
      return result
    } finally {
      works.delete(id)
    }
  }

  const write = (id: string): Promise<void> =>
    alone(id, async (upload) => {
      // The row comes first: a draft without a row would stay for ever.
      await store.insert(upload)
      try {
        const options = { precondition: 'any', length: upload.length } as const
        await atPlace(storageAt, upload.place, async (storage, path) => {
          // A folder that was removed since the announcement does not come back by itself.
          await storage.stat(parentOf(path))
          await storage.beginDraft(path, id, options)
        })
      } catch (error) {
        await store.delete(id).catch(() => {})
        throw error
      }
    })

  async function writeOlder(): Promise<void> {
    const now = performance.now()
    const older = [...held].filter(([, { since }]) => now - since >= longest)
    // One that cannot be written has lost nothing: its sender begins anew.
    for (const [id, { upload }] of older) await write(id).catch(() => remove(upload))
    isWatched = false
    watch()
  }

  function watch(): void {
    if (held.size === 0 || isWatched) return
    isWatched = true
    setTimeout(() => void writeOlder(), longest).unref()
  }

  return {
    isOpen: async () => held.size < most && (await isKnownAlone()),
    add(upload) {
      held.set(upload.id, { upload, since: performance.now() })
      byOwner.set(keyOf(upload), upload.id)
      watch()
    },
    find(owner) {
      const id = byOwner.get(keyOf(owner))
      return id === undefined ? undefined : held.get(id)?.upload
    },
    has: (id) => held.has(id),
    end: (id, work) => alone(id, work),
    async write(which) {
      if (which !== 'all' && 'id' in which) return write(which.id)
      const those = [...held].filter(([, { upload }]) => which === 'all' || isWithin(upload.place, which.below))
      await Promise.all(those.map(([id]) => write(id).catch(() => {})))
    },
  }
}

/** So many milliseconds long, the last answer will do. */
function onceIn<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined
  return () => {
    const at = performance.now()
    if (last === undefined || at - last.at >= milliseconds) last = { at, answer: ask() }
    return last.answer
  }
}
