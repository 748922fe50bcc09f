import { lstatSync, opendirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { tolerating } from '../linux/errno.ts'
import { type Mount, readMounts } from '../linux/mount-table.ts'

/** Kinds of file systems that take 'Private' and 'PRIVATE' for one name, or may have one behind them that does. */
const folding = new Set([
  ...['vfat', 'msdos', 'exfat', 'ntfs', 'ntfs3', 'fuseblk', 'hfs', 'hfsplus', 'apfs'],
  ...['cifs', 'smb3', 'smbfs', '9p', 'virtiofs', 'fakeowner', 'fuse.grpcfuse', 'vboxsf', 'vmhgfs', 'fuse.vmhgfs-fuse'],
])

const often = 60_000

/** Is capital or small the same anywhere below this folder? Volumes come and go, so it is looked at again at times. */
export function foldsCaseBelow(root: string, now: () => number = () => performance.now()): () => boolean {
  let known = false
  let until = Number.NEGATIVE_INFINITY
  return () => {
    if (now() < until) return known
    until = now() + often
    const mounts = readMounts() ?? []
    const points = new Set(mounts.map(({ point }) => point))
    known = hasFoldingMount(mounts, root) || takesOtherCase(root, points)
    return known
  }
}

/** By the kernel's list of mounts: the one that holds the folder, and those below it. */
export function hasFoldingMount(all: readonly Mount[], root: string): boolean {
  const mounts = all.map(({ point, type }) => ({ point, isFolding: folding.has(type) }))
  const holder = mounts.filter(({ point }) => isAtOrBelow(root, point)).sort((a, b) => a.point.length - b.point.length)
  return (
    (holder.at(-1)?.isFolding ?? false) || mounts.some(({ point, isFolding }) => isFolding && isAtOrBelow(point, root))
  )
}

const isAtOrBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** One name tells as much as all of them, and a root may hold millions. */
const mostLooked = 1000

/** Is there an entry that also answers to its name in the other case? Some folders of ext4 are made that way. */
function takesOtherCase(root: string, points: ReadonlySet<string>): boolean {
  const name = firstWithLetters(root, points)
  if (name === undefined) return false
  const other = name.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  const [one, two] = [name, other].map((each) => tolerating(['ENOENT', 'EACCES'], () => lstatSync(join(root, each))))
  if (one === undefined || one.ino !== two?.ino) return false
  // Two names of one file, which differ in case, are the only other explanation.
  return one.isDirectory() || one.nlink === 1 || !readdirSync(root).includes(other)
}

/** A file system that is mounted there says nothing about the root's, and may not answer at all. */
function firstWithLetters(root: string, points: ReadonlySet<string>): string | undefined {
  const folder = tolerating(['ENOENT', 'EACCES', 'ENOTDIR'], () => opendirSync(root))
  try {
    for (let count = 0; count < mostLooked; count += 1) {
      const name = folder?.readSync()?.name
      if (name === undefined || (/[a-z]/i.test(name) && !points.has(join(root, name)))) return name
    }
    return undefined
  } finally {
    folder?.closeSync()
  }
}
