import { posix } from 'node:path'
import { isInside } from '@filestead/contract/paths'
import { Failure, isFailure } from '../../failure.ts'
import { codeOf } from '../linux/errno.ts'
import { isFolder, isLink } from '../linux/modes.ts'
import { meterFor } from '../meter.ts'
import type { VirtualPath } from '../path.ts'
import { isStoreName } from '../store-names.ts'
import type { StageOptions, TransferKind, TransferOptions } from '../transfer-options.ts'
import { type CopyTask, linkStays } from './copying.ts'
import { depthOf, mostLevels, requireRoomBelow } from './depth.ts'
import type { Disk } from './disk.ts'
import { pathOfDescriptor } from './drafts.ts'
import { inBase, inTarget, type Rooted } from './in-target.ts'
import { withKeep } from './keeping.ts'
import type { Origin } from './merging.ts'
import { finishStaged, isPublishing } from './publishing.ts'
import { copyStaged, moveStaged, stage } from './staging.ts'
import type { NameAt, Target } from './target.ts'
import { copy, move, moveAcross, requireFreeToGo, requireMovable } from './transferring.ts'
import { walkTree } from './trees.ts'

/** A path in one of two roots, which may be the same. */
export interface End extends Rooted {
  readonly path: VirtualPath
}

/**
 * Moves or copies once. Both parents are opened strictly beneath their roots, so that neither side can be
 * led elsewhere; from there on two roots are no more than two folders.
 */
const transferOnce = (kind: TransferKind, from: End, to: End, options: TransferOptions): Promise<void> =>
  inTarget(from, from.path, 'must-exist', async (source) => {
    requireMovable(from.disk, source)
    if (isWithin(to, from) && to.path !== from.path) throw new Failure('invalid', 'a folder cannot be put into itself')
    await inTarget(to, to.path, 'create', async (target) => {
      requireApart([from, source], [to, target])
      if (changesMeaning(from, to)) await requireNoLinks(from.disk, source, options)
      const task = taskFor([from, source], [to, target], options)
      if (kind === 'move') await moveTo([from, source], [to, target], options, task)
      else await (options.staged === undefined ? copy : copyStaged)(to.disk, source, target, options, task)
    })
  })

/** The long part of such a transfer, after which the rest is short. */
export async function stageBetween(kind: TransferKind, from: End, to: End, options: StageOptions): Promise<void> {
  // An earlier try was about to publish it: there is nothing to stage any more.
  if (
    await unlessMissing(() =>
      inTarget(to, to.path, 'must-exist', (target) => isPublishing(to.disk, target, options.id)),
    )
  )
    return
  try {
    await stageOnce(kind, from, to, options)
  } catch (error) {
    if (kind === 'copy' || !(await hasArrived(from, to, error))) throw error
  }
}

const stageOnce = (kind: TransferKind, from: End, to: End, options: StageOptions): Promise<void> =>
  inTarget(from, from.path, 'must-exist', async (source) => {
    requireMovable(from.disk, source)
    if (isWithin(to, from)) {
      if (to.path === from.path) return
      throw new Failure('invalid', 'a folder cannot be put into itself')
    }
    if (kind === 'move') requireFreeToGo(from.disk, source)
    await inTarget(to, to.path, 'create', async (target) => {
      requireApart([from, source], [to, target])
      if (changesMeaning(from, to)) await requireNoLinks(from.disk, source, options)
      await stage(kind, to.disk, source, target, options, taskFor([from, source], [to, target], options))
    })
  })

/** Moves or copies from one root to another. After a crash, or an answer that was lost, it finishes what is left to do. */
export const transferBetween = (kind: TransferKind, from: End, to: End, options: TransferOptions): Promise<void> =>
  withKeep(to, options.keep, (disk) =>
    from.disk === to.disk
      ? transfer(kind, { ...from, disk }, { ...to, disk }, options)
      : withKeep(from, options.keep, (source) => transfer(kind, { ...from, disk: source }, { ...to, disk }, options)),
  )

async function transfer(kind: TransferKind, from: End, to: End, options: TransferOptions): Promise<void> {
  const { staged } = options
  if (staged !== undefined && (await isFinished(kind, from, to, staged, options))) return
  try {
    await transferOnce(kind, from, to, options)
  } catch (error) {
    if (staged === undefined || kind === 'copy' || !(await hasArrived(from, to, error))) throw error
  }
}

/** What a crash after a rename leaves: the source is gone, and the target there. */
const hasArrived = async (from: End, to: End, error: unknown): Promise<boolean> =>
  isFailure(error, 'not-found') && !(await isThere(from)) && isThere(to)

/** True when nothing is left to do. */
async function isFinished(
  kind: TransferKind,
  from: End,
  to: End,
  id: string,
  options: TransferOptions,
): Promise<boolean> {
  const isMove = kind === 'move'
  const origin = isMove ? await originAt(from) : undefined
  const finished = await unlessMissing(() =>
    inTarget(to, to.path, 'must-exist', (target) =>
      finishStaged(to.disk, target, id, { ...options, isMove, origin }, async (remove) => {
        await unlessMissing(() => inTarget(from, from.path, 'must-exist', remove))
      }),
    ),
  )
  return finished ?? false
}

const isThere = async (end: End): Promise<boolean> =>
  (await unlessMissing(() =>
    inTarget(end, end.path, 'must-exist', async ({ folder, name }) => end.disk.kernel.look(folder, name) !== undefined),
  )) ?? false

export async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isFailure(error, 'not-found')) return undefined
    throw error
  }
}

/** One root may have been mounted into the other since they were compared. */
function requireApart([from, source]: Opened, [to, target]: Opened): void {
  if (from.begin !== to.begin && isInside(fullName(target), fullName(source)))
    throw new Failure('invalid', 'a folder cannot be put into itself')
}

/** Links that lead out are not followed on one side, and are on the other: there they would open what they lead to. */
const changesMeaning = (from: End, to: End): boolean => to.disk.follows && !from.disk.follows

async function requireNoLinks(
  { kernel }: Disk,
  source: Target,
  { signal }: Pick<TransferOptions, 'signal'>,
): Promise<void> {
  const { mode } = kernel.stat(source.folder, source.name)
  if (isLink(mode)) throw linkStays()
  if (!isFolder(mode)) return
  await walkTree<object>(
    kernel,
    source,
    {},
    {
      file(_, { stat }) {
        signal?.throwIfAborted()
        if (isLink(stat.mode)) throw linkStays()
      },
      below: () => ({}),
    },
  )
}

async function moveTo(
  [from, source]: Opened,
  [to, target]: Opened,
  options: TransferOptions,
  task: CopyTask,
): Promise<void> {
  const { kernel } = from.disk
  const origin = originOf(from.disk, source)
  requireFreeToGo(from.disk, source)
  if (options.replace && isWithin(from, to) && to.path !== from.path)
    throw new Failure('invalid', 'nothing can take the place of the folder that holds it')
  const isSunk = depthOf(to.path) > depthOf(from.path) && isFolder(kernel.stat(source.folder, source.name).mode)
  if (isSunk) await requireRoomBelow(kernel, source, to.path)
  try {
    await move(to.disk, source, target, options, origin)
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error
    await (options.staged === undefined ? moveAcross : moveStaged)(to.disk, source, target, options, task, origin)
  }
}

/** For what is noted of a merge. */
function originOf({ keeping }: Disk, source: NameAt): Origin | undefined {
  const path = keeping?.pathOf(source)
  return keeping && path && { path, keeping, isKept: path.split('/').some(isStoreName) }
}

/** The same for a source that may be gone. */
const originAt = async (from: End): Promise<Origin | undefined> =>
  from.disk.keeping &&
  unlessMissing(() => inBase(from, (base) => originOf(from.disk, { folder: base, name: from.path.slice(1) })))

type Opened = readonly [end: End, at: Target]

const isWithin = (one: End, two: End): boolean => one.begin === two.begin && isInside(one.path, two.path)

const taskFor = (
  [from, source]: Opened,
  [to, target]: Opened,
  { signal, progress }: Pick<TransferOptions, 'signal' | 'progress'>,
): CopyTask => ({
  kernel: to.disk.kernel,
  ownFiles: to.disk.ownFiles,
  signal,
  pathToOriginal:
    from.begin === to.begin ? posix.relative(to.path, from.path) : posix.relative(fullName(target), fullName(source)),
  mostLevels: mostLevels - depthOf(to.path) + 1,
  refusesLinks: changesMeaning(from, to),
  meter: progress && meterFor(progress),
})

const fullName = ({ folder, name }: Target): string => `${pathOfDescriptor(folder)}/${name}`
