import { nameOf, parentOf as parentText } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import type { KeepStores, TellEffects } from '../keeping.ts'
import { foldersAbove, isDraftName, parentOf, type VirtualPath } from '../path.ts'
import { type Entry, LinkInTheWay } from '../port.ts'
import { isStoreName } from '../store-names.ts'
import type { DraftRecord, DraftRecords, RemoteFiles } from './files.ts'
import { type NameLocks, nameLocks } from './name-locks.ts'

/** A server elsewhere with what the storage needs beside it. All paths in this folder begin at the root of the mount. */
export interface Remote {
  readonly files: RemoteFiles
  readonly records: RemoteRecords
  readonly locks: NameLocks
  /** How many are about to make something in a folder, by its path: it is not taken away from under them. */
  readonly held: Map<VirtualPath, number>
  /** How many drafts are open. */
  readonly open: { drafts: number }
  /** The stores that were seen or made. */
  readonly knownStores: Set<string>
  readonly stores: () => KeepStores
  readonly tell: TellEffects | undefined
  /** From so many bytes on a client may fetch a file from the server by itself. */
  readonly direct?: number | undefined
}

/** Rows of two kinds: drafts of the adapter, and transfers that are remembered until they are unstaged. */
export interface RemoteRecords {
  readonly drafts: DraftRecords
  readonly transfers: DraftRecords
  /** For the one step in which a file gets a name, where the server does not look by itself: on all nodes. */
  lockName(path: VirtualPath): Promise<() => void>
  /** Drafts that no living node has open, also those of which nothing was saved. */
  abandoned(): Promise<readonly DraftRecord[]>
}

export type RemoteParts = Pick<Remote, 'files' | 'records' | 'stores' | 'tell' | 'direct'>

export const remoteOf = (parts: RemoteParts): Remote => ({
  ...parts,
  locks: nameLocks(),
  held: new Map(),
  open: { drafts: 0 },
  knownStores: new Set(),
})

/** So many calls to a server are under way for one verb. */
export const mostAtOnce = 16

/** What has the name, or nothing; a symlink above it is in the way. */
export async function look(remote: Remote, path: VirtualPath): Promise<Entry | undefined> {
  if (!remote.files.abilities.symlinks) return remote.files.stat(path)
  const [there] = await Promise.all([remote.files.stat(path), requireNoLinkAbove(remote, path)])
  return there
}

/** Servers follow symlinks on the way to a name; so each folder above it is looked at. */
async function requireNoLinkAbove({ files }: Remote, path: VirtualPath): Promise<void> {
  const entries = await Promise.all(foldersAbove(path).map((folder) => files.stat(folder)))
  if (entries.some((entry) => entry?.kind === 'link')) throw new LinkInTheWay()
}

/** Where symlinks are not followed, one is nothing that could be opened or gone through. */
export const inTheWay = ({ files }: Remote): Error =>
  files.abilities.symlinks ? new LinkInTheWay() : new Failure('invalid', 'symlinks of this server are not followed')

export async function lookAt(remote: Remote, path: VirtualPath): Promise<Entry> {
  return (await look(remote, path)) ?? notFound()
}

export async function lookAtFolder(remote: Remote, path: VirtualPath): Promise<Entry> {
  const entry = await lookAt(remote, path)
  if (entry.kind === 'link') throw inTheWay(remote)
  return entry.kind === 'folder' ? entry : notFound('Part of the path is a file, not a folder')
}

export async function lookAtFile(remote: Remote, path: VirtualPath): Promise<Entry> {
  const entry = await lookAt(remote, path)
  if (entry.kind === 'link') throw inTheWay(remote)
  if (entry.kind !== 'file') throw new Failure('invalid', 'this is not a regular file')
  return entry
}

/** Names of the product's own. */
export const isHidden = (name: string): boolean => isDraftName(name) || isStoreName(name)

/** The entries of a folder, those of the product's own too. */
export async function allIn({ files }: Remote, folder: VirtualPath): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const page of files.list(folder)) for (const entry of page) entries.push(entry)
  return entries
}

export interface Parents {
  /** Takes away those that were made, unless something is in them by now. */
  undo(): Promise<void>
  /** Others may take them away from now on, if they are empty. */
  release(): void
}

/** Makes the missing folders above a path, but none above `base`, which must be there. */
export async function makeParents(
  remote: Remote,
  path: VirtualPath,
  base: VirtualPath,
  made: (folder: VirtualPath) => void = () => {},
): Promise<Parents> {
  const { files, held } = remote
  const missing: VirtualPath[] = []
  let folder = parentOf(path)
  for (; ; folder = parentOf(folder)) {
    if (folder === '/') break
    const entry = await (missing.length === 0 ? look(remote, folder) : files.stat(folder))
    if (entry?.kind === 'folder') break
    if (entry?.kind === 'link') throw inTheWay(remote)
    if (entry !== undefined) notFound('Part of the path is a file, not a folder')
    if (folder === base) notFound()
    missing.unshift(folder)
  }
  const [above, own]: [VirtualPath[], VirtualPath[]] = [[folder], []]
  for (const each of missing) above.push(each)
  for (const each of above) held.set(each, (held.get(each) ?? 0) + 1)
  let isHeld = true
  const release = () => {
    for (const each of isHeld ? above : []) {
      const others = (held.get(each) ?? 0) - 1
      if (others > 0) held.set(each, others)
      else held.delete(each)
    }
    isHeld = false
  }
  const undo = async () => {
    release()
    // One that was filled by now stays; the failure that led here says more than this one.
    for (const each of own.toReversed()) if (!held.has(each)) await files.removeFolder(each).catch(() => {})
  }
  try {
    for (const each of missing) {
      own.push(each)
      await files.createFolder(each)
      made(each)
    }
  } catch (error) {
    await undo()
    throw error
  }
  return { undo, release }
}

/** Parents that were made for work which fails are taken away again. */
export async function withParents<T>(
  remote: Remote,
  path: VirtualPath,
  base: VirtualPath,
  made: ((folder: VirtualPath) => void) | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const parents = await makeParents(remote, path, base, made)
  try {
    const result = await work()
    parents.release()
    return result
  } catch (error) {
    await parents.undo()
    throw error
  }
}

export function notFound(message = 'There is no such file or folder'): never {
  throw new Failure('not-found', message)
}

export function requireNotRoot(path: string): void {
  if (path === '/') throw new Failure('forbidden', 'The root folder itself cannot be changed')
}

/** What other servers and file systems take, too. */
export function requireShortNames(path: VirtualPath): void {
  for (let rest: string = path; rest !== '/'; rest = parentText(rest))
    if (Buffer.byteLength(nameOf(rest)) > longestName) throw new Failure('invalid', 'the name is too long')
}

const longestName = 255
