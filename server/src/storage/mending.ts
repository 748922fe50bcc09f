import { readSync, realpathSync } from 'node:fs'
import { posix } from 'node:path'
import { draftPrefix } from '../files/path.ts'
import { codeOf, unless } from './errno.ts'
import { openFolder, splitPlace } from './full-names.ts'
import { type Identity, type Kernel, type Name, O } from './kernel.ts'
import { isFile, isFolder } from './modes.ts'
import { breathe } from './pauses.ts'
import type { Spot } from './place.ts'
import { alone, pour } from './pouring.ts'
import { renameToFree } from './renaming.ts'
import { sync } from './sync.ts'
import { exactName } from './trees.ts'

/**
 * A file that a draft is poured into. By the time a crash is mended something else may have its name, and on many file
 * systems even its number; the time of birth tells them apart. Version 1.0.0 noted the name alone.
 */
export interface PourTarget {
  readonly place: string
  readonly device: number | null
  readonly inode: number | null
  /** Empty where the file system keeps none. */
  readonly born: string | null
}

export interface Clearing {
  /** Where a file that was being poured into is looked for when its name leads elsewhere by now. */
  readonly root?: string
  /** Hears of a draft that was kept under a visible name, because its file was not there any more. */
  readonly recovered?: (file: string) => void
}

/** A draft in an open folder, and the full name of that folder. */
interface LeftSpot extends Spot {
  readonly name: string
  readonly place: string
}

const absent = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR']

/**
 * Pours a whole draft into the very file that was half poured, wherever that is now. Where it is nowhere, the draft is
 * kept for whoever sent it, under a name that says so: what stands at the old name came later and stays.
 */
export async function finishPour(
  kernel: Kernel,
  draft: LeftSpot,
  target: PourTarget,
  { root, recovered }: Clearing,
): Promise<void> {
  if (kernel.look(draft.folder, draft.name) === undefined) return
  const torn = openAtPlace(kernel, draft, target) ?? (await openElsewhere(kernel, draft, target, root))
  if (torn === undefined) {
    const file = await recover(kernel, draft, target)
    recovered?.(file)
    return
  }
  try {
    await alone(kernel.statOpen(torn), async () => {
      // Whoever had the file before us may have written a later version, and dropped the draft.
      const from = unless(['ENOENT'], () => kernel.open(draft.folder, draft.name, O.RDONLY | O.NOFOLLOW))
      if (from === undefined) return
      try {
        await pour(kernel, from, torn)
      } finally {
        kernel.close(from)
      }
    })
  } finally {
    kernel.close(torn)
  }
}

/** Which file is torn, as far as can be told without a search. */
export function identityOf(kernel: Kernel, { place, device, inode }: PourTarget): Identity | undefined {
  const there = inFolderOf(kernel, place, (folder, name) => kernel.look(folder, name))
  if (there !== undefined && (inode === null || there.inode === inode)) return there
  return device === null || inode === null ? undefined : { device, inode }
}

const openAtPlace = (kernel: Kernel, draft: Spot, target: PourTarget): number | undefined =>
  inFolderOf(kernel, target.place, (folder, name) => openIfTorn(kernel, draft, { folder, name }, target))

/** Another of its names, or the one that it was given since: first in its old folder, then in all of its file system. */
async function openElsewhere(
  kernel: Kernel,
  draft: Spot,
  target: PourTarget,
  root: string | undefined,
): Promise<number | undefined> {
  if (target.inode === null) return undefined
  for (const [place, isDeep] of [
    [splitPlace(target.place).folder, false],
    [root, true],
  ] as const) {
    const folder = place === undefined ? undefined : unless(absent, () => openFolder(kernel, realpathSync(place)))
    if (folder === undefined) continue
    try {
      const found = await search(kernel, draft, folder, target, isDeep)
      if (found !== undefined) return found
    } finally {
      kernel.close(folder)
    }
  }
  return undefined
}

/** Looks at names and numbers alone, which is quick; only what has the number is opened. */
async function search(
  kernel: Kernel,
  draft: Spot,
  folder: number,
  target: PourTarget,
  isDeep: boolean,
): Promise<number | undefined> {
  const { device } = kernel.statOpen(folder)
  const below: Name[] = []
  for (let items = kernel.readNames(folder); items !== null; items = kernel.readNames(folder)) {
    for (const item of items) {
      const name = exactName(item)
      if (isDeep && isFolder(item.mode)) below.push(name)
      if (item.inode !== target.inode || !isFile(item.mode)) continue
      const found = openIfTorn(kernel, draft, { folder, name }, target)
      if (found !== undefined) return found
    }
    await breathe()
  }
  for (const name of below) {
    const flags = O.RDONLY | O.DIRECTORY | O.NOFOLLOW
    const next = unless([...absent, 'EACCES'], () => kernel.open(folder, name, flags))
    if (next === undefined) continue
    try {
      // No file has a name on another file system.
      if (kernel.statOpen(next).device !== device) continue
      const found = await search(kernel, draft, next, target, true)
      if (found !== undefined) return found
    } finally {
      kernel.close(next)
    }
  }
  return undefined
}

function openIfTorn(kernel: Kernel, draft: Spot, spot: Spot, target: PourTarget): number | undefined {
  const there = kernel.look(spot.folder, spot.name)
  if (there === undefined || !isFile(there.mode) || (target.inode !== null && there.inode !== target.inode))
    return undefined
  const access = target.inode === null ? O.RDWR : O.WRONLY
  const fd = unless(absent, () => kernel.open(spot.folder, spot.name, access | O.NOFOLLOW | O.NONBLOCK))
  if (fd === undefined) return undefined
  let isMeant = false
  try {
    isMeant = target.inode === null ? beginsLike(kernel, draft, fd) : isSameFile(kernel, fd, target)
    return isMeant ? fd : undefined
  } finally {
    if (!isMeant) kernel.close(fd)
  }
}

/** Devices are numbered anew at every start of a machine, so the time of birth says more, where there is one. */
function isSameFile(kernel: Kernel, fd: number, target: PourTarget): boolean {
  const { inode, device } = kernel.statOpen(fd)
  const born = kernel.bornAt(fd)
  const isSameBirth = target.born && born ? born === target.born : device === target.device
  return inode === target.inode && isSameBirth
}

/** Pouring goes from the start to the end: a file that begins otherwise has not been touched, or came later. */
function beginsLike(kernel: Kernel, draft: Spot, fd: number): boolean {
  const from = unless(absent, () => kernel.open(draft.folder, draft.name, O.RDONLY | O.NOFOLLOW))
  if (from === undefined) return false
  try {
    const [whole, found] = [headOf(from), headOf(fd)]
    const length = Math.min(whole.length, found.length)
    return length > 0 && whole.subarray(0, length).equals(found.subarray(0, length))
  } finally {
    kernel.close(from)
  }
}

function headOf(fd: number): Buffer {
  const head = Buffer.alloc(4096)
  return head.subarray(0, readSync(fd, head, 0, head.length, 0))
}

/** Gives a draft a free visible name, beside the file it was meant for or, where that is closed to us, where it lies. */
async function recover(kernel: Kernel, draft: LeftSpot, target: PourTarget): Promise<string> {
  const { folder: place, name } = splitPlace(target.place)
  const beside = unless(absent, () => openFolder(kernel, place))
  try {
    for (const folder of beside === undefined ? [draft.folder] : [beside, draft.folder]) {
      const free = takeFreeName(kernel, draft, folder, name)
      if (free === undefined) continue
      await sync(kernel, folder)
      if (folder !== draft.folder) await sync(kernel, draft.folder)
      return `${folder === beside ? place : draft.place}/${free}`
    }
    throw new Error('There is no name for a draft')
  } finally {
    if (beside !== undefined) kernel.close(beside)
  }
}

const mostNames = 1000

function takeFreeName(kernel: Kernel, draft: Spot, folder: number, name: string): string | undefined {
  for (let number = 1; number <= mostNames; number += 1) {
    const free = recoveredName(name, number)
    try {
      renameToFree(kernel, draft, { folder, name: free })
      return free
    } catch (error) {
      const code = codeOf(error) ?? ''
      if (['EXDEV', 'EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes(code)) return undefined
      if (code !== 'EEXIST') throw error
    }
  }
  return undefined
}

const longestName = 255

/** 'report.txt' becomes 'report (recovered).txt'. */
function recoveredName(name: string, number: number): string {
  const ending = posix.extname(name)
  const mark = number === 1 ? ' (recovered)' : ` (recovered ${number})`
  let stem = name.slice(0, name.length - ending.length)
  while (stem !== '' && Buffer.byteLength(`${stem}${mark}${ending}`) > longestName) stem = stem.slice(0, -1)
  return `${stem}${mark}${ending}`
}

function inFolderOf<T>(kernel: Kernel, place: string, work: (folder: number, name: string) => T): T | undefined {
  const { folder: holder, name } = splitPlace(place)
  // The ledger is a file like any other: no draft is ever poured into another one.
  if (name.startsWith(draftPrefix)) return undefined
  const folder = unless(absent, () => openFolder(kernel, holder))
  if (folder === undefined) return undefined
  try {
    return work(folder, name)
  } finally {
    kernel.close(folder)
  }
}
