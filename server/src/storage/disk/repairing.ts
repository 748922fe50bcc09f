import { readSync, realpathSync } from 'node:fs'
import { posix } from 'node:path'
import { yieldToLoop } from '../../concurrency/time-slices.ts'
import { codeOf, tolerating } from '../linux/errno.ts'
import { type Identity, type Kernel, type Name, O, type Stat } from '../linux/kernel.ts'
import { isFile, isFolder } from '../linux/modes.ts'
import { draftPrefix } from '../path.ts'
import { isSameBorn } from './birth.ts'
import { openFolder, splitPath } from './full-paths.ts'
import { exclusively, overwriteInPlace, reserveSpace } from './in-place.ts'
import { renameToFree } from './renaming.ts'
import { sync } from './sync.ts'
import type { NameAt } from './target.ts'
import { exactName } from './trees.ts'
import { lockForWriting } from './write-lock.ts'

/**
 * A file that a draft is written into. By the time a crash is repaired something else may have its name, and on many file
 * systems even its number; the time of birth tells them apart. Version 1.0.0 noted the name alone.
 */
export interface OverwriteTarget {
  readonly place: string
  readonly device: number | null
  readonly inode: number | null
  /** Empty where the file system keeps none. */
  readonly born: string | null
  /** As it was before the first byte was written. */
  readonly size: number | null
  /** In nanoseconds since 1970. */
  readonly modified: string | null
}

/** What is noted of an open file before a draft is written into it. */
export function targetAt(kernel: Kernel, fd: number, place: string): OverwriteTarget {
  const { device, inode, size, ...stat } = kernel.statOpen(fd)
  return { place, device, inode, size, modified: modifiedIn(stat), born: kernel.bornAt(fd) }
}

const modifiedIn = ({ seconds, nanoseconds }: Pick<Stat, 'seconds' | 'nanoseconds'>): string =>
  String(BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds))

export interface Clearing {
  /** Where a file that was being written into is looked for when its name leads elsewhere by now. */
  readonly root?: string
  /** Hears of a draft that was kept under a visible name, because its file was not there any more. */
  readonly recovered?: (file: string) => void
}

/** A draft in an open folder, and the full name of that folder. */
interface LeftDraftAt extends NameAt {
  readonly name: string
  readonly place: string
}

const absent = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR']

/**
 * Writes a whole draft into the very file that was half overwritten, wherever that is now. Where it is nowhere, or holds what
 * was written into it later, the draft is kept under a visible name that says so.
 */
export async function finishOverwrite(
  kernel: Kernel,
  draft: LeftDraftAt,
  target: OverwriteTarget,
  { root, recovered }: Clearing,
): Promise<Outcome> {
  if (kernel.look(draft.folder, draft.name) === undefined) {
    const there = inFolderOf(kernel, target.place, (folder, name) => kernel.look(folder, name))
    return there === undefined ? 'out of reach' : 'done'
  }
  const file = openAtPlace(kernel, target) ?? (await openElsewhere(kernel, target, root))
  let outcome: Outcome | 'another file' = 'another file'
  if (file !== undefined) {
    try {
      outcome = await exclusively(kernel.statOpen(file), async () => {
        await lockForWriting(file)
        return finishIn(kernel, draft, target, file)
      })
    } finally {
      kernel.close(file)
    }
  }
  if (outcome !== 'another file') return outcome
  const kept = await recover(kernel, draft, target)
  recovered?.(kept)
  return 'done'
}

/** Neither draft nor file are there, as on a volume that is not mounted; or the first byte was never written. */
type Outcome = 'done' | 'out of reach' | 'never begun'

async function finishIn(
  kernel: Kernel,
  draft: LeftDraftAt,
  target: OverwriteTarget,
  file: number,
): Promise<Outcome | 'another file'> {
  // The holder of the lock before may have written a later version, and dropped the draft.
  const from = tolerating(['ENOENT'], () => kernel.open(draft.folder, draft.name, O.RDONLY | O.NOFOLLOW))
  if (from === undefined) return 'done'
  try {
    if (!isHalfOverwritten(kernel, from, file, target))
      return isUntouched(kernel, file, target) ? 'never begun' : 'another file'
    await reserveSpace(kernel, from, file)
    await overwriteInPlace(kernel, from, file)
    return 'done'
  } finally {
    kernel.close(from)
  }
}

/**
 * Overwriting goes from the start to the end and cuts the file at last: one that begins otherwise than the draft, or is too
 * short or too long, has not been touched yet or was written by another program since.
 */
function isHalfOverwritten(kernel: Kernel, draft: number, file: number, target: OverwriteTarget): boolean {
  const [size, wholeSize] = [kernel.statOpen(file).size, kernel.statOpen(draft).size]
  // A page is written whole. Of a large file much more than that is written at once, and versions may share a page.
  const length = Math.min(wholeSize > 1 << 20 ? 1 << 16 : 1 << 12, wholeSize, size)
  if (length === 0 || !headOf(draft, length).equals(headOf(file, length))) return false
  if (target.size === null) return true
  return size === wholeSize || (size >= target.size && size <= Math.max(target.size, wholeSize))
}

function isUntouched(kernel: Kernel, file: number, target: OverwriteTarget): boolean {
  const stat = kernel.statOpen(file)
  return stat.size === target.size && modifiedIn(stat) === target.modified
}

/** Which file is half written, as far as can be told without a search. */
export function identityOf(kernel: Kernel, { place, device, inode }: OverwriteTarget): Identity | undefined {
  const there = inFolderOf(kernel, place, (folder, name) => kernel.look(folder, name))
  if (there !== undefined && (inode === null || there.inode === inode)) return there
  return device === null || inode === null ? undefined : { device, inode }
}

const openAtPlace = (kernel: Kernel, target: OverwriteTarget): number | undefined =>
  inFolderOf(kernel, target.place, (folder, name) => openIfSame(kernel, { folder, name }, target))

/** Another of its names, or the one that it was given since: first in its old folder, then in all of its file system. */
async function openElsewhere(
  kernel: Kernel,
  target: OverwriteTarget,
  root: string | undefined,
): Promise<number | undefined> {
  if (target.inode === null) return undefined
  for (const [place, isDeep] of [
    [splitPath(target.place).folder, false],
    [root, true],
  ] as const) {
    const folder = place === undefined ? undefined : tolerating(absent, () => openFolder(kernel, realpathOf(place)))
    if (folder === undefined) continue
    try {
      const found = await search(kernel, folder, target, isDeep)
      if (found !== undefined) return found
    } finally {
      kernel.close(folder)
    }
  }
  return undefined
}

/** A path that is not UTF-8 came from an open descriptor and is real already; node:fs could not read it. */
const realpathOf = (path: string): string => (path.isWellFormed() ? realpathSync(path) : path)

/** Looks at names and numbers alone, which is quick; only what has the number is opened. */
async function search(
  kernel: Kernel,
  folder: number,
  target: OverwriteTarget,
  isDeep: boolean,
): Promise<number | undefined> {
  const { device } = kernel.statOpen(folder)
  const below: Name[] = []
  for (let items = kernel.readNames(folder); items !== null; items = kernel.readNames(folder)) {
    for (const item of items) {
      const name = exactName(item)
      if (isDeep && isFolder(item.mode)) below.push(name)
      if (item.inode !== target.inode || !isFile(item.mode)) continue
      const found = openIfSame(kernel, { folder, name }, target)
      if (found !== undefined) return found
    }
    await yieldToLoop()
  }
  for (const name of below) {
    const flags = O.RDONLY | O.DIRECTORY | O.NOFOLLOW
    const next = tolerating([...absent, 'EACCES'], () => kernel.open(folder, name, flags))
    if (next === undefined) continue
    try {
      // No file has a name on another file system.
      if (kernel.statOpen(next).device !== device) continue
      const found = await search(kernel, next, target, true)
      if (found !== undefined) return found
    } finally {
      kernel.close(next)
    }
  }
  return undefined
}

/** To be written, and to be read, because how it begins is compared. */
function openIfSame(kernel: Kernel, spot: NameAt, target: OverwriteTarget): number | undefined {
  const there = kernel.look(spot.folder, spot.name)
  if (there === undefined || !isFile(there.mode) || (target.inode !== null && there.inode !== target.inode))
    return undefined
  const fd = tolerating(absent, () => kernel.open(spot.folder, spot.name, O.RDWR | O.NOFOLLOW | O.NONBLOCK))
  if (fd === undefined) return undefined
  let isMeant = false
  try {
    isMeant = target.inode === null || isSameFile(kernel, fd, target)
    return isMeant ? fd : undefined
  } finally {
    if (!isMeant) kernel.close(fd)
  }
}

const isSameFile = (kernel: Kernel, fd: number, target: OverwriteTarget): boolean =>
  isSameBorn({ ...kernel.statOpen(fd), born: kernel.bornAt(fd) }, target)

function headOf(fd: number, length: number): Buffer {
  const head = Buffer.alloc(length)
  return head.subarray(0, readSync(fd, head, 0, head.length, 0))
}

/** Gives a draft a free visible name, beside the file it was meant for or, where that is closed to us, where it lies. */
async function recover(kernel: Kernel, draft: LeftDraftAt, target: OverwriteTarget): Promise<string> {
  const { folder: place, name } = splitPath(target.place)
  const beside = tolerating(absent, () => openFolder(kernel, place))
  try {
    for (const folder of beside === undefined ? [draft.folder] : [beside, draft.folder]) {
      const free = renameToFreeName(kernel, draft, folder, name)
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

function renameToFreeName(kernel: Kernel, draft: NameAt, folder: number, name: string): string | undefined {
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
  const { folder: holder, name } = splitPath(place)
  // The ledger is a file like any other: no draft is ever written into another one.
  if (name.startsWith(draftPrefix)) return undefined
  const folder = tolerating(absent, () => openFolder(kernel, holder))
  if (folder === undefined) return undefined
  try {
    return work(folder, name)
  } finally {
    kernel.close(folder)
  }
}
