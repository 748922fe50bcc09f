import { type NameEncoding, nameEncodings, nameOf } from '@filestead/contract'
import { requirePermission } from '../../access/actor.ts'
import type { Filling } from '../../access/filling.ts'
import { notAllowed } from '../../access/lookup.ts'
import type { Scope } from '../../access/scope.ts'
import { publishExtracted } from '../../changes/verbs.ts'
import { Failure, isFailure } from '../../failure.ts'
import { pathOf, patiently, statOrNothing } from '../../jobs/items.ts'
import type { ClearRun, Kind, Run } from '../../jobs/kind.ts'
import { isWithin, type Location, parseLocation, relativeTo } from '../../mounts/location.ts'
import { parentOf, parsePath, rebase, type VirtualPath } from '../../storage/path.ts'
import type { FilledEntry } from '../../storage/port.ts'
import type { TakenRule } from '../../storage/transfer-options.ts'
import { formatOf } from '../reading/formats.ts'
import { limits } from '../reading/limits.ts'
import { type ArchiveFile, type OpenedArchives, openArchive } from '../reading/opened.ts'
import { sourceOf } from '../reading/source.ts'
import { type Chosen, type ChosenEntry, choose, requireProportionate } from './chosen.ts'
import { contentsOf } from './contents.ts'
import { requireRoom } from './room.ts'
import { takenNames } from './taken.ts'
import { Writer, type Written } from './writing.ts'

interface ExtractPlan {
  readonly from: Location
  readonly to: Location
  /** Of the archive: what was looked at is what is extracted. */
  readonly version: string
  readonly inside?: readonly string[] | undefined
  readonly encoding?: NameEncoding | undefined
  readonly failsOnConflict: boolean
}

interface ExtractNotes {
  /** Entries before it are in the hidden folder. */
  readonly next?: number
  /** The run of the kernel in which they were written: after another boot they may be damaged. */
  readonly kernel?: string
  /** The target was there at the beginning: the hidden folder lies in it. */
  readonly inside?: boolean
  /** All is written and safe, and is about to be published. */
  readonly isWhole?: boolean
  /** Entries that its owner may not create. */
  readonly leftOut?: number
}

interface ExtractParts {
  readonly archives: OpenedArchives
  readonly kernel: string
}

/** What is in an archive becomes files: in a hidden folder first, which shows when it is whole. */
export const extractKind = ({ archives, kernel }: ExtractParts): Kind<ExtractPlan> => ({
  async plan(scope, request) {
    if (request.kind !== 'extract') throw new Failure('invalid', 'This is no extraction')
    requirePermission(scope.actor, 'create')
    // The usual refusal has the status of a job that has begun.
    if (!scope.may('download', parsePath(request.from))) throw notAllowed()
    const [from, to] = [parsePath(request.from), parsePath(request.to)]
    scope.require('create', to)
    const { file } = await openArchive(scope, from)
    try {
      // What is no archive is refused while the request waits, and not by the job.
      await formatOf(sourceOf(file))
      const plan: ExtractPlan = {
        from: scope.locate(from),
        to: scope.locate(to),
        version: file.entry.version,
        inside: request.inside,
        encoding: encodingIn(request.encoding),
        failsOnConflict: request.failsOnConflict === true,
      }
      return { plan, count: 1, names: [nameOf(from)], from: scope.tree.locate(parentOf(from)), to: plan.to }
    } finally {
      file.close()
    }
  },

  require(scope, { from, to }) {
    requirePermission(scope.actor, 'create')
    if (!scope.may('download', pathOf(scope, from))) throw notAllowed()
    scope.require('create', pathOf(scope, to))
  },

  async run(run) {
    if (run.cursor > 0 && !run.again.has(0)) return
    try {
      const extract = () => new Extracting(run, archives, kernel).all()
      await (run.plan.failsOnConflict ? extract() : patiently(run, extract))
    } catch (error) {
      // Another try would come to the same end, and the disk may be nearly full.
      if (error instanceof Failure && pointless.includes(error.code) && !run.signal.aborted) await drop(run)
      throw error
    }
    run.redone(0)
    run.cursor = 1
  },

  clear: drop,
})

const pointless: readonly string[] = ['invalid', 'too-large', 'unsupported-type', 'changed-meanwhile']

const idOf = ({ id }: Pick<Run<unknown>, 'id'>): string => `${id}.0`

async function drop(run: ClearRun<ExtractPlan>): Promise<void> {
  const scope = await run.scope()
  const { inside = false } = run.notes as ExtractNotes
  await scope.unstage(pathOf(scope, run.plan.to), idOf(run), { inside })
}

function encodingIn(name: string | undefined): NameEncoding | undefined {
  const encoding = nameEncodings.find((known) => known === name)
  if (name !== undefined && encoding === undefined) throw new Failure('invalid', `there is no encoding ${name}`)
  return encoding
}

/** In milliseconds: so often rights and free space are looked at again. */
const lookEvery = 1000

class Extracting {
  readonly #run: Run<ExtractPlan>
  readonly #archives: OpenedArchives
  readonly #kernel: string

  constructor(run: Run<ExtractPlan>, archives: OpenedArchives, kernel: string) {
    this.#run = run
    this.#archives = archives
    this.#kernel = kernel
  }

  get #notes(): ExtractNotes {
    return this.#run.notes as ExtractNotes
  }

  #note(notes: ExtractNotes): void {
    this.#run.notes = { ...this.#run.notes, ...notes }
  }

  async all(): Promise<void> {
    const { plan } = this.#run
    const scope = await this.#run.scope()
    const [from, to] = [pathOf(scope, plan.from), pathOf(scope, plan.to)]
    const archive = await openArchive(scope, from)
    const { file } = archive
    try {
      if (file.entry.version !== plan.version)
        throw new Failure('changed-meanwhile', 'The archive has changed since the job was started')
      await this.#extract(scope, archive, from, to)
    } finally {
      file.close()
    }
  }

  async #extract(scope: Scope, archive: ArchiveFile, from: VirtualPath, to: VirtualPath): Promise<void> {
    const run = this.#run
    const { file } = archive
    const { signal, plan } = run
    const { format, index } = await this.#archives.read(archive, plan.encoding, signal, limits.written)
    const chosen = await choose(index, plan.inside, signal)
    requireProportionate(chosen, file.entry.size)
    run.total({ files: chosen.files, bytes: chosen.bytes })
    await this.#requireTarget(scope, to)
    if (!this.#notes.isWhole) {
      if (!(await this.#askAbout(scope, to, from, chosen))) return
      const contents = contentsOf(sourceOf(file), format)
      try {
        await this.#fill(to, chosen, async (writer) => {
          for await (const each of chosen.from(this.#notes.next ?? 0, signal)) {
            signal.throwIfAborted()
            await this.#add(writer, to, each, () => contents.of(each.entry))
          }
          await contents.end()
          await writer.flush(index.count)
        })
      } finally {
        await contents.close()
      }
    }
    try {
      await this.#publish(to, chosen)
    } catch (error) {
      // Something has come since the names were looked up, or has the size and time of an entry, but not its contents.
      if (!isFailure(error, 'already-exists')) throw error
      const isAnswered = await this.#askAbout(await run.scope(), to, from, chosen, { trustsTimes: false })
      if (isAnswered) throw error
      return
    }
    run.did({ event: 'extract', path: from, to })
  }

  /** Whether the target is there is found out once: the hidden folder lies in it, or beside the name it will have. */
  async #requireTarget(scope: Scope, to: VirtualPath): Promise<void> {
    const there = await statOrNothing(scope, to)
    if (there !== undefined && there.kind !== 'folder') throw new Failure('already-exists', 'A file has this name')
    if (this.#notes.inside === undefined) this.#note({ inside: there !== undefined })
    if (this.#notes.kernel !== undefined && this.#notes.kernel !== this.#kernel) {
      await scope.unstage(to, idOf(this.#run), { inside: this.#notes.inside === true })
      this.#note({ next: 0, isWhole: false })
    }
    this.#note({ kernel: this.#kernel })
    await this.#run.save()
  }

  /** Puts names that are taken before the owner, before the first byte. True where all are answered. */
  async #askAbout(
    scope: Scope,
    to: VirtualPath,
    from: VirtualPath,
    chosen: Chosen,
    { trustsTimes = true } = {},
  ): Promise<boolean> {
    const run = this.#run
    if (run.choices.forAll !== 'ask' || (await statOrNothing(scope, to)) === undefined) return true
    let isAnswered = true
    for await (const { conflict } of takenNames(scope, to, { archive: from, chosen, trustsTimes }, run.signal)) {
      if (run.choice(parsePath(conflict.to)) !== undefined) continue
      if (run.plan.failsOnConflict) throw new Failure('already-exists', 'This name is taken')
      run.ask(0, conflict)
      isAnswered = false
    }
    return isAnswered
  }

  async #fill(to: VirtualPath, chosen: Chosen, work: (writer: Writer) => Promise<void>): Promise<void> {
    const run = this.#run
    const { inside = false, next = 0 } = this.#notes
    let looked = 0
    let filling: Filling | undefined
    let written = await this.#before(chosen, next)
    const current = async (): Promise<Filling> => {
      if (filling !== undefined && performance.now() - looked < lookEvery) return filling
      const scope = await run.scope()
      await requireRoom(scope, inside ? to : parentOf(to), chosen.bytes - written.bytes)
      filling = await scope.filling(to, idOf(run), { inside })
      looked = performance.now()
      return filling
    }
    const writer = new Writer(
      {
        filling: current,
        reached: (reached, done) => {
          written = done
          this.#note({ next: reached })
          run.progress(done)
        },
        clashes: () => run.skipped(0),
        progress: (done, { path }) => run.progress({ ...done, current: rebase(to, path) }),
      },
      written,
    )
    await current()
    await work(writer)
    await this.#setTimes(chosen, current)
    await (await current()).secure()
    this.#note({ isWhole: true, leftOut: await this.#countLeftOut(await run.scope(), to, chosen) })
    await run.save()
  }

  /** What earlier goes have written. */
  async #before(chosen: Chosen, next: number): Promise<Written> {
    let [files, bytes] = [0, 0]
    if (next === 0) return { files, bytes }
    for await (const { at, entry } of chosen.from(0, this.#run.signal)) {
      if (at >= next) break
      if (entry.isFolder) continue
      files += 1
      bytes += entry.size
    }
    return { files, bytes }
  }

  /** What the rules of the instance keep from its owner is left out. */
  async #add(writer: Writer, to: VirtualPath, each: ChosenEntry, content: () => AsyncGenerator<Uint8Array>) {
    const scope = await this.#scopeSoon()
    if (scope.may('create', rebase(to, each.path))) await writer.add(each, content)
    else this.#run.skipped(0)
  }

  #latest: { scope: Scope; since: number } | undefined

  async #scopeSoon(): Promise<Scope> {
    if (this.#latest === undefined || performance.now() - this.#latest.since > lookEvery)
      this.#latest = { scope: await this.#run.scope(), since: performance.now() }
    return this.#latest.scope
  }

  /** Of folders at last, the deepest first: to write into one changes its time. */
  async #setTimes(chosen: Chosen, filling: () => Promise<Filling>): Promise<void> {
    const folders: FilledEntry[] = []
    for await (const { entry, path } of chosen.from(0, this.#run.signal))
      if (entry.isFolder && entry.modified > 0) folders.push({ path, kind: 'folder', modified: entry.modified })
    folders.sort((one, two) => two.path.length - one.path.length)
    for (let at = 0; at < folders.length; at += 256)
      await (await filling()).put(folders.slice(at, at + 256)).catch((error) => {
        // The name is a file's, which has been told.
        if (!isFailure(error, 'already-exists', 'forbidden')) throw error
      })
  }

  async #countLeftOut(scope: Scope, to: VirtualPath, chosen: Chosen): Promise<number> {
    let count = 0
    for await (const { path } of chosen.from(0, this.#run.signal))
      if (!scope.may('create', rebase(to, path))) count += 1
    return count
  }

  async #publish(to: VirtualPath, chosen: Chosen): Promise<void> {
    const run = this.#run
    const { inside = false } = this.#notes
    const scope = await run.scope()
    // Days may have passed since it was filled, while an answer was waited for.
    if ((await this.#countLeftOut(scope, to, chosen)) > (this.#notes.leftOut ?? 0)) throw notAllowed()
    const id = idOf(run)
    await publishExtracted(run.changes, scope, to, { id, inside, taken: this.#takenRule(), signal: run.signal })
    await scope.unstage(to, id, { inside })
  }

  #takenRule(): TakenRule {
    const { choices, plan } = this.#run
    const below = Object.entries(choices.by).flatMap(([text, choice]) => {
      const location = parseLocation(text)
      return isWithin(location, plan.to) ? [[relativeTo(plan.to, location).slice(1), choice] as const] : []
    })
    return { default: choices.forAll === 'ask' ? 'refuse' : choices.forAll, by: Object.fromEntries(below) }
  }
}
