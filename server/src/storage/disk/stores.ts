import { type KeepStore, keepStores } from '@filestead/contract'
import { textOf } from '../exact-names.ts'
import { Errno, succeeds, tolerating } from '../linux/errno.ts'
import { type Kernel, type Name, O } from '../linux/kernel.ts'
import { isFile } from '../linux/modes.ts'
import { inFolder, keptPath, rebase, rootPath, type VirtualPath } from '../path.ts'
import { infoSuffix, infoText, parseInfo, type StoreInfo, type WrittenInfo } from '../store-info.ts'
import { storeNames } from '../store-names.ts'
import type { Disk } from './disk.ts'
import { dropName } from './displace.ts'
import { pathOfDescriptor } from './drafts.ts'
import { sync } from './sync.ts'
import { isSame } from './target.ts'
import { isMountRoot } from './volume.ts'

/** The top of a file system within the served folder: a rename from there into its stores never leaves it. */
export interface Top {
  readonly fd: number
  /** From the root of the mount. */
  readonly path: VirtualPath
  close(): void
}

/** A store that is open. */
export interface OpenStore {
  readonly store: KeepStore
  /** The folder that holds it, from the root of the mount: what info files tell counts from there. */
  readonly top: VirtualPath
  /** The places of its things begin so. */
  readonly place: VirtualPath
  /** Its two folders. */
  readonly files: number
  readonly info: number
  /** It was made just now, and is not synced. */
  readonly isNew?: boolean
  close(): void
}

/**
 * The top of the file system that an open folder lies on. `root` is the open root of the mount, which the search does not
 * leave. Undefined for a folder outside of it, which only a symlink leads to.
 */
export function topOf(kernel: Kernel, root: number, folder: number): Top | undefined {
  const base = kernel.statOpen(root)
  let [at, here] = [folder, kernel.statOpen(folder)]
  const close = () => {
    if (at !== folder) kernel.close(at)
  }
  try {
    while (!isSame(here, base) && !isMountRoot(here)) {
      const up = kernel.open(at, '..', O.PATH | O.DIRECTORY)
      const above = kernel.statOpen(up)
      // Old kernels do not tell where something is mounted, and no kernel tells of a subvolume; the device does.
      if (above.device !== here.device || isSame(above, here)) {
        kernel.close(up)
        break
      }
      close()
      ;[at, here] = [up, above]
    }
    const path = pathBetween(root, at)
    if (path !== undefined) return { fd: at, path, close }
  } catch (error) {
    close()
    throw error
  }
  close()
  return undefined
}

/** Where an open folder lies beneath another one; undefined where it does not. */
export function pathBetween(root: number, folder: number): VirtualPath | undefined {
  const [start, path] = [pathOfDescriptor(root), pathOfDescriptor(folder)]
  if (path === start) return rootPath
  // The root of the machine may be what is served.
  const inside = start === '/' ? '/' : `${start}/`
  return path.startsWith(inside) ? inFolder(rootPath, path.slice(inside.length)) : undefined
}

/** Opens a store below an open top. Undefined where there is none; no part of its path may be a link. */
export function openStore(
  kernel: Kernel,
  { fd, path }: Pick<Top, 'fd' | 'path'>,
  store: KeepStore,
  folder = storeNames[store],
): OpenStore | undefined {
  const open = (name: string) =>
    tolerating(notThere, () => kernel.openWithoutLinks(fd, `${folder}/${name}`, O.RDONLY | O.DIRECTORY))
  const files = open('files')
  if (files === undefined) return undefined
  let info: number | undefined
  try {
    info = open('info')
  } finally {
    if (info === undefined) kernel.close(files)
  }
  if (info === undefined) return undefined
  const [first, second] = [files, info]
  return {
    store,
    top: path,
    place: inFolder(below(path, folder), 'files'),
    files: first,
    info: second,
    close() {
      kernel.close(first)
      kernel.close(second)
    },
  }
}

const notThere = ['ENOENT', 'ENOTDIR', 'ELOOP']

/** The same, and makes it where it is missing; what is in it is for the account of the server alone. */
export function openOrMakeStore(
  disk: Pick<Disk, 'kernel' | 'storeKernel'>,
  top: Pick<Top, 'fd' | 'path'>,
  store: KeepStore,
): OpenStore {
  const { kernel } = disk
  const name = storeNames[store]
  requireOwn(kernel, top.fd, name)
  const there = openStore(kernel, top, store)
  if (there !== undefined) return there
  const make = (folder: number, name: string) =>
    succeeds(['EEXIST'], () => (disk.storeKernel ?? kernel).makeFolder(folder, name, 0o700))
  make(top.fd, name)
  const folder = kernel.openWithoutLinks(top.fd, name, O.RDONLY | O.DIRECTORY)
  try {
    make(folder, 'files')
    make(folder, 'info')
  } finally {
    kernel.close(folder)
  }
  const made = openStore(kernel, top, store)
  // A file or a link has the name of one of its folders.
  if (made === undefined) throw new Errno('ENOTDIR', 'openat')
  return { ...made, isNew: true }
}

/**
 * In a folder that another account has made, that one could read what lies in closed folders. Where a file system has one
 * owner for all, it is that of the top.
 */
function requireOwn(kernel: Kernel, top: number, name: string): void {
  const stat = kernel.look(top, name)
  if (stat !== undefined && stat.uid !== process.geteuid?.() && stat.uid !== kernel.statOpen(top).uid)
    throw new Errno('EACCES', 'stores')
}

/** Waits until a new store is safe. */
export async function syncStore(kernel: Kernel, { files }: OpenStore): Promise<void> {
  for (const path of ['.', '../info', '..', '../..']) {
    const folder = kernel.open(files, path, O.RDONLY | O.DIRECTORY)
    try {
      await sync(kernel, folder)
    } finally {
      kernel.close(folder)
    }
  }
}

/** A place in a store, taken apart. */
export interface PlaceParts {
  readonly store: KeepStore
  /** The name of the store's folder, or two names. */
  readonly folder: string
  /** The folder that holds the store. */
  readonly top: VirtualPath
  readonly name: string
}

/** The trash of this account in one that is for all of them. Nothing is put there, but desktops may do so. */
export const sharedTrash = `.Trash/${process.geteuid?.() ?? 0}`

/** Undefined for what does not lie directly in a store's `files`. */
export function placeParts(place: VirtualPath): PlaceParts | undefined {
  const names = place.slice(1).split('/')
  const [files, name] = names.slice(-2)
  if (files !== 'files' || name === undefined || name === '') return undefined
  const folder = names.at(-3)
  const store = keepStores.find((store) => storeNames[store] === folder)
  if (store !== undefined && folder !== undefined)
    return { store, folder, top: keptPath(names.slice(0, -3).join('/')), name }
  if (names.slice(-4, -2).join('/') !== sharedTrash) return undefined
  return { store: 'trash', folder: sharedTrash, top: keptPath(names.slice(0, -4).join('/')), name }
}

/** Opens the store that a place names. Undefined where it is no place of a store, or that is gone. */
export function openStoreOf(
  kernel: Kernel,
  root: number,
  place: VirtualPath,
): (OpenStore & { readonly name: string }) | undefined {
  const parts = placeParts(place)
  if (parts === undefined) return undefined
  const fd = tolerating(notThere, () => kernel.openWithoutLinks(root, parts.top.slice(1) || '.', O.PATH | O.DIRECTORY))
  if (fd === undefined) return undefined
  try {
    const opened = openStore(kernel, { fd, path: parts.top }, parts.store, parts.folder)
    return opened && { ...opened, name: parts.name }
  } finally {
    kernel.close(fd)
  }
}

/** Fails with EEXIST where the name is taken: the process that makes the info file owns the name. */
export function writeInfo(kernel: Kernel, store: OpenStore, name: string, told: WrittenInfo): void {
  const fd = kernel.open(store.info, infoName(name), O.WRONLY | O.CREAT | O.EXCL | O.NOFOLLOW, 0o600)
  try {
    kernel.writeNow(fd, Buffer.from(infoText(told)))
  } catch (error) {
    dropInfo(kernel, store, name)
    throw error
  } finally {
    kernel.close(fd)
  }
}

/** Undefined where there is none. */
export async function readInfo(kernel: Kernel, { info }: OpenStore, name: Name): Promise<StoreInfo | undefined> {
  const fd = tolerating(notThere, () => kernel.open(info, infoName(name), O.RDONLY | O.NOFOLLOW | O.NONBLOCK))
  if (fd === undefined) return undefined
  try {
    if (!isFile(kernel.statOpen(fd).mode)) return undefined
    const text = new Uint8Array(largestInfo)
    const length = await kernel.read(fd, text, 0)
    return parseInfo(Buffer.from(text.subarray(0, length)).toString())
  } finally {
    kernel.close(fd)
  }
}

/** In bytes: a path of 4096, each of three characters, and our own lines. */
const largestInfo = 16 * 1024

/** One that is gone is fine. */
export const dropInfo = (kernel: Kernel, { info }: OpenStore, name: Name): void =>
  void tolerating(['ENOENT'], () => dropName(kernel, { folder: info, name: infoName(name) }))

/** Of a name that may not be UTF-8. */
export const infoName = (name: Name): Name =>
  typeof name === 'string' ? `${name}${infoSuffix}` : Buffer.concat([name, Buffer.from(infoSuffix)])

/** Where the thing was, from the root of the mount; the folder that holds the store where no info tells. */
export const originalPlace = ({ top }: Pick<OpenStore, 'top'>, info: StoreInfo | undefined): VirtualPath =>
  info?.path === undefined ? top : below(top, info.path)

/** The text of a name that may not be UTF-8, as paths spell it. */
export const textOfName = (name: Name): string => (typeof name === 'string' ? name : textOf(name))

const below = (top: VirtualPath, path: string): VirtualPath => rebase(top, keptPath(path))
