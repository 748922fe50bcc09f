import { tolerating } from '../linux/errno.ts'
import { O, type Stat } from '../linux/kernel.ts'
import { isFile, isFolder, isLink } from '../linux/modes.ts'
import type { Metered } from '../meter.ts'
import { haveSameContents, looksLike, withBoth } from './comparing.ts'
import { type CopyTask, copyContent, finish, largestInOneGo, linkedTo } from './copying.ts'
import { dropName, moveName } from './displace.ts'
import { wholeStat } from './half-written.ts'
import { removeTree } from './removing.ts'
import { bootId, readNote, writeNote } from './staged-state.ts'
import type { NameAt } from './target.ts'

/** One walk through what is staged. */
export interface StagedFiles {
  readonly task: CopyTask
  /** The open folder for files that are not whole yet. */
  readonly parts: number
  /** What is there may be damaged: contents are compared. */
  readonly distrusts: boolean
  /** Parts at work. */
  readonly busy: Set<string>
}

/** In milliseconds. Some file systems count time in such steps: of two changes in one step the second cannot be seen. */
const timeStep = 2000

/** Brings a copy up to date: a file or link of the source that is described by `stat`, and what is `there` in the draft. */
export async function stageEntry(
  files: StagedFiles,
  from: NameAt,
  to: NameAt,
  stat: Stat,
  there: Stat | undefined,
  inside: string,
  metered?: Metered,
): Promise<void> {
  const { kernel } = files.task
  if (isLink(stat.mode)) return stageLink(files, from, to, there, inside)
  if (there !== undefined) {
    if (isSettled(files, stat, there)) return
    if (isFile(there.mode) && looksLike(stat, there) && (await isCurrent(files, from, to))) return
  }
  if (there !== undefined && isFolder(there.mode)) await removeTree(kernel, to.folder, to.name, { force: true })
  await stageFile(files, from, to, metered)
}

async function stageLink({ task }: StagedFiles, from: NameAt, to: NameAt, there: Stat | undefined, inside: string) {
  const { kernel } = task
  const target = linkedTo(task, from, inside)
  if (there !== undefined) {
    if (isLink(there.mode) && Buffer.compare(kernel.readLink(to.folder, to.name), target) === 0) return
    await removeTree(kernel, to.folder, to.name, { force: true })
  }
  kernel.makeLink(target, to.folder, to.name)
  task.linked?.()
}

/** A file that has surely not been touched since it was copied. */
export const isSettled = ({ distrusts }: StagedFiles, stat: Stat, there: Stat): boolean =>
  !distrusts &&
  isFile(stat.mode) &&
  isFile(there.mode) &&
  looksLike(stat, there) &&
  stat.changed + timeStep <= there.changed

/** The contents say that it is the same. */
async function isCurrent({ task }: StagedFiles, from: NameAt, to: NameAt): Promise<boolean> {
  const { kernel, signal } = task
  return withBoth(kernel, from, to, async (source, copy) => {
    const before = kernel.statOpen(source)
    if (!(await haveSameContents(kernel, source, copy, signal))) return false
    // Mode and attributes may be others. From now on the copy is younger.
    await finish(task, source, copy, before)
    return true
  })
}

/** Written under another name, and then put into the draft in one step: in there everything is whole. */
async function stageFile(files: StagedFiles, from: NameAt, to: NameAt, metered?: Metered): Promise<void> {
  const { task, parts, busy } = files
  const { kernel, signal } = task
  const source = kernel.open(from.folder, from.name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK)
  try {
    const stat = await wholeStat(kernel, source, kernel.statOpen(source))
    // Something else has the name by now; the next walk sees what.
    if (!isFile(stat.mode)) return
    const part = partFor(files, stat)
    busy.add(part.name)
    try {
      const { start, isFresh } = await beginPart(files, part, stat)
      metered?.grown(start)
      const flags = O.RDWR | O.CREAT | O.NOFOLLOW | (part.isKept ? 0 : O.EXCL)
      const copy = kernel.open(parts, part.name, flags, 0o600)
      try {
        await copyContent({ kernel, signal }, source, copy, { metered, start })
        // A change in the moment before the copy began may have been overlooked.
        const isDoubtful = isFresh && stat.size > largestInOneGo
        if (isDoubtful && !(await haveSameContents(kernel, source, copy, signal))) {
          await kernel.truncate(copy, 0)
          await copyContent({ kernel, signal }, source, copy, { metered })
        }
        await finish(task, source, copy, stat)
      } catch (error) {
        if (!part.isKept) dropName(kernel, { folder: parts, name: part.name })
        throw error
      } finally {
        kernel.close(copy)
      }
      moveName(kernel, { folder: parts, name: part.name }, to)
      if (part.isKept) tolerating(['ENOENT'], () => dropName(kernel, { folder: parts, name: noteOf(part.name) }))
    } finally {
      busy.delete(part.name)
    }
  } finally {
    kernel.close(source)
  }
}

interface Part {
  readonly name: string
  /** A large one goes on where it stopped. */
  readonly isKept: boolean
}

let lastPart = 0

function partFor({ busy }: StagedFiles, { inode, size }: Stat): Part {
  const name = `part-${inode}`
  // Another name of the same file may be at work.
  if (size > largestInOneGo && !busy.has(name)) return { name, isKept: true }
  lastPart += 1
  return { name: `${newPrefix}${lastPart}`, isKept: false }
}

/** Of small files, which begin anew. */
export const newPrefix = 'new-'

const noteOf = (part: string): string => `${part}.note`

/** Where the part ends by now: at its beginning where it is of another version of the file. */
async function beginPart(
  { task: { kernel }, parts }: StagedFiles,
  { name, isKept }: Part,
  stat: Stat,
): Promise<{ start: number; isFresh: boolean }> {
  const isFresh = stat.changed + timeStep > Date.now()
  if (!isKept) return { start: 0, isFresh }
  const { device, inode, size, seconds, nanoseconds, changed } = stat
  const version = [bootId(), device, inode, size, seconds, nanoseconds, changed].join()
  const note = (await readNote(kernel, parts, noteOf(name))) as { version: string; isFresh: boolean } | undefined
  const part = kernel.look(parts, name)
  if (note?.version === version && part !== undefined && part.size <= size)
    return { start: part.size, isFresh: note.isFresh }
  if (part !== undefined) dropName(kernel, { folder: parts, name })
  await writeNote(kernel, { folder: parts, name: noteOf(name) }, { version, isFresh })
  return { start: 0, isFresh }
}
