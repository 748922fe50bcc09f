import { codeOf } from '../linux/errno.ts'
import type { Kernel, Stat } from '../linux/kernel.ts'
import { isFile, isFolder, isLink } from '../linux/modes.ts'
import { draftPrefix } from '../path.ts'
import { LinkInTheWay } from '../port.ts'
import type { StageOptions, TransferKind, TransferOptions } from '../transfer-options.ts'
import { haveSameBytes, looksLike } from './comparing.ts'
import { copiedSince } from './copied-since.ts'
import { type CopyTask, largestInOneGo } from './copying.ts'
import type { Disk } from './disk.ts'
import { type Origin, requireMergeable } from './merging.ts'
import { publishFile, publishTree } from './publishing.ts'
import { removeTree, requireRemovable } from './removing.ts'
import { bringUpToDate } from './staged-pass.ts'
import { findStaged, openStaged } from './staged-state.ts'
import type { StagedWalk } from './staged-tree.ts'
import { statAt, type Target } from './target.ts'
import { copy, copyThenRemove, isSameName, moveAcross, requireFree } from './transferring.ts'

/** The long part of a copy or move. Nothing is staged where the rest is a moment's work. */
export async function stage(
  kind: TransferKind,
  disk: Disk,
  source: Target,
  target: Target,
  options: StageOptions,
  task: CopyTask,
): Promise<void> {
  const { kernel } = disk
  const stat = kernel.stat(source.folder, source.name)
  if (isSameName(kernel, source, target)) return
  if (kind === 'copy' && isLink(stat.mode)) throw new LinkInTheWay()
  const isMove = kind === 'move'
  if (isMove && !areApart(kernel, source, target)) return
  if (!isFile(stat.mode) && !isFolder(stat.mode)) return
  const isAlike = isThereAlready(kernel, stat, target)
  if (!isAlike) await requireRoom(disk, source, target, options)
  if (isFile(stat.mode) && (stat.size <= largestInOneGo || !kernel.isWritable(target.folder))) return
  if (isAlike) {
    if (await haveSameBytes(kernel, source, target, options.signal)) return
    await requireRoom(disk, source, target, options)
  }
  if (isMove && isFolder(stat.mode)) await requireRemovable(disk, source, options.signal)
  const staged = await openStaged(kernel, target.folder, options.id, options.signal)
  try {
    await bringUpToDate(staged, source, mergedWith(kernel, target, options), {
      ...task,
      isMove,
      progress: options.progress,
    })
  } finally {
    staged.close()
  }
}

/** Brings the draft up to date and gives it its name. */
export async function copyStaged(
  disk: Disk,
  source: Target,
  target: Target,
  options: TransferOptions,
  task: CopyTask,
): Promise<void> {
  const { kernel } = disk
  const { staged: id = '', progress } = options
  const stat = kernel.stat(source.folder, source.name)
  // Also after a crash behind the last step. Two files that were written in the same moment look the same, too.
  if (isThereAlready(kernel, stat, target) && (await haveSameBytes(kernel, source, target, task.signal))) return
  if (!isFolder(stat.mode) && !(await isBegun(kernel, target, id))) return copy(disk, source, target, options, task)
  await requireRoom(disk, source, target, options)
  const staged = await openStaged(kernel, target.folder, id, task.signal)
  try {
    await bringUpToDate(staged, source, mergedWith(kernel, target, options), { ...task, progress })
    if (isFile(stat.mode)) await publishFile(disk, staged, source, target, options)
    else await publishTree(disk, staged, target, options)
    await staged.note({ phase: 'done' })
  } finally {
    staged.close()
  }
}

/** The same, but first the source is out of sight, and goes when its copy is safe: see `moveAcross`. */
export async function moveStaged(
  disk: Disk,
  source: Target,
  target: Target,
  options: TransferOptions,
  task: CopyTask,
  origin?: Origin,
): Promise<void> {
  const { kernel } = disk
  const { staged: id = '', progress } = options
  const stat = kernel.stat(source.folder, source.name)
  const root = { device: stat.device, inode: stat.inode, born: kernel.bornAt(source.folder, source.name) }
  if (!isFolder(stat.mode) && !(await isBegun(kernel, target, id))) {
    // A crash came between the last two steps.
    const isDone = isThereAlready(kernel, stat, target) && (await haveSameBytes(kernel, source, target, task.signal))
    if (isDone) await removeTree(kernel, source.folder, source.name)
    else await moveAcross(disk, source, target, options, task, origin)
    return
  }
  await requireRoom(disk, source, target, options)
  if (isFolder(stat.mode)) await requireRemovable(disk, source, task.signal)
  const staged = await openStaged(kernel, target.folder, id, task.signal)
  const copied = copiedSince(kernel)
  try {
    await copyThenRemove(disk, source, copied, async (at) => {
      const merge = mergedWith(kernel, target, options)
      const last = { stays: copied.stays, before: stat }
      await bringUpToDate(staged, at, merge, { ...task, progress, isMove: true, copied: copied.add }, last)
      await publishTree(disk, staged, target, { ...options, isMove: true, copied: copied.facts(root), origin })
    })
    await staged.note({ phase: 'done', copied: undefined })
  } finally {
    staged.close()
  }
}

/** What a rename could not do: two file systems, or two mounts of one. The kernel looks at that before it looks for names. */
function areApart(kernel: Kernel, source: Target, target: Target): boolean {
  const name = `${draftPrefix}none`
  try {
    kernel.renameToFree(source.folder, name, target.folder, name)
    return false
  } catch (error) {
    return codeOf(error) === 'EXDEV'
  }
}

/** Refused before the first byte. */
async function requireRoom(
  disk: Disk,
  source: Target,
  target: Target,
  { replace, taken }: Pick<TransferOptions, 'replace' | 'taken'>,
): Promise<void> {
  if (replace) await requireMergeable(disk, source, target, { isMove: false, taken })
  else requireFree(disk.kernel, target)
}

/** Only with a rule: without one everything in the way is replaced. */
function mergedWith(
  kernel: Kernel,
  target: Target,
  { replace, taken }: Pick<TransferOptions, 'replace' | 'taken'>,
): StagedWalk['merge'] {
  const there = replace && taken !== undefined ? statAt(kernel, target) : undefined
  return there !== undefined && isFolder(there.mode) && taken !== undefined ? { into: target, rule: taken } : undefined
}

async function isBegun(kernel: Kernel, target: Target, id: string): Promise<boolean> {
  const staged = await findStaged(kernel, target.folder, id)
  staged?.close()
  return staged !== undefined
}

/** A file that was copied or moved before, as far as size and time tell. */
function isThereAlready(kernel: Kernel, stat: Stat, target: Target): boolean {
  const there = statAt(kernel, target)
  return there !== undefined && isFile(stat.mode) && isFile(there.mode) && looksLike(stat, there)
}
