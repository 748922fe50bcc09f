import { numbered } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { publishExtracted, restoreCopy } from '../changes/verbs.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { Failure, isFailure } from '../failure.ts'
import type { Way } from '../jobs/decision.ts'
import { statOrNothing } from '../jobs/items.ts'
import type { Run } from '../jobs/kind.ts'
import { checkedPath, inFolder, rebase, rootPath, type VirtualPath } from '../storage/path.ts'
import type { Entry, FilledEntry } from '../storage/port.ts'
import type { Done } from '../storage/transfer-options.ts'

interface CopyOut extends Way {
  /** Where it is read. */
  readonly past: Scope
  readonly from: VirtualPath
  readonly source: Entry
  /** Under which a folder is filled before it shows. */
  readonly id: string
  readonly progress: (done: Done) => void
}

/** In bytes: a file of more is written piece by piece. */
const smallFile = 256 << 10
const mostPut = 128

/** Writes a copy of an older state. A folder shows when it is whole. Returns the path that it got. */
export function copyOut(run: Run<unknown>, copy: CopyOut): Promise<VirtualPath> {
  if (copy.source.kind === 'folder') return copyFolder(run, copy)
  if (copy.source.kind !== 'file' || copy.source.isLink)
    throw new Failure('invalid', 'Only files and folders can be copied out of the past')
  return copyFile(run, copy)
}

export async function dropCopy(scope: Scope, to: VirtualPath, id: string): Promise<void> {
  for (const inside of [false, true]) await scope.unstage(to, id, { inside })
}

async function copyFile(run: Run<unknown>, { past, from, to, onConflict, progress }: CopyOut): Promise<VirtualPath> {
  for (let attempt = 0; ; attempt += 1) {
    const target = attempt === 0 ? to : checkedPath(numbered(to, attempt))
    const file = await past.open(from)
    try {
      const { entry, content } = file
      const announced = { length: content.size, override: onConflict === 'overwrite', modified: modifiedOf(entry) }
      const pieces = counted(piecesOf(content, run.signal), (bytes) => progress({ files: 0, bytes, current: '' }))
      await restoreCopy(run.changes, await run.scope(), target, announced, pieces)
      return target
    } catch (error) {
      if (!isFailure(error, 'already-exists') || onConflict !== 'rename') throw error
    } finally {
      file.close()
    }
  }
}

async function copyFolder(run: Run<unknown>, copy: CopyOut): Promise<VirtualPath> {
  const { to, taken, id, onConflict } = copy
  const scope = await run.scope()
  const inside = (await statOrNothing(scope, to)) !== undefined
  if (inside && onConflict !== 'overwrite') throw new Failure('already-exists', 'This name is taken')
  await dropCopy(scope, to, id)
  try {
    await fill(run, copy, inside)
    const rule = taken ?? { default: inside ? 'replace' : 'refuse' }
    await publishExtracted(run.changes, await run.scope(), to, {
      id,
      inside,
      taken: rule,
      signal: run.signal,
      isRestored: true,
    })
    await scope.unstage(to, id, { inside })
    return to
  } catch (error) {
    await dropCopy(scope, to, id).catch(() => {})
    throw error
  }
}

/** Links and devices are left out: what they led to at that time is not known. */
async function fill(run: Run<unknown>, { past, from, to, id, progress }: CopyOut, inside: boolean): Promise<void> {
  const pause = timeSlices(run.signal)
  const done = { files: 0, bytes: 0 }
  let waiting: FilledEntry[] = []
  const filling = async () => (await run.scope()).filling(to, id, { inside })
  const flush = async () => {
    if (waiting.length > 0) await (await filling()).put(waiting)
    waiting = []
  }
  await filling()
  for (const folders: VirtualPath[] = [rootPath]; folders.length > 0; ) {
    const folder = folders.pop() ?? rootPath
    const { entries } = await past.listUnfollowed(rebase(from, folder), run.signal)
    for (const entry of entries) {
      run.signal.throwIfAborted()
      const path = inFolder(folder, entry.exact ?? entry.name)
      if (entry.kind === 'folder' && !entry.isLink) {
        folders.push(path)
        waiting.push({ path, kind: 'folder' })
      } else if (entry.kind === 'file' && !entry.isLink) {
        if (entry.size <= smallFile) waiting.push(await smallOne(past, rebase(from, path), path))
        else {
          await flush()
          await largeOne(path, entry)
        }
        done.files += 1
        done.bytes += entry.size
        progress({ ...done, current: path.slice(1) })
      }
      if (waiting.length >= mostPut) await flush()
      await pause()
    }
  }
  await flush()
  await (await filling()).secure()

  async function largeOne(path: VirtualPath, entry: Entry): Promise<void> {
    const file = await past.open(rebase(from, path))
    const draft = await (await filling()).openFile(path, `${id}.part`, file.content.size)
    try {
      await draft.truncate(0)
      const { files, bytes: before } = done
      const tell = (bytes: number) => progress({ files, bytes: before + bytes, current: path.slice(1) })
      await draft.append(counted(piecesOf(file.content, run.signal), tell))
      await draft.commit({ precondition: 'any', modified: modifiedOf(entry) })
    } finally {
      draft.close()
      file.close()
    }
  }
}

async function smallOne(past: Scope, from: VirtualPath, path: VirtualPath): Promise<FilledEntry> {
  const file = await past.open(from)
  try {
    const bytes = new Uint8Array(await file.content.arrayBuffer())
    const isExecutable = (file.entry.mode & 0o100) !== 0
    return { path, kind: 'file', bytes, modified: file.entry.seconds, isExecutable }
  } finally {
    file.close()
  }
}

const modifiedOf = ({ seconds, nanoseconds }: Entry): number => seconds * 1000 + Math.floor(nanoseconds / 1e6)

async function* piecesOf(
  content: { stream(): ReadableStream<Uint8Array> },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const piece of content.stream()) {
    signal.throwIfAborted()
    yield piece
  }
}

async function* counted(pieces: AsyncIterable<Uint8Array>, tell: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    yield piece
    tell(bytes)
  }
}
