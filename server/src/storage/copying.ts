import { posix } from 'node:path'
import { Failure } from '../failure.ts'
import type { Disk } from './disk.ts'
import { succeeds } from './errno.ts'
import { type Kernel, O, type Stat } from './kernel.ts'
import { linkElsewhere } from './links.ts'
import { isFile, isFolder, isLink, withoutPrivileges } from './modes.ts'
import type { Spot } from './place.ts'
import { copyPieces, dataFrom } from './pouring.ts'
import { sideBySide } from './side-by-side.ts'
import { sync } from './sync.ts'
import { wholeStat } from './torn.ts'
import { eachItem, exactName, isDraft } from './trees.ts'

export interface CopyJob extends Pick<Disk, 'kernel' | 'ours'> {
  signal?: AbortSignal | undefined
  /** From the copied folder to the original, for links that point out of it. */
  wayBack: string
  /** The original goes away afterwards: owners and links come along as they are, and nothing may be left out. */
  isMove?: boolean
}

/** Larger files are copied in pieces, because one call for all could not be stopped. */
const largestInOneGo = 16 << 20
const filesAtOnce = 4

/** A true copy under a free name: content, mode, times and attributes; links as links; special files are left out. */
export async function copyTree(job: CopyJob, from: Spot, to: Spot, inside = ''): Promise<void> {
  job.signal?.throwIfAborted()
  const { kernel } = job
  const { mode } = kernel.stat(from.folder, from.name)
  if (isFolder(mode)) await copyFolder(job, from, to, inside)
  else if (isFile(mode)) await copyFile(job, from, to)
  else if (isLink(mode)) copyLink(job, from, to, inside)
  else if (job.isMove) throw new Failure('forbidden', 'A pipe, socket or device cannot be moved to another disk')
}

/** The bytes of one open file. */
export async function copyContent({ kernel, signal }: CopyJob, from: number, to: number): Promise<void> {
  const { size } = await wholeStat(kernel, from, kernel.statOpen(from))
  const keepsHoles = hasHoles(kernel, from, size)
  if (size <= largestInOneGo && !keepsHoles) return kernel.copyBytes(from, to)
  if (sharesBytes(kernel, from, to)) return
  // What was written a moment ago, and is not on the disk yet, looks like a hole on some file systems.
  if (keepsHoles) await sync(kernel, from)
  await copyPieces(kernel, from, to, { size, signal, keepsHoles })
}

/** A disk image of many gigabytes may take up next to nothing, and so shall its copy. */
function hasHoles(kernel: Kernel, fd: number, size: number): boolean {
  const { start, end } = dataFrom(kernel, fd, 0, size)
  return start > 0 || end < size
}

async function copyFolder(job: CopyJob, from: Spot, to: Spot, inside: string): Promise<void> {
  const { kernel } = job
  const original = kernel.open(from.folder, from.name, O.RDONLY | O.DIRECTORY | O.NOFOLLOW)
  try {
    kernel.makeFolder(to.folder, to.name, 0o700)
    const copy = kernel.open(to.folder, to.name, O.RDONLY | O.DIRECTORY | O.NOFOLLOW)
    try {
      await copyItems(job, original, copy, inside)
      await finish(job, original, copy)
    } finally {
      kernel.close(copy)
    }
  } finally {
    kernel.close(original)
  }
}

async function copyItems(job: CopyJob, original: number, copy: number, inside: string): Promise<void> {
  const files = sideBySide(filesAtOnce)
  try {
    await eachItem(job.kernel, original, async (item) => {
      // An unfinished file is nobody's to copy; and a copy into the folder that is copied would never end.
      if (isDraft(item) || job.ours.is(item.stat)) return
      const name = exactName(item)
      const work = () =>
        copyTree(job, { folder: original, name }, { folder: copy, name }, posix.join(inside, item.name))
      if (isFile(item.stat.mode)) return files.begin(work)
      await files.end()
      await work()
    })
  } finally {
    await files.end()
  }
}

async function copyFile(job: CopyJob, from: Spot, to: Spot): Promise<void> {
  const { kernel } = job
  const source = kernel.open(from.folder, from.name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK)
  try {
    const copy = kernel.open(to.folder, to.name, O.WRONLY | O.CREAT | O.EXCL | O.NOFOLLOW, 0o600)
    try {
      await copyContent(job, source, copy)
      await finish(job, source, copy)
    } finally {
      kernel.close(copy)
    }
  } finally {
    kernel.close(source)
  }
}

async function finish({ kernel, isMove }: CopyJob, original: number, copy: number): Promise<void> {
  const stat = kernel.statOpen(original)
  const hasOwner = isMove && keepOwner(kernel, copy, stat)
  kernel.changeMode(copy, hasOwner ? stat.mode & 0o7777 : withoutPrivileges(stat.mode))
  keepAttributes(kernel, original, copy)
  kernel.setTimes(copy, stat.seconds, stat.nanoseconds)
  await sync(kernel, copy)
}

/** As far as the file system has room for them and lets us. */
export function keepAttributes(kernel: Kernel, from: number, to: number): void {
  const refusals = ['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSPC', 'EDQUOT', 'ERANGE', 'E2BIG', 'EINVAL']
  succeeds(refusals, () => kernel.copyAttributes(from, to))
}

/** Only root gives files away; everybody else may at least keep a group they belong to. */
export function keepOwner(kernel: Kernel, fd: number, { uid, gid }: Stat): boolean {
  const refusals = ['EPERM', 'EINVAL']
  if (succeeds(refusals, () => kernel.changeOwner(fd, uid, gid))) return true
  const asItIs = 0xffffffff
  return succeeds(refusals, () => kernel.changeOwner(fd, asItIs, gid)) && kernel.statOpen(fd).uid === uid
}

function sharesBytes(kernel: Kernel, from: number, to: number): boolean {
  const refusals = ['ENOTSUP', 'EOPNOTSUPP', 'ENOTTY', 'EXDEV', 'EINVAL', 'ENOSYS', 'EPERM', 'ETXTBSY']
  return succeeds(refusals, () => kernel.shareBytes(from, to))
}

function copyLink({ kernel, wayBack, isMove }: CopyJob, from: Spot, to: Spot, inside: string): void {
  const target = kernel.readLink(from.folder, from.name)
  // One byte per character, so that a target that is not UTF-8 stays what it is.
  const bytes = (text: string) => Buffer.from(text).toString('latin1')
  const meaning = () => linkElsewhere(target.toString('latin1'), bytes(wayBack), bytes(inside))
  kernel.makeLink(isMove ? target : Buffer.from(meaning(), 'latin1'), to.folder, to.name)
}
