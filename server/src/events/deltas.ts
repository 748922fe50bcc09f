import type { FolderChanged } from '@filestead/contract'
import { type Scope, seenPath } from '../access/scope.ts'
import { formatTime } from '../entries/times.ts'
import { Failure } from '../failure.ts'
import { namedEntries } from '../files/named-entries.ts'
import type { Location } from '../mounts/location.ts'
import { checkedPath, inFolder, type VirtualPath } from '../storage/path.ts'

/** Names of a folder that are not as they were: true for those that were taken away. */
export type DirtyNames = ReadonlyMap<string, boolean>

/** More names than that are listed again. */
export const mostNames = 500

export interface Dirty {
  readonly names: DirtyNames
  readonly isStale: boolean
  /** Names that only lead to changes further below, with these: nothing is told of them to accounts that see none of those. */
  readonly leading?: ReadonlyMap<string, readonly Location[]> | undefined
}

/**
 * What an account is told about a folder: its entries as they are now, through its scope. A name is `gone` only if it was
 * taken away and could be seen if it were there. Undefined where there is nothing to tell; `stale` where it has to be
 * listed again; `lost` where the account does not see the folder any more.
 */
export async function eventFor(
  scope: Scope,
  folder: VirtualPath,
  { location, dirty, detectByContent }: { location: Location; dirty: Dirty; detectByContent: boolean },
): Promise<FolderChanged | 'stale' | 'lost' | undefined> {
  try {
    const place = await placeOf(scope, folder)
    if (place === undefined) return 'lost'
    if (dirty.isStale || dirty.names.size > mostNames || !place.includes(location)) return 'stale'
    const isSeen = (name: string) =>
      dirty.leading?.get(name)?.some((place) => seenPath(scope.view, place) !== undefined) ?? true
    const names = [...dirty.names.keys()].filter((name) => isName(name) && isSeen(name))
    const put = await namedEntries(scope, folder, names, { detectByContent, signal: never })
    const there = new Set(put.map(({ name }) => name))
    const gone: string[] = []
    for (const name of names)
      if (!there.has(name) && dirty.names.get(name) && (await isMissing(scope, inFolder(folder, name)))) gone.push(name)
    if (put.length + gone.length === 0) return undefined
    const modified = await modifiedAt(scope, folder)
    return { folder, put, gone, ...(modified !== undefined && { modified }) }
  } catch (error) {
    // A disk that does not answer, or a folder that is gone: the client finds out when it lists it.
    if (error instanceof Failure) return error.code === 'forbidden' ? 'lost' : 'stale'
    throw error
  }
}

/** Where a folder lies: as its path says, and where symlinks lead. Undefined where it is hidden, or is the top of several mounts. */
export async function placeOf(scope: Scope, folder: VirtualPath): Promise<readonly Location[] | undefined> {
  try {
    const real = await scope.resolve(folder)
    return [...new Set([scope.locate(real), scope.locate(folder)])]
  } catch (error) {
    if (error instanceof Failure && error.code !== 'unavailable') return undefined
    throw error
  }
}

/** When a folder was last modified, as its listing tells it. */
export async function modifiedAt(scope: Scope, folder: VirtualPath): Promise<string | undefined> {
  const { isLink, seconds, nanoseconds } = await scope.stat(folder)
  return isLink ? undefined : formatTime(seconds, nanoseconds)
}

/** Is there nothing under a name that may be seen? A name that is hidden is refused before anything is looked up. */
async function isMissing(scope: Scope, path: VirtualPath): Promise<boolean> {
  try {
    await scope.stat(path)
    return false
  } catch (error) {
    return error instanceof Failure && error.code === 'not-found'
  }
}

/** The names of drafts are no names. */
function isName(name: string): boolean {
  try {
    return checkedPath(name) === `/${name}`
  } catch {
    return false
  }
}

const never = { throwIfAborted() {} }
