import { nameOf, parentOf } from '@filestead/contract'
import { perSession } from '../../state/session-scope.ts'
import { cache } from '../queries/cache.ts'
import { folderOrder } from '../queries/folder-order.ts'
import { type Entry, type Folder, isFolder, resourceKey } from '../queries/resources.ts'

/** What changed in a folder: an entry is there now (new, or as it is by now), or it is gone. */
export type Delta = { kind: 'put'; entry: Entry } | { kind: 'gone'; path: string }

export const pathOf = (delta: Delta): string => (delta.kind === 'put' ? delta.entry.path : delta.path)

/** The changes of each folder. Of several changes of one path the last one counts. */
export const deltasByFolder = (deltas: readonly Delta[]): Map<string, Delta[]> =>
  Map.groupBy(new Map(deltas.map((delta) => [pathOf(delta), delta])).values(), (delta) => parentOf(pathOf(delta)))

/** The folder after the changes. A listing of 100,000 entries is copied once, however many of them there are. */
export function patched<F extends Folder>(folder: F, deltas: readonly Delta[]): F {
  const last = new Map(deltas.map((delta) => [nameOf(pathOf(delta)), delta]))
  const put = [...last.values()].flatMap((delta) => (delta.kind === 'put' ? delta.entry : []))
  const kept = folder.items.filter(({ name }) => !last.has(name))
  const order = folderOrder(folder.sorting)
  const items = merged(kept, put.sort(order), order)
  const numDirs = items.reduce((count, { isDir }) => count + Number(isDir), 0)
  // What is shown is no longer what the server sent: without a version the folder is read again as a whole.
  return { ...folder, items, numDirs, numFiles: items.length - numDirs, version: undefined }
}

/** `few` are put where they belong among `many`, both in order. */
function merged(many: readonly Entry[], few: readonly Entry[], order: (a: Entry, b: Entry) => number): Entry[] {
  const items: Entry[] = []
  let copied = 0
  for (const entry of few) {
    const at = indexFor(entry, many, copied, order)
    for (; copied < at; copied += 1) items.push(many[copied] as Entry)
    items.push(entry)
  }
  for (; copied < many.length; copied += 1) items.push(many[copied] as Entry)
  return items
}

function indexFor(entry: Entry, many: readonly Entry[], from: number, order: (a: Entry, b: Entry) => number): number {
  let [low, high] = [from, many.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (order(many[middle] as Entry, entry) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The listing of a folder, where the cache has one. */
export function knownListing(folder: string): Folder | undefined {
  const known = cache().getQueryData<Entry | Folder>(resourceKey(folder))
  return known !== undefined && isFolder(known) ? known : undefined
}

/** A list that is no folder's, such as the results of a search. Answers the deltas that bring back what it showed. */
export type PatchList = (deltas: readonly Delta[]) => readonly Delta[]

/** Lists that are told of every change. */
export const otherLists = perSession(() => new Set<PatchList>())

/**
 * Changes the listings that are known, at once. What is not known is read when it is looked at. Answers the deltas that
 * bring back what the listings showed before.
 */
export function patchListings(deltas: readonly Delta[]): Delta[] {
  const reverse: Delta[] = []
  for (const [folder, own] of deltasByFolder(deltas)) {
    const listing = knownListing(folder)
    if (listing === undefined) continue
    const before = entriesAt(new Set(own.map(pathOf)), listing)
    const changes = own.filter((delta) => !isShown(delta, before.get(pathOf(delta))))
    for (const delta of changes) {
      const entry = before.get(pathOf(delta))
      reverse.push(entry === undefined ? { kind: 'gone', path: pathOf(delta) } : { kind: 'put', entry })
    }
    if (changes.length > 0) cache().setQueryData(resourceKey(folder), patched(listing, changes))
  }
  return [...otherLists()].reduce((all, patch) => all.concat(patch(deltas)), reverse)
}

/** In a loop: of 100,000 entries a few are looked for. */
function entriesAt(paths: ReadonlySet<string>, { items }: Folder): Map<string, Entry> {
  const found = new Map<string, Entry>()
  for (const entry of items) if (paths.has(entry.path)) found.set(entry.path, entry)
  return found
}

/** A listing that shows the change already is not copied and drawn again. */
function isShown(delta: Delta, shown: Entry | undefined): boolean {
  if (delta.kind === 'gone') return shown === undefined
  return shown !== undefined && JSON.stringify(shown) === JSON.stringify(delta.entry)
}

/** The server has made these changes: listings show them, and what was read of entries that are gone is forgotten. */
export function applyDeltas(deltas: readonly Delta[]): void {
  patchListings(deltas)
  refreshTrees(deltas)
  for (const delta of deltas) if (delta.kind === 'gone') cache().removeQueries({ queryKey: resourceKey(delta.path) })
}

/** What own changes are about that show already and that the server has not answered yet, and what it told meanwhile. */
const underWay = perSession(() => ({ holds: new Map<string, number>(), told: new Map<string, Delta>() }))

/**
 * What the server tells about these paths by itself waits until the hold is released: an own change shows already, and the
 * event of an earlier one must not take it back for a moment. Answers how to release it.
 */
export function holdPaths(paths: Iterable<string>): () => void {
  const { holds, told } = underWay()
  const own = new Set(paths)
  for (const path of own) holds.set(path, (holds.get(path) ?? 0) + 1)
  let isReleased = false
  return () => {
    if (isReleased) return
    isReleased = true
    const waiting: Delta[] = []
    for (const path of own) {
      const left = (holds.get(path) ?? 1) - 1
      if (left > 0) {
        holds.set(path, left)
        continue
      }
      holds.delete(path)
      const delta = told.get(path)
      told.delete(path)
      if (delta !== undefined) waiting.push(delta)
    }
    // Of a session that has ended meanwhile nothing is shown.
    if (underWay().holds === holds) applyTold(waiting)
  }
}

/**
 * A listing that was asked for before an own change may arrive without it: the change is shown again, before anything is drawn,
 * so that its row keeps focus and selection. Answers how to end that.
 */
export function keepShown(deltas: readonly Delta[]): () => void {
  const folders = deltasByFolder(deltas)
  return cache()
    .getQueryCache()
    .subscribe((event) => {
      const hasArrived = event.type === 'updated' && event.action.type === 'success' && !event.action.manual
      const [kind, path] = event.query.queryKey
      if (hasArrived && kind === 'resource' && folders.has(String(path))) patchListings(deltas)
    })
}

/** Entries as the server told them by itself. */
const toldEntries = perSession(() => new WeakSet<Entry>())

/** Without what is only expected of entries that the server has told of already: it knows their times and types. */
export function unlessTold(deltas: readonly Delta[]): Delta[] {
  const told = new Set<string>()
  for (const [folder, own] of deltasByFolder(deltas)) {
    const listing = knownListing(folder)
    const shown = listing === undefined ? [] : entriesAt(new Set(own.map(pathOf)), listing).values()
    for (const entry of shown) if (toldEntries().has(entry)) told.add(entry.path)
  }
  return deltas.filter((delta) => delta.kind === 'gone' || !told.has(delta.entry.path))
}

/**
 * The server tells of the changes of all accounts and programs: listings show them. What is in view stays in view, also where its
 * file is gone: an editor holds a text that may not be saved yet.
 */
export function applyTold(deltas: readonly Delta[]): void {
  if (deltas.length === 0) return
  const { holds, told } = underWay()
  const free: Delta[] = []
  for (const delta of deltas) {
    if (holds.has(pathOf(delta))) told.set(pathOf(delta), delta)
    else free.push(delta)
  }
  for (const delta of free) if (delta.kind === 'put') toldEntries().add(delta.entry)
  patchListings(free)
  for (const delta of free)
    if (delta.kind === 'gone') cache().removeQueries({ queryKey: resourceKey(delta.path), type: 'inactive' })
}

/**
 * A tree follows the listings that are known; of other folders it reads the names again. Favourites may have moved along
 * with what is gone.
 */
function refreshTrees(deltas: readonly Delta[]): void {
  const unlisted = [...deltasByFolder(deltas).keys()].filter((folder) => knownListing(folder) === undefined)
  const hasGone = deltas.some(({ kind }) => kind === 'gone')
  void cache().invalidateQueries({
    predicate: ({ queryKey: [kind, path] }) =>
      kind === 'favourites' ? hasGone : kind === 'folders' && unlisted.includes(String(path)),
  })
}
