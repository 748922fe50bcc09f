import { Failure } from '../../failure.ts'
import { succeeds } from '../linux/errno.ts'
import { type Kernel, O } from '../linux/kernel.ts'
import { isFile, isFolder } from '../linux/modes.ts'
import { partsTree } from '../path.ts'
import type { TransferOptions, UnstageOptions } from '../transfer-options.ts'
import { bornIdentityAt, isSameBorn } from './birth.ts'
import { haveSameBytes } from './comparing.ts'
import { copiedSince } from './copied-since.ts'
import { copyContent } from './copying.ts'
import type { Disk } from './disk.ts'
import { moveName, renameOver } from './displace.ts'
import { discard } from './drafts.ts'
import { copiedFrom, mergeTree, type Origin, requireMergeable } from './merging.ts'
import { withHiddenSource } from './moving-sources.ts'
import { removeTree } from './removing.ts'
import { renameToFree } from './renaming.ts'
import { requireWritable } from './replacing.ts'
import { type CopiedFacts, dropStaged, findStaged, openStaged, type Staged } from './staged-state.ts'
import { sync, syncNamed } from './sync.ts'
import { type NameAt, statAt, type Target } from './target.ts'
import { requireFree } from './transferring.ts'
import { applyMetadata, putFile } from './writing.ts'

interface Publishing extends Pick<TransferOptions, 'replace' | 'taken' | 'signal'> {
  readonly isMove?: boolean | undefined
  /** Of a move: what may go from the source once all is published. */
  readonly copied?: CopiedFacts | undefined
  readonly origin?: Origin | undefined
}

/** The draft is whole and safe: from here on it becomes the target, whatever happens. */
export async function publishTree(disk: Disk, staged: Staged, target: Target, options: Publishing): Promise<void> {
  const { kernel, draft } = staged
  const { replace, taken, copied } = options
  if (replace) await requireMergeable(disk, draft, target, { isMove: false, taken, comparesBytes: true })
  else requireFree(kernel, target)
  const identity = bornIdentityAt(kernel, draft)
  if (identity === undefined) throw new Failure('changed-meanwhile', 'What was staged is being removed')
  const publishing = { draft: identity, isMerge: replace }
  await staged.note({ phase: 'publishing', publishing, copied }, { isLasting: true })
  try {
    await putInPlace(disk, staged, target, options)
  } catch (error) {
    // Nothing has happened while the draft is where it was: the next try begins with the source.
    if (statAt(kernel, draft) !== undefined) await staged.note(anew)
    throw error
  }
}

const anew = { phase: 'staging', publishing: undefined, copied: undefined } as const

/**
 * In one step, or name by name. For the latter the draft lies with the notes about it, so that no one takes it away without
 * them: then what is gone from there was published.
 */
async function putInPlace(disk: Disk, staged: Staged, target: Target, options: Publishing): Promise<void> {
  const { kernel, draft } = staged
  const { replace, taken, isMove = false } = options
  if (replace) {
    const tree = { folder: staged.parts, name: partsTree }
    if (statAt(kernel, draft) !== undefined) moveOpened(kernel, draft, tree)
    if (statAt(kernel, tree) !== undefined) {
      const origin = copiedFrom(options.origin)
      await mergeTree(disk, tree, target, { force: true, taken, comparesBytes: isMove, skipsNone: isMove, origin })
      // What the rule has skipped.
      await discard(kernel, tree.folder, tree.name)
    }
  } else if (statAt(kernel, draft) !== undefined) renameToFree(kernel, draft, target)
  await sync(kernel, target.folder)
}

/** A folder that its owner may not write to cannot be renamed into another one. */
function moveOpened(kernel: Kernel, from: NameAt, to: NameAt): void {
  const move = () => moveName(kernel, from, to)
  if (succeeds(['EACCES'], move)) return
  const fd = kernel.open(from.folder, from.name, O.RDONLY | O.NOFOLLOW)
  kernel.changeMode(fd, (kernel.statOpen(fd).mode & 0o7777) | 0o700)
  kernel.close(fd)
  move()
}

/** A file that a copy replaces keeps its looks, and its other names. */
export async function publishFile(
  disk: Disk,
  { kernel, draft }: Staged,
  source: NameAt,
  target: Target,
  { replace }: Pick<TransferOptions, 'replace'>,
): Promise<void> {
  const write = { precondition: replace ? 'any' : 'absent' } as const
  const before = requireWritable(disk, target, write)
  const original = kernel.open(source.folder, source.name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK)
  const fd = kernel.open(draft.folder, draft.name, O.RDONLY | O.NOFOLLOW)
  try {
    const template = { fd: original, stat: kernel.statOpen(fd) }
    if (before === undefined) renameToFree(kernel, draft, target)
    else {
      const refusals = ['EBUSY', 'EXDEV', 'EPERM', 'EACCES']
      const isReplaced =
        before.links === 1 &&
        succeeds(refusals, () => {
          applyMetadata(disk, fd, target, before, write, template)
          renameOver(disk, draft, target, before)
        })
      if (!isReplaced)
        await putFile(disk, target, { fill: (copy) => copyContent({ kernel }, fd, copy), template }, write)
    }
    // It has got its looks since it was made safe.
    await syncNamed(kernel, fd, target.folder)
  } finally {
    kernel.close(fd)
    kernel.close(original)
  }
}

/**
 * After a crash, or an answer that was lost: a transfer that was about to publish is finished, by the facts that were noted
 * then. `atSource` opens the place of the source, where that is still there. True when nothing is left to do.
 */
export async function finishStaged(
  disk: Disk,
  target: Target,
  id: string,
  options: Publishing,
  atSource: (remove: (source: Target) => Promise<void>) => Promise<void>,
): Promise<boolean> {
  const staged = await findStaged(disk.kernel, target.folder, id, { isHeld: true, signal: options.signal })
  if (staged === undefined) return false
  try {
    const { phase, publishing, copied } = staged.state ?? {}
    if (phase === 'done') return true
    if (phase !== 'publishing' || publishing === undefined) return false
    const { draft, kernel } = staged
    const { isMerge } = publishing
    // One that is still there was not published, and its source may have changed since. One that is neither there nor in its
    // place was taken away: nothing that was copied may go.
    const isKnown =
      statAt(kernel, draft) === undefined && (isMerge || isSameBorn(bornIdentityAt(kernel, target), publishing.draft))
    if (!isKnown) {
      await staged.note(anew)
      return false
    }
    await putInPlace(disk, staged, target, { ...options, replace: isMerge })
    if (copied !== undefined) await atSource((source) => removeCopied(disk, source, target, copied))
    await staged.note({ phase: 'done', publishing: undefined, copied: undefined })
    return true
  } finally {
    staged.close()
  }
}

/** Was it whole once, so that what is left to do is short? */
export async function isPublishing({ kernel }: Disk, target: Target, id: string): Promise<boolean> {
  const staged = await findStaged(kernel, target.folder, id)
  staged?.close()
  return staged?.state !== undefined && staged.state.phase !== 'staging'
}

/** Only from the very thing that was copied: another one may have its name by now. */
async function removeCopied(disk: Disk, source: Target, target: Target, facts: CopiedFacts): Promise<void> {
  const { kernel } = disk
  const stat = statAt(kernel, source)
  if (stat === undefined || !isSameBorn(bornIdentityAt(kernel, source), facts.root)) return
  // That it was hidden and came back was a change of the file itself.
  if (isFile(stat.mode) && !(await haveSameBytes(kernel, source, target))) return
  const copied = copiedSince(kernel, facts)
  await withHiddenSource(disk, source, async ({ at: { folder, name } }) => {
    await removeTree(kernel, folder, name, isFolder(stat.mode) ? { keeps: copied.lacks } : {})
    await sync(kernel, folder)
  })
}

/** Gives a draft that others have filled its name; they have made its files safe. */
export async function publishStaged(
  disk: Disk,
  target: Target,
  id: string,
  options: Pick<TransferOptions, 'replace' | 'taken' | 'signal'>,
): Promise<void> {
  const { kernel } = disk
  if (await finishStaged(disk, target, id, options, async () => {})) return
  const staged = await openStaged(kernel, target.folder, id, options.signal)
  try {
    if (statAt(kernel, staged.draft) === undefined) throw new Failure('not-found', 'Nothing was staged')
    if (kernel.canSyncFileSystem(target.folder)) await kernel.syncFileSystem(target.folder)
    await publishTree(disk, staged, target, options)
    await staged.note({ phase: 'done' })
  } finally {
    staged.close()
  }
}

/**
 * Everything in a draft is whole, so what there is of a copy can be kept; but it takes nothing's place. Whoever is at work on it still
 * is waited for: emptied under way, it would get its name nevertheless.
 */
export async function unstage(disk: Disk, target: Target, id: string, { publish }: UnstageOptions): Promise<void> {
  const { kernel } = disk
  const staged = await findStaged(kernel, target.folder, id, { isHeld: true })
  try {
    if (publish && staged?.state?.phase === 'staging' && statAt(kernel, staged.draft) !== undefined)
      await keepWhole(disk, staged, target)
    if (!(await dropStaged(kernel, target.folder, id)))
      throw new Failure('unavailable', 'What was staged cannot be removed')
  } finally {
    staged?.close()
  }
}

async function keepWhole(disk: Disk, { kernel, draft }: Staged, target: Target): Promise<void> {
  if (disk.ownFiles.reserves(target.name, () => kernel.statOpen(target.folder))) return
  if (kernel.canSyncFileSystem(target.folder)) await kernel.syncFileSystem(target.folder)
  const there = statAt(kernel, target)
  const isFree = there === undefined && succeeds(['EEXIST'], () => renameToFree(kernel, draft, target))
  if (!isFree && isFolder(kernel.stat(draft.folder, draft.name).mode) && isFolder(statAt(kernel, target)?.mode ?? 0))
    await mergeTree(disk, draft, target, { force: true, taken: { default: 'skip' } })
  await sync(kernel, target.folder)
}
