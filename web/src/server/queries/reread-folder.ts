import { encodePath, nameOf, parentOf } from '@filestead/contract'
import { ApiError, call } from '../client.ts'
import { resourcePath } from '../paths.ts'
import { cache } from './cache.ts'
import { type Entry, isFolder, type Listed, listedIn, resourceKey } from './resources.ts'

/** Larger folders have no version, and are not read again in the background: only whether they are there. In entries. */
export const mostReread = 1000

/**
 * Reads a folder in view again, without the person having asked for it. Its listing changes only where the folder did,
 * and not where an own change was shown meanwhile: the answer may be older than that. One that is gone, or no longer the
 * person's to see, is asked for as if it were opened now, so that the screen says so. Answers false where the listing was
 * changed meanwhile.
 */
export async function rereadFolder(path: string, signal: AbortSignal): Promise<boolean> {
  const known = cache().getQueryData<Listed>(resourceKey(path))
  if (known === undefined || !isFolder(known)) return true
  const askAnew = () => void cache().invalidateQueries({ queryKey: resourceKey(path), exact: true })
  if (known.items.length > mostReread) {
    if (!(await isThere(path, signal)) && !signal.aborted) askAnew()
    return true
  }
  const headers: Record<string, string> = known.version === undefined ? {} : { 'If-None-Match': known.version }
  const response = await call('GET', resourcePath(path), { signal, headers, isBackground: true }).catch((error) => {
    const isWithheld = error instanceof ApiError && (error.status === 403 || error.status === 404)
    if (isWithheld && !signal.aborted) askAnew()
    throw error
  })
  if (response.status === 304) return true
  const listed = await listedIn(response)
  const isNewest = cache().getQueryData(resourceKey(path)) === known
  if (isNewest && !signal.aborted) cache().setQueryData(resourceKey(path), listed)
  return isNewest
}

async function isThere(folder: string, signal: AbortSignal): Promise<boolean> {
  if (folder === '/') return true
  const body = { names: [nameOf(folder)] }
  const response = await call('POST', `entries${encodePath(parentOf(folder))}`, { body, signal, isBackground: true })
  const [found]: Entry[] = await response.json()
  return found?.isDir === true
}
