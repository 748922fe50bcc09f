import { startSettings } from '../../server/start-settings.ts'
import { note, onPersonLeft } from '../../state/personal-storage.ts'

/** Where a browser keeps uploads under way. One for each instance: several may be served under one host. */
const name = `filestead-uploads${startSettings.BaseURL}`
const flag = `filestead.uploads${startSettings.BaseURL}`

/** May uploads have been left behind? Asked at every start, before anything that could tell for sure is loaded. */
export const hasKept = (): boolean => localStorage.getItem(flag) !== null

export function noteKept(isThere: boolean): void {
  if (isThere) note(localStorage, flag, '1')
  else localStorage.removeItem(flag)
}

// Here, in what every page loads: the next person may never upload anything.
onPersonLeft(async () => {
  if (!hasKept()) return
  await inStores('readwrite', (records, sources) => {
    sources.clear()
    return records.clear()
  })
  noteKept(false)
})

let database: Promise<IDBDatabase> | null = null

function open(): Promise<IDBDatabase> {
  database ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1)
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
export async function inStores<Result>(
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
