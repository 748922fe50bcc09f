import { posix } from 'node:path'
import { isInside } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import { codeOf } from '../linux/errno.ts'
import { isFolder, isLink } from '../linux/modes.ts'
import type { VirtualPath } from '../path.ts'
import type { TransferOptions } from '../port.ts'
import { type CopyTask, linkStays } from './copying.ts'
import { depthOf, mostLevels, requireRoomBelow } from './depth.ts'
import type { Disk } from './disk.ts'
import { pathOfDescriptor } from './drafts.ts'
import { inTarget, type Rooted } from './in-target.ts'
import type { Target } from './target.ts'
import { copy, move, moveAcross, requireFreeToGo, requireMovable } from './transferring.ts'
import { walkTree } from './trees.ts'

/** A path in one of two roots, which may be the same. */
export interface End extends Rooted {
  readonly path: VirtualPath
}

/**
 * Moves or copies from one root to another. Both parents are opened strictly beneath their roots, so that neither side can be
 * led elsewhere; from there on two roots are no more than two folders.
 */
export const transferBetween = (kind: 'move' | 'copy', from: End, to: End, options: TransferOptions): Promise<void> =>
  inTarget(from, from.path, 'must-exist', async (source) => {
    requireMovable(from.disk, source)
    if (isWithin(to, from) && to.path !== from.path) throw new Failure('invalid', 'a folder cannot be put into itself')
    await inTarget(to, to.path, 'create', async (target) => {
      requireApart([from, source], [to, target])
      if (changesMeaning(from, to)) await requireNoLinks(from.disk, source, options)
      if (kind === 'move') await moveTo([from, source], [to, target], options)
      else await copy(to.disk, source, target, options.replace, taskFor([from, source], [to, target], options))
    })
  })

/** One root may have been mounted into the other since they were compared. */
function requireApart([from, source]: Opened, [to, target]: Opened): void {
  if (from.begin !== to.begin && isInside(fullName(target), fullName(source)))
    throw new Failure('invalid', 'a folder cannot be put into itself')
}

/** Links that lead out are not followed on one side, and are on the other: there they would open what they lead to. */
const changesMeaning = (from: End, to: End): boolean => to.disk.follows && !from.disk.follows

async function requireNoLinks({ kernel }: Disk, source: Target, { signal }: TransferOptions): Promise<void> {
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

async function moveTo([from, source]: Opened, [to, target]: Opened, options: TransferOptions): Promise<void> {
  const { kernel } = from.disk
  requireFreeToGo(from.disk, source)
  if (options.replace && isWithin(from, to) && to.path !== from.path)
    throw new Failure('invalid', 'nothing can take the place of the folder that holds it')
  const isSunk = depthOf(to.path) > depthOf(from.path) && isFolder(kernel.stat(source.folder, source.name).mode)
  if (isSunk) await requireRoomBelow(kernel, source, to.path)
  try {
    await move(to.disk, source, target, options.replace)
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error
    await moveAcross(to.disk, source, target, options.replace, taskFor([from, source], [to, target], options))
  }
}

type Opened = readonly [end: End, at: Target]

const isWithin = (one: End, two: End): boolean => one.begin === two.begin && isInside(one.path, two.path)

const taskFor = ([from, source]: Opened, [to, target]: Opened, { signal }: TransferOptions): CopyTask => ({
  kernel: to.disk.kernel,
  ownFiles: to.disk.ownFiles,
  signal,
  pathToOriginal:
    from.begin === to.begin ? posix.relative(to.path, from.path) : posix.relative(fullName(target), fullName(source)),
  mostLevels: mostLevels - depthOf(to.path) + 1,
  refusesLinks: changesMeaning(from, to),
})

const fullName = ({ folder, name }: Target): string => `${pathOfDescriptor(folder)}/${name}`
