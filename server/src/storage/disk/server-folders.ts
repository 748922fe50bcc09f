import { isInside } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import { follow } from '../links.ts'
import { codeOf, tolerating, translated } from '../linux/errno.ts'
import { type Kernel, linuxKernel, O } from '../linux/kernel.ts'
import { isFile, isFolder, isLink } from '../linux/modes.ts'
import { type Mount, readMounts } from '../linux/mount-table.ts'
import { linkAt, readPart } from './reading.ts'

/** What tells folders of the server apart, by whichever name they are reached. */
export interface PlaceFacts {
  /** The full name without symlinks. */
  readonly real: string
  readonly device: number
  readonly inode: number
  /** Where it lies in its file system; empty where the system does not tell. A bind mount has another name for the same. */
  readonly onDisk: string
}

export interface ServerFolderFacts extends PlaceFacts {
  /** The symlinks on the way to it, by full names. */
  readonly links: readonly string[]
}

/** The folders in a folder of the server. */
export interface FoldersIn {
  readonly real: string
  readonly names: string[]
  /** Is it one of the folders in which all others have to lie? */
  readonly isTop: boolean
}

/** The folders in a folder; symlinks are none. */
export interface FolderNames {
  /** The full name without symlinks. */
  readonly real: string
  /** Who owns the folder. */
  readonly uid: number
  readonly names: readonly string[]
}

export interface PlaceTimes {
  readonly device: number
  readonly uid: number
  readonly isFolder: boolean
  /** In milliseconds since 1970: when the content changed, and when anything about it did. */
  readonly modified: number
  readonly changed: number
}

/** Looks at folders of the server by their full names, in whichever file system they lie. */
export interface ServerFolders {
  /** A `Failure` says in a sentence why it cannot be used. */
  inspectFolder(path: string): Promise<ServerFolderFacts>
  /** The same for files and folders of which some may not be there: null, which goes from thread to thread as text. */
  inspectPlaces(paths: readonly string[]): Promise<(PlaceFacts | null)[]>
  /** The folders in a folder, which lies in one of `within`. Symlinks to folders count where they lead there, too. */
  foldersIn(path: string, within: readonly string[]): Promise<FoldersIn>
  /** The names of folders in several ones; null for what cannot be read, as in all of the below. */
  namesIn(paths: readonly string[]): Promise<(FolderNames | null)[]>
  /** Nothing is mounted for it, and the name itself is not followed. */
  timesOf(paths: readonly string[]): Promise<(PlaceTimes | null)[]>
  /** The beginnings of files. */
  textsOf(paths: readonly string[]): Promise<(string | null)[]>
}

/** For a command, which may wait for a disk. */
export const serverFolders = (kernel: Kernel = linuxKernel()): ServerFolders => ({
  inspectFolder: (path) => translated(() => inspectFolder(kernel, path)),
  inspectPlaces: (paths) => translated(() => inspectPlaces(kernel, paths)),
  foldersIn: (path, within) => translated(() => foldersIn(kernel, path, within)),
  namesIn: (paths) => translated(() => paths.map((path) => namesIn(kernel, path))),
  timesOf: (paths) => translated(() => paths.map((path) => timesOf(kernel, path))),
  textsOf: (paths) => translated(() => paths.map((path) => textOf(kernel, path))),
})

function inspectFolder(kernel: Kernel, path: string): ServerFolderFacts {
  const links: string[] = []
  const real = realName(path, (link) => void links.push(link))
  const fd = openFolder(kernel, real)
  try {
    const { device, inode } = kernel.statOpen(fd)
    return { real, device, inode, onDisk: nameOnDisk(real, readMounts() ?? []), links }
  } finally {
    kernel.close(fd)
  }
}

const inspectPlaces = (kernel: Kernel, paths: readonly string[]): (PlaceFacts | null)[] => {
  const mounts = readMounts() ?? []
  return paths.map((path) => {
    const real = realName(path)
    const stat = tolerating(unreachable, () => kernel.look(-1, real))
    return stat === undefined
      ? null
      : { real, device: stat.device, inode: stat.inode, onDisk: nameOnDisk(real, mounts) }
  })
}

function foldersIn(kernel: Kernel, path: string, within: readonly string[]): FoldersIn {
  const tops = within.map((top) => realName(top))
  const isWithin = (place: string) => tops.some((top) => isInside(place, top))
  const real = realName(path)
  if (!isWithin(real)) throw new Failure('forbidden', 'The folder lies outside of what may be chosen')
  const fd = openFolder(kernel, real)
  const names: string[] = []
  const isFolderBehind = (name: string) => {
    const place = realName(`${real === '/' ? '' : real}/${name}`)
    return isWithin(place) && isFolder(tolerating(unreachable, () => kernel.look(-1, place))?.mode ?? 0)
  }
  try {
    for (let items = kernel.readNames(fd); items !== null && names.length < mostNames; items = kernel.readNames(fd))
      // What is not UTF-8 could not be asked for.
      for (const { name, bytes, mode } of items)
        if (bytes === undefined && (isFolder(mode) || (isLink(mode) && isFolderBehind(name)))) names.push(name)
    return { real, names, isTop: tops.includes(real) }
  } finally {
    kernel.close(fd)
  }
}

function namesIn(kernel: Kernel, path: string): FolderNames | null {
  const real = tolerating(unreachable, () => realName(path))
  const fd = real && tolerating(unreachable, () => kernel.open(-1, real, O.RDONLY | O.DIRECTORY | O.NOFOLLOW))
  if (!real || fd === undefined || fd === '') return null
  try {
    const names: string[] = []
    for (let items = kernel.readNames(fd); items !== null && names.length < mostNames; items = kernel.readNames(fd))
      for (const { name, bytes, mode } of items) if (bytes === undefined && isFolder(mode)) names.push(name)
    return { real, uid: kernel.statOpen(fd).uid, names }
  } catch (error) {
    if (unreachable.includes(codeOf(error) ?? '')) return null
    throw error
  } finally {
    kernel.close(fd)
  }
}

function timesOf(kernel: Kernel, path: string): PlaceTimes | null {
  const stat = tolerating(unreachable, () => kernel.lookInFolder(-1, path))
  if (stat === undefined) return null
  const { device, uid, mode, seconds, nanoseconds, changed } = stat
  return { device, uid, isFolder: isFolder(mode), modified: seconds * 1000 + nanoseconds / 1e6, changed }
}

function textOf(kernel: Kernel, path: string): string | null {
  const fd = tolerating([...unreachable, 'ENXIO'], () => kernel.open(-1, path, O.RDONLY | O.NOFOLLOW | O.NONBLOCK))
  if (fd === undefined) return null
  try {
    return isFile(kernel.statOpen(fd).mode) ? Buffer.from(readPart(fd, 0, longestText)).toString() : null
  } finally {
    kernel.close(fd)
  }
}

/** In bytes: of a file that another program made, and may be anything. */
const longestText = 65_536

/** More than a person looks through. */
const mostNames = 5000

const realName = (path: string, found?: (link: string) => void): string => follow('', path, linkAt, found)

/** What cannot be told is found to be missing. */
const unreachable = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG']

function openFolder(kernel: Kernel, real: string): number {
  try {
    return kernel.open(-1, real, O.RDONLY | O.DIRECTORY | O.NOFOLLOW)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') throw new Failure('not-found', `There is no folder ${real} on the server`)
    if (code === 'ENOTDIR' || code === 'ELOOP') throw new Failure('invalid', `${real} is not a folder`)
    if (code === 'EACCES') throw new Failure('forbidden', `The account of the server may not read ${real}`)
    throw error
  }
}

/** By the kernel's list: the device, and the name that the folder has on it. */
export function nameOnDisk(real: string, mounts: readonly Mount[]): string {
  let nearest: Mount | undefined
  // Of two at one point the later one hides the earlier.
  for (const mount of mounts)
    if (isInside(real, mount.point) && mount.point.length >= (nearest?.point.length ?? 0)) nearest = mount
  if (nearest === undefined) return ''
  const { device, top, point } = nearest
  const below = point === '/' ? real : real.slice(point.length)
  return `${device}:${top === '/' ? '' : top}${below === '/' ? '' : below}` || ''
}
