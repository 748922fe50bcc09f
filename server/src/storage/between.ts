import { Failure, isFailure } from '../failure.ts'
import type { Entry } from './entry.ts'
import { inFolder, type VirtualPath } from './path.ts'
import { type Content, LinkInTheWay, type Storage, type TransferOptions } from './port.ts'

/** A path in one storage and the path in another one where it shall be copied or moved to. */
export interface Ends {
  readonly from: Storage
  readonly source: VirtualPath
  readonly to: Storage
  readonly target: VirtualPath
}

/**
 * A copy between two storages. Each file appears whole, by a write, and keeps its time to the millisecond; a folder is
 * visible while it fills, because not every storage could rename a hidden one in a single step. Symlinks and special files in a folder are left out: the
 * port cannot make any. A copy that fails takes away what it has made, but what it has replaced stays replaced.
 */
export async function copyBetween(ends: Ends, options: TransferOptions): Promise<void> {
  await copied(ends, options, { leavesOut: true })
}

/**
 * The same, and then the originals go: each file only if its copy is still there as it was written and the original is
 * still the version that was copied, each folder only once it is empty. What was written meanwhile stays where it is.
 */
export async function moveBetween(ends: Ends, options: TransferOptions): Promise<void> {
  const { from, to } = ends
  const { files, folders } = await copied(ends, options, { leavesOut: false })
  for (const { source, version, target, copy } of files) {
    options.signal?.throwIfAborted()
    const there = await to.stat(target)
    if (there.version !== copy.version || there.size !== copy.size)
      throw new Failure('changed-meanwhile', 'The copy was changed before the original could be removed')
    await unlessChanged(from.remove(source, { only: { version } }))
  }
  for (const folder of folders.toReversed()) await unlessChanged(from.remove(folder, { only: 'empty' }))
}

interface CopiedFile {
  readonly source: VirtualPath
  readonly version: string
  readonly target: VirtualPath
  readonly copy: Entry
}

interface Copied {
  readonly files: CopiedFile[]
  /** Of the source, outer ones first. */
  readonly folders: VirtualPath[]
}

interface Step {
  readonly source: VirtualPath
  readonly target: VirtualPath
  readonly isFolder: boolean
  readonly isTaken: boolean
}

async function copied(ends: Ends, { replace, signal }: TransferOptions, { leavesOut }: { leavesOut: boolean }) {
  const { from, to } = ends
  const steps = await plan(ends, replace, leavesOut, signal)
  const done: Copied = { files: [], folders: [] }
  const made: (() => Promise<void>)[] = []
  try {
    for (const { source, target, isFolder, isTaken } of steps) {
      signal?.throwIfAborted()
      if (isFolder) {
        if (!isTaken) made.push(() => to.remove(target, { only: 'empty' }))
        await to.createFolder(target)
        done.folders.push(source)
      } else {
        const file = await copyFile(from, source, to, target, replace, signal)
        if (!isTaken) made.push(() => to.remove(target, { only: { version: file.copy.version } }))
        done.files.push(file)
      }
    }
    return done
  } catch (error) {
    // What cannot be taken away, because something else is in it by now, stays.
    for (const undo of made.toReversed()) await undo().catch(() => {})
    throw error
  }
}

/** All that is to be done, outer folders first, refused as a whole before anything is changed. */
async function plan(
  { from, source, to, target }: Ends,
  replace: boolean,
  leavesOut: boolean,
  signal: TransferOptions['signal'],
): Promise<Step[]> {
  if (source === '/' || target === '/') throw new Failure('forbidden', 'The root folder itself cannot be changed')
  signal?.throwIfAborted()
  const top = await from.stat(source)
  if (top.isLink) throw new LinkInTheWay()
  if (top.kind !== 'file' && top.kind !== 'folder') throw new Failure('invalid', 'this is not a regular file')
  const steps: Step[] = []
  const waiting = [{ entry: top, source, target, mayBeTaken: true }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    signal?.throwIfAborted()
    const { entry, source, target } = next
    if (entry.kind !== 'file' && entry.kind !== 'folder') {
      if (leavesOut) continue
      throw new Failure('forbidden', 'A symlink, pipe, socket or device cannot be moved to another storage')
    }
    const there = next.mayBeTaken ? await entryAt(to, target) : undefined
    const isFolder = entry.kind === 'folder'
    if (there !== undefined && !replace) throw new Failure('already-exists', 'This name is taken')
    if (there !== undefined && isFolder !== (there.kind === 'folder'))
      throw new Failure('already-exists', 'A file and a folder cannot replace each other')
    steps.push({ source, target, isFolder, isTaken: there !== undefined })
    if (!isFolder) continue
    for (const below of (await from.list(source, signal)).entries)
      waiting.push({
        entry: below,
        source: inFolder(source, below.exact ?? below.name),
        target: inFolder(target, below.exact ?? below.name),
        mayBeTaken: there !== undefined,
      })
  }
  return steps
}

async function copyFile(
  from: Storage,
  source: VirtualPath,
  to: Storage,
  target: VirtualPath,
  replace: boolean,
  signal: TransferOptions['signal'],
): Promise<CopiedFile> {
  const file = await from.open(source)
  try {
    const { size, seconds, nanoseconds, version } = file.entry
    const modified = seconds * 1000 + Math.floor(nanoseconds / 1_000_000)
    const precondition = replace ? 'any' : 'absent'
    const copy = await to.write(target, piecesOf(file.content, size, signal), { precondition, length: size, modified })
    return { source, version, target, copy }
  } finally {
    file.close()
  }
}

const pieceSize = 1 << 20

async function* piecesOf(
  content: Content,
  size: number,
  signal: TransferOptions['signal'],
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += pieceSize) {
    signal?.throwIfAborted()
    yield new Uint8Array(await content.slice(at, Math.min(at + pieceSize, size)).arrayBuffer())
  }
}

async function entryAt(storage: Storage, path: VirtualPath): Promise<Entry | undefined> {
  try {
    return await storage.stat(path)
  } catch (error) {
    if (isFailure(error, 'not-found')) return undefined
    throw error
  }
}

/** What is another version, or holds something by now, stays; what is gone already is fine. */
async function unlessChanged(removal: Promise<void>): Promise<void> {
  try {
    await removal
  } catch (error) {
    const isKept = (['changed-meanwhile', 'already-exists', 'not-found'] as const).some((code) =>
      isFailure(error, code),
    )
    if (!isKept) throw error
  }
}
