import { hasRight, nameOf } from '@filestead/contract'
import { readAhead, type TreeLevel } from '../access/read-ahead.ts'
import { byName, type Scope } from '../access/scope.ts'
import { isFailure } from '../failure.ts'
import { readable } from '../storage/exact-names.ts'
import { inFolder, parentOf, type VirtualPath } from '../storage/path.ts'
import type { Entry, Hold } from '../storage/port.ts'
import type { LeftOut } from './left-out.ts'
import type { Selection } from './selection.ts'
import { stoppable } from './stream.ts'

/** A file or folder on its way into an archive. */
export interface Member {
  readonly path: VirtualPath
  /** Its name in the archive; that of a folder ends with a slash. */
  readonly name: string
  readonly entry: Entry
  /** Its content, where that is no file of the storage. */
  readonly text?: Uint8Array
}

interface MembersOptions {
  /** What may not be read by this actor, or is gone, is noted as left out like what the server cannot read. */
  readonly tellsWithheld?: boolean
}

/** A folder on the way. */
interface Folder {
  readonly path: VirtualPath
  readonly entry: Entry
  readonly ancestors: Ancestors | undefined
  readonly isThroughSymlink: boolean
}

/** One that has been read. */
interface Level extends TreeLevel<Folder> {
  readonly folder: Folder
  readonly entries: readonly Entry[]
  /** Where to go on when the walk comes back from below. */
  next: number
}

/** The folders above an entry, the nearest first. */
interface Ancestors {
  readonly folder: string | undefined
  readonly above: Ancestors | undefined
}

/** So many members are handed on at once, at the most: to hand on each by itself takes longer than to pack a small file. */
const longestRun = 256

/**
 * Everything selected and everything below it, folders before what they hold, in the order of names, in runs. Pipes,
 * devices, dangling symlinks and hidden entries are left out; what the server cannot read is noted as left out.
 */
export async function* membersOf(
  scope: Scope,
  selection: Selection,
  leftOut: LeftOut,
  signal?: AbortSignal,
  { tellsWithheld = false }: MembersOptions = {},
): AsyncGenerator<readonly Member[]> {
  const prefix = prefixOf(selection)
  const walk: Walk = { prefix, common: selection.common, entered: new Set(), leftOut, signal, tellsWithheld }
  let run: Member[] = []
  // There may be a hundred thousand names, and no entry with any of them.
  for await (const path of stoppable(selection.paths, signal)) {
    const entry = await ifAvailable(() => entryOf(scope, path))
    if (entry === undefined && tellsWithheld) leftOut.add(nameBelow(walk.prefix, path))
    if (entry?.kind === 'file') run.push({ path, name: nameBelow(walk.prefix, path), entry })
    if (run.length >= longestRun || (entry?.kind === 'folder' && run.length > 0)) {
      yield run
      run = []
    }
    if (entry?.kind !== 'folder') continue
    const ancestors = await ancestorsOf(scope, path)
    yield* membersBelow(scope, { path, entry, ancestors, isThroughSymlink: entry.isLink }, walk)
  }
  if (run.length > 0) yield run
}

interface Walk {
  readonly prefix: (path: VirtualPath) => string
  /** Is no member itself. */
  readonly common: VirtualPath
  /** Folders behind symlinks, by their ids. */
  readonly entered: Set<string>
  readonly leftOut: LeftOut
  readonly signal: AbortSignal | undefined
  readonly tellsWithheld: boolean
}

async function* membersBelow(
  scope: Scope,
  top: Folder,
  { prefix, common, entered, leftOut, signal, tellsWithheld }: Walk,
): AsyncGenerator<Member[]> {
  const read = async (folder: Folder, hold?: Hold): Promise<Level> => {
    const listing = await scope.list(folder.path, signal, { isOnce: true, hold, right: 'download' })
    const entries = byName(listing.entries)
    if (tellsWithheld)
      for (const { name, exact, kind } of await withheldIn(scope, folder.path, entries, signal))
        leftOut.add(nameBelow(prefix, inFolder(folder.path, exact ?? name)) + (kind === 'folder' ? '/' : ''))
    return { folder, entries, next: 0, folders: foldersToRead(folder, entries) }
  }
  let run: Member[] = []
  const note = ({ path, entry }: Folder) => {
    if (path !== common) run.push({ path, name: `${nameBelow(prefix, path)}/`, entry })
  }

  if (!mayEnter(top, entered)) return
  const first = await ifAvailable(() => read(top))
  if (first === undefined) return leftOut.add(`${nameBelow(prefix, top.path)}/`)
  note(top)
  const tree = readAhead(first, read)
  const levels = [first]
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const entry = level.entries[level.next]
    level.next += 1
    if (entry === undefined) {
      levels.pop()
      if (!level.folder.isThroughSymlink) tree.leave()
      continue
    }
    if (entry.kind === 'file') {
      const path = inFolder(level.folder.path, entry.exact ?? entry.name)
      run.push({ path, name: nameBelow(prefix, path), entry })
    }
    const folder = entry.kind === 'folder' ? folderIn(level.folder, entry) : undefined
    const isEntered = folder !== undefined && mayEnter(folder, entered)
    // A folder may take long to read, and what was found before it can be packed meanwhile.
    if (run.length >= longestRun || (isEntered && run.length > 0)) {
      yield run
      run = []
    }
    if (!isEntered) continue
    const below = await ifAvailable(() => (folder.isThroughSymlink ? read(folder) : tree.enter()))
    if (below === undefined) leftOut.add(`${nameBelow(prefix, folder.path)}/`)
    else {
      note(folder)
      levels.push(below)
    }
  }
  if (run.length > 0) yield run
}

/** Files and folders in a folder that are seen and may not be downloaded. */
async function withheldIn(
  scope: Scope,
  folder: VirtualPath,
  given: readonly Entry[],
  signal?: AbortSignal,
): Promise<Entry[]> {
  const grants = scope.rightsIn(folder)
  if (grants === undefined || (!grants.varies && hasRight(grants.rights, 'download'))) return []
  const { entries } = await scope.list(folder, signal, { isOnce: true })
  const shown = new Set(given.map(({ exact, name }) => exact ?? name))
  return entries.filter(({ name, exact, kind }) => (kind === 'file' || kind === 'folder') && !shown.has(exact ?? name))
}

/** Those that are entered in any case. Whether one behind a symlink is depends on what was entered before. */
function* foldersToRead(above: Folder, entries: readonly Entry[]): Generator<Folder> {
  for (const entry of entries) {
    const folder = entry.kind === 'folder' ? folderIn(above, entry) : undefined
    if (folder !== undefined && !folder.isThroughSymlink) yield folder
  }
}

const folderIn = (above: Folder, entry: Entry): Folder => ({
  path: inFolder(above.path, entry.exact ?? entry.name),
  entry,
  ancestors: { folder: above.entry.id, above: above.ancestors },
  isThroughSymlink: above.isThroughSymlink || entry.isLink,
})

/** Two symlinks to the folder that holds them would make 2^40 folders of it: behind symlinks, each is entered once. */
function mayEnter({ entry, ancestors, isThroughSymlink }: Folder, entered: Set<string>): boolean {
  const { id } = entry
  // A storage that gives its folders no ids has no symlinks.
  if (!isThroughSymlink || id === undefined) return true
  for (let at = ancestors; at !== undefined; at = at.above) if (at.folder === id) return false
  return !entered.has(id) && entered.add(id) !== undefined
}

/** A symlink back to a folder above the selection is a cycle too. */
async function ancestorsOf(scope: Scope, path: VirtualPath): Promise<Ancestors | undefined> {
  if (path === '/') return undefined
  const folder = parentOf(path)
  const above = await ancestorsOf(scope, folder)
  const entry = await ifAvailable(() => scope.stat(folder))
  return entry === undefined ? above : { folder: entry.id, above }
}

/** A symlink to a file is packed as that file, with its times. */
async function entryOf(scope: Scope, path: VirtualPath): Promise<Entry> {
  const entry = await scope.stat(path)
  if (!entry.isLink || entry.kind !== 'file') return entry
  const file = await scope.open(path)
  file.close()
  return file.entry.with({ name: entry.name, isLink: true })
}

/** A single file is called by its name; of a folder, only what lies below it counts. */
function prefixOf({ paths: [first], common }: Selection): (path: VirtualPath) => string {
  const length = common === '/' ? 1 : common.length + 1
  return (path) => (path === common && path === first ? nameOf(path) : path.slice(length))
}

/** On systems where '\' separates folders, '..\evil' would be unpacked outside of the target folder. */
const nameBelow = (prefix: (path: VirtualPath) => string, path: VirtualPath): string =>
  readable(prefix(path)).replaceAll('\\', '_')

async function ifAvailable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isUnavailable(error)) return undefined
    throw error
  }
}

/** Hidden, denied, unreadable, or gone since it was listed. */
export const isUnavailable = (error: unknown): boolean => isFailure(error, 'forbidden', 'not-found', 'invalid')
