import { nameOf } from '@filestead/contract'
import { byName, type Scope } from '../access/scope.ts'
import { isFailure } from '../failure.ts'
import { readable } from '../storage/exact-names.ts'
import { inFolder, parentOf, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
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

interface Waiting {
  readonly path: VirtualPath
  readonly entry: Entry
  readonly ancestors: Ancestors | undefined
  readonly isThroughSymlink: boolean
}

/** The folders above an entry, the nearest first. */
interface Ancestors {
  readonly folder: string | undefined
  readonly above: Ancestors | undefined
}

/**
 * Everything selected and everything below it, folders before what they hold, in the order of names. Pipes, devices,
 * dangling symlinks and hidden entries are left out; what the server cannot read is noted as left out.
 */
export async function* membersOf(
  scope: Scope,
  selection: Selection,
  leftOut: LeftOut,
  signal?: AbortSignal,
): AsyncGenerator<Member> {
  const prefix = prefixOf(selection)
  const entered = new Set<string>()
  // There may be a hundred thousand names, and no entry with any of them.
  for await (const path of stoppable(selection.paths, signal)) {
    const entry = await ifAvailable(() => entryOf(scope, path))
    const ancestors = entry?.kind === 'folder' ? await ancestorsOf(scope, path) : undefined
    const waiting: Waiting[] = entry ? [{ path, entry, ancestors, isThroughSymlink: entry.isLink }] : []
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next.entry.kind === 'file') yield { path: next.path, name: nameBelow(prefix, next.path), entry: next.entry }
      if (next.entry.kind !== 'folder' || !mayEnter(next, entered)) continue
      const { path: folder } = next
      const listing = await ifAvailable(() => scope.list(folder, signal))
      if (listing === undefined) {
        leftOut.add(`${nameBelow(prefix, folder)}/`)
        continue
      }
      if (folder !== selection.common) yield { path: folder, name: `${nameBelow(prefix, folder)}/`, entry: next.entry }
      const ancestors = { folder: next.entry.id, above: next.ancestors }
      for (const entry of byName(listing.entries).reverse())
        waiting.push({
          path: inFolder(folder, entry.exact ?? entry.name),
          entry,
          ancestors,
          isThroughSymlink: next.isThroughSymlink || entry.isLink,
        })
    }
  }
}

/** Two symlinks to the folder that holds them would make 2^40 folders of it: behind symlinks, each is entered once. */
function mayEnter({ entry, ancestors, isThroughSymlink }: Waiting, entered: Set<string>): boolean {
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
export const isUnavailable = (error: unknown): boolean =>
  isFailure(error, 'forbidden') || isFailure(error, 'not-found') || isFailure(error, 'invalid')
