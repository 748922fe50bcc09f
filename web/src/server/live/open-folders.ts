import { mostOpenFolders } from '@filestead/contract'
import type { Query } from '@tanstack/react-query'
import { cache } from '../queries/cache.ts'
import type { Entry } from '../queries/resources.ts'

/** The folders that a tab shows. */
export interface OpenFolders {
  /** Whose entries are listed. */
  readonly listings: readonly string[]
  /** Whose folders are shown in a tree. */
  readonly trees: readonly string[]
}

export const noFolders: OpenFolders = { listings: [], trees: [] }

/** What is shown is what components ask the cache for: no screen has to tell. */
export function openFolders(): OpenFolders {
  const queries = cache().getQueryCache()
  const pathsOf = (kind: string, isOpen: (query: Query) => boolean) =>
    queries
      .findAll({ queryKey: [kind], type: 'active', predicate: isOpen })
      .map(({ queryKey }) => String(queryKey[1]))
      .toSorted()
  return {
    listings: pathsOf('resource', ({ state }) => (state.data as Entry | undefined)?.isDir === true),
    trees: pathsOf('folders', ({ state }) => state.data !== undefined),
  }
}

/** Calls the listener when other folders are shown, until the signal is aborted. */
export function watchOpenFolders(signal: AbortSignal, onChange: (folders: OpenFolders) => void): void {
  let told = ''
  let isWaiting = false
  function tell() {
    isWaiting = false
    if (signal.aborted) return
    const folders = openFolders()
    const text = JSON.stringify(folders)
    if (text === told) return
    told = text
    onChange(folders)
  }
  /** Once for all that happens in one go: a screen that opens asks many questions. */
  function tellSoon() {
    if (!isWaiting) setTimeout(tell)
    isWaiting = true
  }
  tellSoon()
  signal.addEventListener('abort', cache().getQueryCache().subscribe(tellSoon))
}

/** The length of an address that every proxy takes, less what is not folders. */
const longestQuery = 6000

/** As many as one connection may name. The listings of all tabs come first: a tree shows little of what changes. */
export function foldersToFollow(tabs: Iterable<OpenFolders>): string[] {
  const all = [...tabs]
  const wanted = new Set([...all.flatMap(({ listings }) => listings), ...all.flatMap(({ trees }) => trees)])
  let length = 0
  const fitting = [...wanted].slice(0, mostOpenFolders).filter((folder) => {
    length += encodeURIComponent(folder).length + '&folder='.length
    return length <= longestQuery
  })
  // In one order, so that the same folders are the same question.
  return fitting.sort()
}
