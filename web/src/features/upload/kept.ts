import { currentSession } from '../../api/session.ts'
import { noteKept } from './kept-flag.ts'
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
  let bytes = 0
  let files = 0
  for (let start = 0; start < jobs.length; start += chunk) {
    const some = jobs.slice(start, start + chunk)
    write(async () => {
      const live = some.filter(({ id }) => !over.has(id))
      const handles = await Promise.all(live.map(({ handle }) => handle))
      await inStores('readwrite', (records, sources) => {
        for (const [index, job] of live.entries()) {
          records.put(toKept(job, userId))
          const handle = handles[index] ?? null
          const isCopied = handle === null && files < mostFiles && bytes + job.size <= mostBytes
          if (handle !== null) sources.put(handle, job.id)
          else if (isCopied) sources.put(job.file, job.id)
          if (!isCopied) continue
          files += 1
          bytes += job.size
        }
      })
    })
  }
}

/** Takes over what another page has left behind; its files are kept already. */
export const adopt = (records: readonly Kept[]): void =>
  write(() =>
    inStores('readwrite', (store) => {
      for (const record of records) store.put({ ...record, page: ownPage })
    }),
  )

export const keepUrl = (job: FileJob, url: string): void =>
  write(async () => {
    const userId = currentSession()?.user.id
    if (userId === undefined || over.has(job.id)) return
    await inStores('readwrite', (records) => records.put(toKept({ ...job, url }, userId)))
  })

/** Ids that have come to their end, of which some may not have been written down yet. */
const over = new Set<string>()
let toForget: string[] = []

/** Many small files end within a second: they are struck off together. */
export function forget(...ids: readonly string[]): void {
  if (toForget.length === 0) setTimeout(strikeOff, 300)
  toForget.push(...ids)
  for (const id of ids) over.add(id)
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
    if (left === 0) noteKept(false)
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

export const readSource = async (id: string): Promise<Source | null> =>
  (await inStores('readonly', (_, sources) => sources.get(id))) ?? null

const toKept = ({ id, path, name, into, size, override, url, file }: FileJob, userId: number): Kept => ({
  id,
  path,
  name,
  into,
  size,
  override,
  url,
  page: ownPage,
  userId,
  modified: file.lastModified,
})

let writing: Promise<unknown> = Promise.resolve()

/** One after the other, and without a word when the browser refuses: a full disk must not stop an upload. */
function write(work: () => Promise<unknown>): void {
  writing = writing.then(work).catch(() => {})
}

let database: Promise<IDBDatabase> | null = null

function open(): Promise<IDBDatabase> {
  database ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('filestead-uploads', 1)
    request.onupgradeneeded = () => {
      request.result.createObjectStore('records', { keyPath: 'id' })
      request.result.createObjectStore('sources')
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  return database
}

/** Answers the result of the request that `work` returns, once everything is written. */
async function inStores<Result>(
  mode: IDBTransactionMode,
  work: (records: IDBObjectStore, sources: IDBObjectStore) => IDBRequest<Result> | undefined,
): Promise<Result | undefined> {
  const transaction = (await open()).transaction(['records', 'sources'], mode)
  const request = work(transaction.objectStore('records'), transaction.objectStore('sources'))
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request?.result)
    transaction.onerror = () => reject(transaction.error)
    transaction.onabort = () => reject(transaction.error)
  })
}
