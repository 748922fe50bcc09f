import { currentSession } from '../../api/session.ts'
import { onPersonLeft } from '../../state/personal-storage.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { inStores, noteKept } from './kept-database.ts'
import type { FileJob } from './queue.ts'

/**
 * What is on its way is written down in the browser, so that a reload or a crash is not the end of it. All of this is
 * done as well as the browser lets us: where it does not, uploads work and just do not outlive the page.
 */
export interface Kept extends Pick<FileJob, 'id' | 'path' | 'name' | 'into' | 'size' | 'override' | 'url'> {
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
const chunk = 500

export const ownPage = Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join('')

export function keep(jobs: readonly FileJob[]): void {
  const userId = currentSession()?.user.id
  if (userId === undefined || jobs.length === 0) return
  noteKept(true)
  const copies = worthCopying(jobs)
  for (let start = 0; start < jobs.length; start += chunk) {
    const some = jobs.slice(start, start + chunk)
    writeInSession(async (put) => {
      const live = some.filter(({ id }) => !over.has(id))
      const handles = await Promise.all(live.map(({ handle }) => handle))
      await put((records, sources) => {
        for (const [index, job] of live.entries()) {
          const handle = handles[index] ?? null
          const kept = toKept(job, userId)
          records.put(kept)
          // A copy can be read without asking anybody; a handle needs the person's leave once more.
          if (copies.has(job.id)) sources.put(job.file, job.id)
          else if (handle !== null && kept.handleId !== null && !written.has(kept.handleId)) {
            written.add(kept.handleId)
            sources.put(handle, kept.handleId)
          }
        }
      })
    })
  }
}

/** Handles that are in the store already. */
const written = new Set<string>()
const handleIds = new Map<Promise<unknown>, string>()

onPersonLeft(() => written.clear())

function handleIdOf({ handle }: FileJob): string | null {
  if (handle === null) return null
  const known = handleIds.get(handle) ?? `${ownPage}-handle-${handleIds.size}`
  handleIds.set(handle, known)
  return known
}

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

/** Takes over what another page has left behind; its files are kept already. */
export const adopt = (records: readonly Kept[]): void =>
  writeInSession((put) =>
    put((store) => {
      for (const record of records) store.put({ ...record, page: ownPage })
    }),
  )

export function keepUrl(job: FileJob, url: string): void {
  const userId = currentSession()?.user.id
  writeInSession(async (put) => {
    if (userId === undefined || over.has(job.id)) return
    await put((records) => void records.put(toKept({ ...job, url }, userId)))
  })
}

/** Ids that have come to their end, of which some may not have been written down yet. */
const over = new Set<string>()
let toForget: string[] = []

/** Many small files end within a second: they are struck off together. */
export function forget(id: string): void {
  if (toForget.length === 0) setTimeout(strikeOff, 300)
  toForget.push(id)
  over.add(id)
}

function strikeOff(): void {
  const some = toForget
  toForget = []
  write(async () => {
    const left = await inStores('readwrite', (records, sources) => {
      for (const id of some) {
        records.delete(id)
        sources.delete(id)
      }
      return records.count()
    })
    // Ways into folders stay until nobody can need them any more.
    if (left !== 0) return
    written.clear()
    await inStores('readwrite', (_, sources) => sources.clear())
    noteKept(false)
  })
}

/** Once more on its way. */
export const remember = (id: string): void => void over.delete(id)

/** Everything that the person has left behind, whichever page sent it. */
export async function readKept(userId: number): Promise<Kept[]> {
  await writing
  const all: Kept[] = (await inStores('readonly', (records) => records.getAll())) ?? []
  return all.filter((record) => record.userId === userId && !over.has(record.id))
}

/** All at once: there may be thousands of records, but only some sources. */
export async function readSources(): Promise<Map<string, Source>> {
  const ids = (await inStores('readonly', (_, sources) => sources.getAllKeys())) ?? []
  const sources: Source[] = (await inStores('readonly', (_, store) => store.getAll())) ?? []
  return new Map(sources.map((source, index) => [String(ids[index]), source]))
}

function toKept(job: FileJob, userId: number): Kept {
  const { id, path, name, into, size, override, url, file, kept } = job
  const handleId = kept?.handleId ?? handleIdOf(job)
  return { id, path, name, into, size, override, url, page: ownPage, userId, modified: file.lastModified, handleId }
}

type Put = (work: (records: IDBObjectStore, sources: IDBObjectStore) => void) => Promise<unknown>

/** What was about to be written down when the session ended is not written any more: it may all be removed by now. */
function writeInSession(work: (put: Put) => Promise<unknown>): void {
  const session = sessionSignal()
  const put: Put = (fill) =>
    inStores('readwrite', (records, sources) => {
      if (!session.aborted) fill(records, sources)
      return undefined
    })
  write(async () => session.aborted || work(put))
}

let writing: Promise<unknown> = Promise.resolve()

/** One after the other, and without a word when the browser refuses: a full disk must not stop an upload. */
function write(work: () => Promise<unknown>): void {
  writing = writing.then(work).catch(() => {})
}
