import { posix } from 'node:path'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { taskGroup } from '../../concurrency/task-group.ts'
import { Failure } from '../../failure.ts'
import { linkElsewhere } from '../links.ts'
import { succeeds } from '../linux/errno.ts'
import { type FolderItem, type Kernel, type Name, O, type Stat } from '../linux/kernel.ts'
import { isFile, isFolder, isLink, withoutPrivileges } from '../linux/modes.ts'
import type { Meter, Metered } from '../meter.ts'
import { isStoreName } from '../store-names.ts'
import type { Disk } from './disk.ts'
import { folderStackFrom } from './folder-stack.ts'
import { wholeStat } from './half-written.ts'
import { copyPieces, hasHoles } from './in-place.ts'
import { sync, treeSync } from './sync.ts'
import type { NameAt } from './target.ts'
import { exactName, isHidden, isStaged, isTransient, walkTree } from './trees.ts'

export interface CopyTask extends Pick<Disk, 'kernel' | 'ownFiles'> {
  signal?: Cancellation | undefined
  /** From the copied folder to the original, for links that point out of it. */
  pathToOriginal: string
  /** The original goes away afterwards: owners and links come along as they are, and nothing may be left out. */
  isMove?: boolean
  /** Where it is copied to, links are followed that are not where it comes from. */
  refusesLinks?: boolean
  /** Told of everything before it is copied. */
  copied?(stat: Stat): void
  /** So deep the copied folder may be. */
  mostLevels?: number
  /** Makes an open copy safe. */
  sync?(copy: number, stat: Stat): Promise<void>
  /** Told of every symlink that was made. */
  linked?(): void
  meter?: Meter | undefined
}

/** Larger files are copied in pieces, because one call for all could not be stopped. */
export const largestInOneGo = 16 << 20
export const filesAtOnce = 4

/** A true copy under a free name: content, mode, times and attributes; links as links; special files are left out. */
export async function copyTree(task: CopyTask, from: NameAt, to: NameAt): Promise<void> {
  task.signal?.throwIfAborted()
  const stat = task.kernel.stat(from.folder, from.name)
  task.copied?.(stat)
  const safety = treeSync(task.kernel, to.folder)
  const safely = { ...task, sync: safety.sync, linked: safety.linked }
  if (isFolder(stat.mode)) await copyFolder(safely, from, to)
  else await copyEntry(safely, from, to, stat, '')
  await safety.end()
  task.meter?.end()
}

async function copyEntry(task: CopyTask, from: NameAt, to: NameAt, stat: Stat, inside: string): Promise<void> {
  const { mode, size } = stat
  const metered = task.meter?.file(inside)
  if (isFile(mode)) await copyFile(task, from, to, metered)
  else if (isLink(mode)) copyLink(task, from, to, inside)
  else requireCopyable(task)
  metered?.end(size)
}

/** Copies leave out what moves refuse. */
export function requireCopyable({ isMove }: CopyTask): void {
  if (isMove) throw new Failure('forbidden', 'A pipe, socket or device cannot be moved to another disk')
}

interface ContentOptions {
  metered?: Metered | undefined
  /** So many bytes are there already. */
  start?: number
}

/** The bytes of one open file. */
export async function copyContent(
  { kernel, signal }: Pick<CopyTask, 'kernel' | 'signal'>,
  from: number,
  to: number,
  { metered, start = 0 }: ContentOptions = {},
): Promise<void> {
  const { size } = await wholeStat(kernel, from, kernel.statOpen(from))
  const keepsHoles = hasHoles(kernel, from, size)
  if (start === 0) {
    if (!keepsHoles && kernel.copyFromMemory(from, to, size)) return
    if (size <= largestInOneGo && !keepsHoles) return kernel.copyBytes(from, to)
    if (sharesBytes(kernel, from, to)) return
  }
  // What was written a moment ago, and is not on the disk yet, looks like a hole on some file systems.
  if (keepsHoles) await sync(kernel, from)
  const inKernel = kernel.statOpen(from).device === kernel.statOpen(to).device
  await copyPieces(kernel, from, to, { start, size, signal, keepsHoles, inKernel, grown: metered?.grown })
}

async function copyFolder(task: CopyTask, from: NameAt, to: NameAt): Promise<void> {
  const { kernel, ownFiles } = task
  const copies = folderStackFrom(kernel, to.folder)
  const files = taskGroup(filesAtOnce)
  // The draft of another request is not copied; and a copy into the folder that is copied would never end.
  const isLeftOut = (item: FolderItem, { isReserved }: CopiedFolder) => staysOut(task, item, isReserved)
  try {
    await walkTree<CopiedFolder>(
      kernel,
      from,
      { name: to.name, inside: '' },
      {
        entered(folder, level) {
          level.isReserved = ownFiles.namesIn(kernel.statOpen(folder))
          kernel.makeFolder(copies.fd, level.name, 0o700)
          copies.enter(level.name)
        },
        file(folder, item, level) {
          task.signal?.throwIfAborted()
          if (isLeftOut(item, level)) return
          task.copied?.(item.stat)
          const [name, copy] = [exactName(item), copies.fd]
          return files.start(() =>
            copyEntry(task, { folder, name }, { folder: copy, name }, item.stat, posix.join(level.inside, item.name)),
          )
        },
        below(_, item, level) {
          if (isLeftOut(item, level)) return undefined
          task.copied?.(item.stat)
          return { name: exactName(item), inside: posix.join(level.inside, item.name) }
        },
        read: () => files.wait(),
        async done(folder) {
          await finish(task, folder, copies.fd)
          copies.leave()
        },
        // Whatever has failed has been told; but no descriptor is closed under a file that is still being copied.
        ended: () => files.wait().catch(() => {}),
      },
      task.mostLevels,
    )
  } finally {
    copies.close()
  }
}

/**
 * The server's own files, stores, which take nothing in from another file system, and drafts: those of uploads go where
 * their folder goes.
 */
export const staysOut = (
  { ownFiles, isMove }: CopyTask,
  item: FolderItem,
  isReserved: ((name: string) => boolean) | undefined,
): boolean =>
  ownFiles.is(item.stat) ||
  isReserved?.(item.name) ||
  (isMove ? isTransient(item) || isStaged(item) || isStoreName(item.name) : isHidden(item))

interface CopiedFolder {
  readonly name: Name
  /** Where it lies in the copied tree. */
  readonly inside: string
  /** The names in the original folder that are the server's own. */
  isReserved?: ((name: string) => boolean) | undefined
}

async function copyFile(task: CopyTask, from: NameAt, to: NameAt, metered: Metered | undefined): Promise<void> {
  const { kernel } = task
  const source = kernel.open(from.folder, from.name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK)
  try {
    const copy = kernel.open(to.folder, to.name, O.WRONLY | O.CREAT | O.EXCL | O.NOFOLLOW, 0o600)
    try {
      await copyContent(task, source, copy, { metered })
      await finish(task, source, copy)
    } finally {
      kernel.close(copy)
    }
  } finally {
    kernel.close(source)
  }
}

/** Gives a copy the looks of its original, which are those of `stat` where they may be others by now. */
export async function finish(
  task: CopyTask,
  original: number,
  copy: number,
  stat = task.kernel.statOpen(original),
): Promise<void> {
  const { kernel, isMove } = task
  const hasOwner = isMove && keepOwner(kernel, copy, stat)
  kernel.changeMode(copy, hasOwner ? stat.mode & 0o7777 : withoutPrivileges(stat.mode))
  keepAttributes(kernel, original, copy)
  kernel.setTimes(copy, stat.seconds, stat.nanoseconds)
  await (task.sync === undefined ? sync(kernel, copy) : task.sync(copy, stat))
}

/** As far as the file system has room for them and lets us. */
export function keepAttributes(kernel: Kernel, from: number, to: number): void {
  const refusals = ['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSPC', 'EDQUOT', 'ERANGE', 'E2BIG', 'EINVAL']
  // Over rclone, which has none, EIO is the answer.
  succeeds([...refusals, 'ENOSYS', 'EIO'], () => kernel.copyAttributes(from, to))
}

/** Only root gives files away; other accounts may at least keep a group they belong to. */
export function keepOwner(kernel: Kernel, fd: number, { uid, gid }: Stat): boolean {
  const refusals = ['EPERM', 'EINVAL']
  if (succeeds(refusals, () => kernel.changeOwner(fd, uid, gid))) return true
  const asItIs = 0xffffffff
  return succeeds(refusals, () => kernel.changeOwner(fd, asItIs, gid)) && kernel.statOpen(fd).uid === uid
}

export function sharesBytes(kernel: Kernel, from: number, to: number): boolean {
  const refusals = ['ENOTSUP', 'EOPNOTSUPP', 'ENOTTY', 'EXDEV', 'EINVAL', 'ENOSYS', 'EPERM', 'ETXTBSY']
  return succeeds(refusals, () => kernel.shareBytes(from, to))
}

function copyLink(task: CopyTask, from: NameAt, to: NameAt, inside: string): void {
  task.kernel.makeLink(linkedTo(task, from, inside), to.folder, to.name)
  task.linked?.()
}

/** What the copy of a link is to point to. */
export function linkedTo(task: CopyTask, from: NameAt, inside: string): Uint8Array {
  const { kernel, pathToOriginal, isMove, refusesLinks } = task
  if (refusesLinks) throw linkStays()
  const target = kernel.readLink(from.folder, from.name)
  // One byte per character, so that a target that is not UTF-8 stays what it is.
  const bytes = (text: string) => Buffer.from(text).toString('latin1')
  const meaning = () => linkElsewhere(target.toString('latin1'), bytes(pathToOriginal), bytes(inside))
  return isMove ? target : Buffer.from(meaning(), 'latin1')
}

export const linkStays = () =>
  new Failure('forbidden', 'A symlink cannot be taken from this root folder to one where symlinks lead anywhere')
