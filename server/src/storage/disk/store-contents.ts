import { realpathSync } from 'node:fs'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { timeSlices } from '../../concurrency/time-slices.ts'
import { Failure } from '../../failure.ts'
import { type KeptFound, topsAmong } from '../keeping.ts'
import { idInName, idOfPlace, nameBefore } from '../kept-names.ts'
import { tolerating } from '../linux/errno.ts'
import { type FolderItem, type Kernel, type Name, O, type Stat } from '../linux/kernel.ts'
import { isFolder, isLink } from '../linux/modes.ts'
import { readMounts } from '../linux/mount-table.ts'
import { inFolder, type VirtualPath } from '../path.ts'
import { infoSuffix, type StoreInfo } from '../store-info.ts'
import type { Disk } from './disk.ts'
import { dropName } from './displace.ts'
import { entryOf } from './entry.ts'
import { inBase, type Rooted } from './in-target.ts'
import type { Take } from './listing.ts'
import { dropInfo, type OpenStore, openStore, originalPlace, readInfo, sharedTrash, textOfName } from './stores.ts'
import { isSame } from './target.ts'
import { exactName, isHidden } from './trees.ts'

/** So many things are told at once. */
const largestPart = 500

/** In milliseconds. What another process is about to finish is younger. */
const unfinishedFor = 3_600_000

interface ReadOptions {
  signal?: Cancellation | undefined
  /** In milliseconds since 1970. */
  now?: number
}

type Reading = ReadOptions & { now: number }

/** Where stores may be: the root of a mount, and each point below it at which a file system is mounted. */
export function topsBelow(root: string): VirtualPath[] {
  const real = tolerating(['ENOENT', 'EACCES'], () => realpathSync(root)) ?? root
  const points = (readMounts() ?? []).map(({ point }) => point)
  return topsAmong(points, real)
}

/** What the stores of one top hold. A top that is gone, or in which nothing was ever kept, holds nothing. */
export const readStoresAt = (
  mount: Rooted,
  top: VirtualPath,
  take: Take<KeptFound>,
  { signal, now = Date.now() }: ReadOptions = {},
): Promise<void> =>
  inBase(mount, async (root) => {
    const { kernel } = mount.disk
    const open = () => kernel.openWithoutLinks(root, top.slice(1) || '.', O.PATH | O.DIRECTORY)
    const fd = tolerating(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'], open)
    if (fd === undefined) return
    try {
      for (const openOne of storesIn(kernel, { fd, path: top })) {
        const store = openOne()
        if (store === undefined) continue
        try {
          await readStore(mount.disk, root, store, take, { signal, now })
        } finally {
          store.close()
        }
      }
    } finally {
      kernel.close(fd)
    }
  })

function storesIn(kernel: Kernel, top: { fd: number; path: VirtualPath }): (() => OpenStore | undefined)[] {
  return [
    () => openStore(kernel, top, 'trash'),
    () => openStore(kernel, top, 'versions'),
    () => {
      const shared = kernel.look(top.fd, '.Trash')
      // One that is not sticky, or is a link, could be exchanged by others; desktops do not use it either.
      if (shared === undefined || !isFolder(shared.mode) || (shared.mode & stickyBit) === 0) return undefined
      return openStore(kernel, top, 'trash', sharedTrash)
    },
  ]
}

const stickyBit = 0o1000

async function readStore(
  disk: Disk,
  root: number,
  store: OpenStore,
  take: Take<KeptFound>,
  options: Reading,
): Promise<void> {
  const { kernel } = disk
  const pause = timeSlices()
  const names = new Set<string>()
  let part: KeptFound[] = []
  const flush = async () => {
    const full = part
    part = []
    if (full.length > 0) await take(full)
  }
  for (let items = kernel.readFolder(store.files, true); items !== null; items = kernel.readFolder(store.files, true))
    for (const item of items) {
      names.add(textOfName(exactName(item)))
      await pause()
      options.signal?.throwIfAborted()
      if (isHidden(item) || disk.ownFiles.is(item.stat)) continue
      const found = await foundIn(kernel, root, store, item, options)
      if (found !== undefined) part.push(found)
      if (part.length >= largestPart) await flush()
    }
  await flush()
  await clearInfos(kernel, store, names, options)
}

async function foundIn(
  kernel: Kernel,
  root: number,
  store: OpenStore,
  { name, bytes, stat }: FolderItem,
  { now }: Reading,
): Promise<KeptFound | undefined> {
  const exact = exactName({ name, bytes })
  const info = await readInfo(kernel, store, exact)
  const text = textOfName(exact)
  const at = placeToldBy(store, info) ?? inFolder(store.top, nameBefore(text))
  if (isLive(kernel, root, at, stat)) {
    if (now - stat.changed >= unfinishedFor) dropSecondName(kernel, store, exact)
    return undefined
  }
  const { kind, size, seconds, nanoseconds } = entryOf(text, stat)
  const place = inFolder(store.place, text)
  return {
    // Only an id that is part of the name belongs to one thing alone.
    id: info?.id !== undefined && info.id === idInName(text) ? info.id : idOfPlace(place),
    store: store.store,
    place,
    at,
    kind,
    size: kind === 'folder' ? undefined : size,
    modified: seconds * 1000 + Math.floor(nanoseconds / 1_000_000),
    keptAt: info?.keptAt ?? Math.floor(stat.changed),
    keep: info?.keep,
  }
}

/** Another program may have written whatever it likes. */
function placeToldBy(store: OpenStore, info: StoreInfo | undefined): VirtualPath | undefined {
  try {
    return info?.path === undefined ? undefined : originalPlace(store, info)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/**
 * A file that is replaced is linked into the store first, and then its name goes to the new one. Where a crash came
 * between, or the server is between both, it is still what it was.
 */
function isLive(kernel: Kernel, root: number, at: VirtualPath, stat: Stat): boolean {
  if (stat.links < 2 || isFolder(stat.mode) || isLink(stat.mode)) return false
  const fd = tolerating(lookFailures, () => kernel.openWithoutLinks(root, at.slice(1) || '.', O.PATH | O.NOFOLLOW))
  if (fd === undefined) return false
  try {
    return isSame(kernel.statOpen(fd), stat)
  } finally {
    kernel.close(fd)
  }
}

const lookFailures = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG', 'EXDEV', 'EINVAL']

function dropSecondName(kernel: Kernel, store: OpenStore, name: Name): void {
  tolerating(['ENOENT', 'EROFS', 'EACCES', 'EPERM'], () => {
    dropName(kernel, { folder: store.files, name })
    dropInfo(kernel, store, name)
  })
}

/** Infos of nothing: a removal that did not come to its rename, or something that was taken out since. */
async function clearInfos(
  kernel: Kernel,
  store: OpenStore,
  names: ReadonlySet<string>,
  { signal, now }: Reading,
): Promise<void> {
  const pause = timeSlices()
  for (let items = kernel.readNames(store.info); items !== null; items = kernel.readNames(store.info))
    for (const item of items) {
      const name = textOfName(exactName(item))
      if (!name.endsWith(infoSuffix) || names.has(name.slice(0, -infoSuffix.length))) continue
      await pause()
      signal?.throwIfAborted()
      tolerating(['ENOENT', 'EROFS', 'EACCES', 'EPERM'], () => clearInfo(kernel, store, exactName(item), now))
    }
}

function clearInfo(kernel: Kernel, store: OpenStore, infoName: Name, now: number): void {
  const { changed } = kernel.stat(store.info, infoName)
  const name = nameOfInfo(infoName)
  // Looked for again: it may have come since the names were read.
  if (now - changed < unfinishedFor || kernel.look(store.files, name) !== undefined) return
  dropName(kernel, { folder: store.info, name: infoName })
}

const nameOfInfo = (name: Name): Name => name.slice(0, -infoSuffix.length)
