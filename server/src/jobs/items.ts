import { nameOf, numbered } from '@filestead/contract'
import { notAllowed } from '../access/lookup.ts'
import type { Scope } from '../access/scope.ts'
import { someAtOnce } from '../concurrency/ahead.ts'
import { flatMapInSlices, timeSlices } from '../concurrency/time-slices.ts'
import { Failure, ignoring, isFailure } from '../failure.ts'
import type { Location } from '../mounts/location.ts'
import { checkedPath, inFolder, parentOf, parsePath, rootPath, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import type { Done } from '../storage/transfer-options.ts'
import type { Run } from './kind.ts'

/** What was meant when the job was planned: another thing may have its name by the time it is its turn. */
export interface Meant {
  readonly at: Location
  /** Of the entry, while the kernel runs that it was noted under: numbers of disks change with a boot. */
  readonly id?: string | undefined
  readonly isFolder?: boolean | undefined
}

/** With pauses: ten thousand paths through hundreds of folders each would keep other requests waiting. */
export const parsedPaths = (texts: readonly string[]): Promise<VirtualPath[]> =>
  flatMapInSlices(texts, (text) => [parsePath(text)])

/** Notes what lies at these paths. What is not there, or hidden, fails when it is its turn. */
export const meantAt = (scope: Scope, paths: readonly VirtualPath[]): Promise<Meant[]> =>
  someAtOnce(paths, (path) => oneMeant(scope, path))

async function oneMeant(scope: Scope, path: VirtualPath): Promise<Meant> {
  const at = scope.locate(path)
  const entry = await statOrNothing(scope, path)
  return entry === undefined ? { at } : { at, id: entry.id, isFolder: entry.kind === 'folder' }
}

/** Undefined for what is not there, or may not be looked at. */
export const statOrNothing = (scope: Scope, path: VirtualPath): Promise<Entry | undefined> =>
  scope.stat(path).catch(ignoring('not-found', 'forbidden'))

/** Found before anything is noted, so that a go after a crash means the same name. */
export async function freeName(scope: Scope, taken: VirtualPath): Promise<VirtualPath> {
  for (let count = 1; ; count += 1) {
    const name = checkedPath(numbered(taken, count))
    if ((await statOrNothing(scope, name)) === undefined) return name
  }
}

/** The path of a location for the owner as it is now. */
export function pathOf(scope: Scope, location: Location): VirtualPath {
  const path = scope.tree.pathTo(location)
  if (path === undefined) throw notAllowed()
  return path
}

/** For a message about it, also where it is out of sight by now. */
export const shownPathOf = (scope: Scope, location: Location): VirtualPath =>
  scope.tree.pathTo(location) ?? inFolder(rootPath, nameOf(location))

export const changedMeanwhile = (): Failure =>
  new Failure('changed-meanwhile', 'Something else has this name since the job was started')

/** The folder that all of them lie in, where there is one. */
export function commonFolder(scope: Scope, paths: readonly VirtualPath[]): Location | undefined {
  const [folder, ...others] = new Set(paths.map(parentOf))
  return folder === undefined || others.length > 0 ? undefined : scope.tree.locate(folder)
}

const mostNames = 3

export const firstNames = (names: readonly string[]): string[] => names.slice(0, mostNames)

interface ItemWork {
  work(index: number): Promise<void>
  fail(index: number, error: unknown): Promise<void>
  /** Waits for a disk that is not there, such as one that is mounted after the start of the server. */
  readonly isPatient: boolean
}

/** In milliseconds. */
const usualPatience = { longest: 60_000, between: 1000 }

/**
 * Tries again for a minute where a disk is not there: a server that has just started may not have looked at it yet. By the
 * clock, because each try may take long where a disk hangs. What was done since the last try shows that it was there.
 */
export async function patiently<T>(
  run: Pick<Run<unknown>, 'signal' | 'done'>,
  work: () => Promise<T>,
  { longest, between } = usualPatience,
): Promise<T> {
  for (let [since, most] = [0, -1]; ; ) {
    run.signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      run.signal.throwIfAborted()
      const [now, done] = [performance.now(), run.done.files + run.done.bytes]
      if (done > most) [since, most] = [now, done]
      if (!isFailure(error, 'unavailable') || now - since >= longest) throw error
    }
    await Bun.sleep(between)
  }
}

/**
 * Each entry that is left: those to be done again, then those beyond the cursor. An entry that fails keeps no other from
 * its turn, but for failures that would meet all others as well.
 */
export async function eachItem(run: Run<unknown>, count: number, { work, fail, isPatient }: ItemWork): Promise<void> {
  // Entries that are refused at once, by the thousand, must not keep others from their turn.
  const pause = timeSlices()
  const attempt = async (index: number) => {
    await pause()
    run.working(index)
    run.signal.throwIfAborted()
    try {
      await (isPatient ? patiently(run, () => work(index)) : work(index))
    } catch (error) {
      run.signal.throwIfAborted()
      if (meetsAll(error)) throw error
      await fail(index, error)
    }
  }
  for (const index of [...run.again].sort((one, two) => one - two)) {
    if (index >= run.cursor) continue
    await attempt(index)
    run.redone(index)
  }
  while (run.cursor < count) {
    await attempt(run.cursor)
    run.cursor += 1
  }
}

/** A full or missing disk, a database that takes no rows. */
const meetsAll = (error: unknown): boolean => isFailure(error, 'no-space', 'unavailable')

export interface Amount {
  readonly files: number
  readonly bytes: number
}

const nothing: Amount = { files: 0, bytes: 0 }

/** Adds up what entries tell of themselves. Its sum is a part of the notes, so that a job goes on from where it stood. */
export class Tally {
  readonly #run: Run<unknown>
  #sum: Amount
  #present: Amount = nothing

  constructor(run: Run<unknown>) {
    this.#run = run
    this.#sum = (run.notes.sum as Amount | undefined) ?? nothing
  }

  get sum(): Amount {
    return this.#sum
  }

  /** What was told of the entry at work. */
  get present(): Amount {
    return this.#present
  }

  /** With an entry of which an earlier go has told so much. */
  goOn(present: Amount): void {
    this.#present = present
  }

  /** Of one entry, whose path leads to what is told below it. */
  of = (show: (current: string) => string) => (done: Done) => {
    this.#present = { files: done.files, bytes: done.bytes }
    this.#run.progress({ ...this.#together(), current: show(done.current) })
  }

  /** An entry is done. One that told nothing was a moment's work. */
  finish({ isDone }: { isDone: boolean }): void {
    if (isDone && this.#present.files === 0) this.#present = { ...this.#present, files: 1 }
    this.#sum = isDone ? this.#together() : this.#sum
    this.#present = nothing
    this.#run.notes = { ...this.#run.notes, sum: this.#sum }
    this.#run.progress(this.#sum)
  }

  #together(): Amount {
    return { files: this.#sum.files + this.#present.files, bytes: this.#sum.bytes + this.#present.bytes }
  }
}
