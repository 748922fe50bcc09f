import { posix } from 'node:path'
import { taskGroup } from '../../concurrency/task-group.ts'
import { hasWholeSeconds, isAlike } from '../alike.ts'
import type { Entry } from '../entry.ts'
import { type Meter, meterFor } from '../meter.ts'
import { childOf, exactOf, inFolder, type VirtualPath } from '../path.ts'
import type { TransferOptions } from '../transfer-options.ts'
import { isSameFile, precisely } from './checks.ts'
import { sendFile, unlessChanged } from './files.ts'
import { type At, childrenOf, type Ends, entryAt, isPortable } from './places.ts'

/** So many files are on their way at once: each side is a server with a connection, or a disk. */
export const mostAtOnce = 4

/**
 * Brings a tree to the same one hidden in the target storage, and leaves alone what is there already: the long part. What
 * is gone from the source goes there, too.
 */
export async function stageTree(
  ends: Ends,
  hidden: VirtualPath,
  id: string,
  options: Pick<TransferOptions, 'signal' | 'progress'>,
): Promise<void> {
  const { from, source, to } = ends
  const { signal, progress } = options
  const [meter, group] = [meterFor(progress), taskGroup(mostAtOnce)]
  const waiting = [{ path: source, at: hidden, inside: '' }]
  try {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { path, at, inside } = next
      signal?.throwIfAborted()
      const there = await childrenOf(to, at)
      if (there.size === 0) await to.createFolder(at)
      for (const entry of (await from.list(path, signal, { isOnce: true })).entries) {
        const [name, below] = [exactOf(entry), { path: childOf(path, entry), entry }]
        const [target, current, old] = [inFolder(at, name), posix.join(inside, name), there.get(name)]
        if (!isPortable(entry)) {
          meter.leaveOut(current)
          continue
        }
        there.delete(name)
        if (old !== undefined && (old.kind === 'folder') !== (entry.kind === 'folder')) await to.remove(target)
        if (entry.kind === 'folder') waiting.push({ path: below.path, at: target, inside: current })
        else await group.start(() => stageFile(ends, below, target, old, { id, signal, meter, current }))
      }
      for (const name of there.keys()) await to.remove(inFolder(at, name))
    }
  } finally {
    await group.wait()
  }
  meter.end()
}

interface Staging {
  readonly id: string
  readonly signal: TransferOptions['signal']
  readonly meter: Meter
  readonly current: string
}

async function stageFile(
  { from, to }: Ends,
  one: At,
  target: VirtualPath,
  old: Entry | undefined,
  { id, signal, meter, current }: Staging,
): Promise<void> {
  const metered = meter.file(current)
  const isThere = old !== undefined && (await isArrived({ from, to }, one, { path: target, entry: old }, signal))
  if (isThere) metered.end(one.entry.size)
  else await sendFile(from, one.path, to, target, { precondition: 'any', id, signal, metered })
}

/** Was it sent by an earlier try? Where times are whole seconds, two versions may have the same one. */
export async function isArrived(
  ends: Pick<Ends, 'from' | 'to'>,
  one: At,
  two: At,
  signal: TransferOptions['signal'],
): Promise<boolean> {
  if (one.entry.size !== two.entry.size) return false
  const [first, second] = await precisely(ends, one, two)
  if (!isAlike(first, second)) return false
  return !hasWholeSeconds(first, second) || isSameFile(ends, one, two, false, signal)
}

/** What was published as a whole goes from the source, each file only if it is there as it is here. */
export async function removeArrived(ends: Ends, { signal }: Pick<TransferOptions, 'signal'>): Promise<void> {
  const { from, source, to, target } = ends
  const folders: VirtualPath[] = []
  const waiting = [{ path: source, at: target }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, at } = next
    signal?.throwIfAborted()
    folders.push(path)
    const there = await childrenOf(to, at)
    for (const entry of (await from.list(path, signal, { isOnce: true })).entries) {
      const [one, other] = [{ path: childOf(path, entry), entry }, there.get(exactOf(entry))]
      if (entry.kind === 'folder') waiting.push({ path: one.path, at: childOf(at, entry) })
      else if (other !== undefined) await removeIfArrived(ends, one, { path: childOf(at, entry), entry: other }, signal)
    }
  }
  for (const folder of folders.toReversed()) await unlessChanged(from.remove(folder, { only: 'empty' }))
}

async function removeIfArrived(ends: Ends, one: At, two: At, signal: TransferOptions['signal']): Promise<void> {
  const entry = await entryAt(ends.from, one.path)
  if (entry === undefined || !(await isArrived(ends, { ...one, entry }, two, signal))) return
  await unlessChanged(ends.from.remove(one.path, { only: { version: entry.version } }))
}
