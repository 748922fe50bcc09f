import { currentSession } from '../../server/session.ts'
import { perSession, type SessionScope } from '../../state/session-scope.ts'
import { inStores, noteKept } from './kept-database.ts'
import { ownPage } from './pages.ts'
import type { FileJob } from './queue.ts'

/**
 * What is on its way is written down in the browser, so that a reload or a crash is not the end of it. All of this is
 * done as well as the browser lets us: where it does not, uploads work and just do not outlive the page.
 */
export interface KeptUpload extends Pick<FileJob, 'id' | 'path' | 'name' | 'into' | 'size' | 'override' | 'url'> {
  /** The page that sent it. */
  page: string
  userId: number
  /** Milliseconds. */
  modified: number
  /** Under which a way to it is kept, if there is one; all that comes out of one folder shares it. */
  handleId: string | null
}

/** The file itself, or a way to it. */
export type Source = File | FileSystemHandle

/** A browser copies the files it keeps: that is worth it for some, and not for a whole disk. */
const mostBytes = 256 * 1024 * 1024
const mostFiles = 200
const chunk = 100

type Put = (work: (records: IDBObjectStore, sources: IDBObjectStore) => void) => Promise<unknown>

/** The records of one session. */
class KeptUploads {
  readonly #session: AbortSignal
  /** Handles that are in the store already, by the id of their first file. */
  readonly #written = new Set<string>()
  readonly #handleIds = new WeakMap<Promise<unknown>, string>()
  /** Ids that have come to their end and are still in the store, or about to be written there. */
  readonly #ended = new Set<string>()
  #writing: Promise<unknown> = Promise.resolve()

  constructor(scope: SessionScope) {
    this.#session = scope.signal
  }

  keep(jobs: readonly FileJob[]): void {
    const userId = currentSession()?.user.id
    if (userId === undefined || jobs.length === 0) return
    noteKept(true)
    const copies = worthCopying(jobs)
    for (let start = 0; start < jobs.length; start += chunk) {
      const some = jobs.slice(start, start + chunk)
      this.#writeInSession((put) => this.#keepSome(some, userId, copies, put))
    }
  }

  async #keepSome(jobs: readonly FileJob[], userId: number, copies: Set<string>, put: Put): Promise<void> {
    const live = jobs.filter(({ id }) => !this.#ended.has(id))
    const handles = await Promise.all(live.map(({ handle }) => handle))
    await put((records, sources) => {
      for (const [index, job] of live.entries()) {
        const handle = handles[index] ?? null
        const kept = this.#recordOf(job, userId)
        records.put(kept)
        // A copy can be read without a question; a handle needs the person's leave once more.
        if (copies.has(job.id)) sources.put(job.file, job.id)
        else if (handle !== null && kept.handleId !== null && !this.#written.has(kept.handleId)) {
          this.#written.add(kept.handleId)
          sources.put(handle, kept.handleId)
        }
      }
    })
  }

  /** Takes over what another page has left behind; its files are kept already. */
  adopt(records: readonly KeptUpload[]): void {
    for (const { id } of records) this.#ended.delete(id)
    this.#writeInSession((put) =>
      put((store) => {
        for (const record of records) store.put({ ...record, page: ownPage })
      }),
    )
  }

  keepUrl(job: FileJob, url: string): void {
    const userId = currentSession()?.user.id
    this.#writeInSession(async (put) => {
      if (userId === undefined || this.#ended.has(job.id)) return
      await put((records) => void records.put(this.#recordOf({ ...job, url }, userId)))
    })
  }

  /** Many small files end within a second: their records are removed together. */
  forget(id: string): void {
    if (this.#ended.size === 0) this.#removeSoon()
    this.#ended.add(id)
  }

  #removeSoon(): void {
    setTimeout(() => this.#write(() => this.#remove([...this.#ended])), 300)
  }

  async #remove(ids: readonly string[]): Promise<void> {
    try {
      const left = await inStores('readwrite', (records, sources) => {
        for (const id of ids) {
          records.delete(id)
          sources.delete(id)
        }
        return records.count()
      })
      // Ways into folders stay as long as a file may need them.
      if (left !== 0) return
      this.#written.clear()
      await inStores('readwrite', (_, sources) => sources.clear())
      noteKept(false)
    } finally {
      // Whatever was about to be written about them was written before: records are written one after the other.
      for (const id of ids) this.#ended.delete(id)
      if (this.#ended.size > 0) this.#removeSoon()
    }
  }

  /** Everything that the person has left behind, whichever page sent it. */
  async read(userId: number): Promise<KeptUpload[]> {
    await this.#writing
    const all: KeptUpload[] = (await inStores('readonly', (records) => records.getAll())) ?? []
    return all.filter((record) => record.userId === userId && !this.#ended.has(record.id))
  }

  #recordOf(job: FileJob, userId: number): KeptUpload {
    const { id, path, name, into, size, override, url, file, kept } = job
    const handleId = kept?.handleId ?? this.#handleIdOf(job)
    return { id, path, name, into, size, override, url, page: ownPage, userId, modified: file.lastModified, handleId }
  }

  #handleIdOf({ handle, id }: FileJob): string | null {
    if (handle === null) return null
    const known = this.#handleIds.get(handle) ?? `${id}-handle`
    this.#handleIds.set(handle, known)
    return known
  }

  /** What was about to be written when the session ended is not written any more: it may all be removed by now. */
  #writeInSession(work: (put: Put) => Promise<unknown>): void {
    const put: Put = (fill) =>
      inStores('readwrite', (records, sources) => {
        if (!this.#session.aborted) fill(records, sources)
        return undefined
      })
    this.#write(async () => this.#session.aborted || work(put))
  }

  /** One after the other, and without a word when the browser refuses: a full disk must not stop an upload. */
  #write(work: () => Promise<unknown>): void {
    this.#writing = this.#writing.then(work).catch(() => {})
  }
}

export const keptUploads = perSession((scope) => new KeptUploads(scope))

function worthCopying(jobs: readonly FileJob[]): Set<string> {
  const ids = new Set<string>()
  let bytes = 0
  for (const { id, size } of jobs) {
    if (ids.size === mostFiles) break
    if (bytes + size > mostBytes) continue
    bytes += size
    ids.add(id)
  }
  return ids
}

/** All at once: there may be thousands of records, but only some sources. */
export async function readSources(): Promise<Map<string, Source>> {
  const ids = (await inStores('readonly', (_, sources) => sources.getAllKeys())) ?? []
  const sources: Source[] = (await inStores('readonly', (_, store) => store.getAll())) ?? []
  return new Map(sources.map((source, index) => [String(ids[index]), source]))
}
