import type { ConflictChoice, JobConflict, JobState } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import type { Changes } from '../changes/pipeline.ts'
import { DatabaseRefusal } from '../database/port.ts'
import { Failure, isFailure } from '../failure.ts'
import { checkedPath, type VirtualPath } from '../storage/path.ts'
import { type Kind, leaves, type Run } from './kind.ts'
import { type Rate, rateOf } from './rate.ts'
import {
  type Choices,
  choiceFor,
  factsOf,
  failedItems,
  forget,
  type JobFacts,
  type JobRecord,
  noteConflict,
  noteFailure,
  noteLeftOut,
  parkedItems,
} from './record.ts'

/** Why a go ends before its work does. A `Failure` ends the job, too. */
export type Interruption = 'paused' | 'cancelled' | 'stopped' | 'lost' | Failure

class Interrupted extends Error {
  constructor(readonly why: Interruption) {
    super('The job was interrupted')
  }
}

export interface GoParts {
  readonly record: JobRecord
  readonly kind: Kind
  readonly changes: Changes
  /** The rights of the owner now. Fails where the account is gone. */
  readonly scope: () => Promise<Scope>
  /** Stores what is known now. Throws where that is impossible; false where the job is another process's by now. */
  readonly store: (record: JobRecord) => Promise<boolean>
  /** May this process go on, or might another one have taken the job by now? Always, if nothing is said. */
  readonly isSure?: () => boolean
  /** Something about the job changed that its owner is shown. */
  readonly changed: () => void
  /** Errors that are no failures of the domain. */
  readonly unexpected: (error: unknown) => void
  /** In milliseconds; of the machine, where none is given. */
  readonly now?: () => number
  /** An entry is done, for the log. */
  readonly did: (scope: Scope, facts: Readonly<Record<string, string>>) => void
}

/** In milliseconds: what is known is stored and told at most so often. */
const pause = 250
/** More are not told one by one. */
const mostRenamed = 1000
/** Without progress for so long, the disk is said not to answer. */
const patience = 15_000

/** One go of a job: from the moment that a process has claimed it until it is over, interrupted, or waits for answers. */
export class Go implements Run<unknown> {
  readonly record: JobRecord
  readonly again: ReadonlySet<number>
  readonly retried: ReadonlySet<number>
  readonly changes: Changes
  readonly #parts: GoParts
  readonly #abort = new AbortController()
  readonly #now: () => number
  readonly #rate: Rate
  readonly #renewed = new Set<number>()
  #scope: Scope | undefined
  #paths: string | undefined
  #current: string | undefined
  #timer: NodeJS.Timeout | undefined
  #storing: Promise<void> = Promise.resolve()
  #heard: number
  /** The entry at work, where it is not the one at the cursor. */
  #index: number | undefined
  /** The entry at which the rights were there when its work began. */
  #allowedAt = -1
  #isEnded = false

  constructor(parts: GoParts) {
    this.#parts = parts
    this.#now = parts.now ?? (() => performance.now())
    this.#heard = this.#now()
    this.#rate = rateOf(this.#now)
    this.record = parts.record
    // Goes on after a crash under the same id: what it does is one act.
    this.changes = { ...parts.changes, batch: parts.record.planned.batch ?? parts.record.id }
    const { notes, choices } = this.record
    this.retried = new Set(notes.isRetry === true ? failedItems(notes) : [])
    this.again = new Set([...this.retried, ...parkedItems(notes, choices).answered])
  }

  get id(): string {
    return this.record.id
  }

  get plan(): unknown {
    return this.record.planned.plan
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get cursor(): number {
    return this.record.cursor
  }

  set cursor(cursor: number) {
    this.record.cursor = cursor
    this.#touch()
  }

  working(index: number): void {
    this.#index = index
  }

  get done(): { readonly files: number; readonly bytes: number } {
    return this.record.done
  }

  get #atWork(): number {
    return this.#index ?? this.record.cursor
  }

  get notes(): Readonly<Record<string, unknown>> {
    return this.record.notes.kind
  }

  set notes(notes: Readonly<Record<string, unknown>>) {
    this.record.notes.kind = notes
    this.#touch()
  }

  async scope(): Promise<Scope> {
    this.#requireLease()
    this.#requireWanted()
    this.#scope = await this.#fresh()
    this.#heard = this.#now()
    if (this.#mayGoOn(this.#scope)) this.#allowedAt = this.#atWork
    return this.#scope
  }

  /**
   * The rights as they are now. Where the owner finds things under other paths than at the beginning of this go, one that was
   * noted may lead to something else by now: the go ends, and the next one begins with the new paths.
   */
  async #fresh(): Promise<Scope> {
    const scope = await this.#parts.scope()
    const paths = JSON.stringify([scope.tree.isNamed, scope.tree.parts.map(({ name, base }) => [name, base])])
    this.#paths ??= paths
    if (paths !== this.#paths) {
      this.interrupt('stopped')
      this.signal.throwIfAborted()
    }
    return scope
  }

  async save(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#heard = this.#now()
    await this.#storing.catch(() => {})
    if (!(await this.#parts.store(this.record))) {
      this.interrupt('lost')
      this.signal.throwIfAborted()
    }
    this.#requireLease()
    this.#requireWanted()
  }

  /** After a pause that cost this process its lease another one may be at work on the same entry. */
  #requireLease(): void {
    if (this.#parts.isSure?.() !== false) return
    this.interrupt('stopped')
    this.signal.throwIfAborted()
  }

  /** What is all done is done, whatever was wanted in its last moment: a pause would look as if something were left. */
  #requireWanted(): void {
    const isAllDone = this.record.cursor >= this.record.planned.count && this.#renewed.size === this.again.size
    if (!isAllDone) this.signal.throwIfAborted()
  }

  progress({ files, bytes, current }: Parameters<Run<unknown>['progress']>[0]): void {
    this.#heard = this.#now()
    this.record.done = { files, bytes }
    this.#rate.note({ files, bytes })
    if (current !== undefined) this.#current = this.#locatedIfShown(current)
    this.#touch()
  }

  total(total: { files: number; bytes: number }): void {
    this.record.total = { ...total }
    this.#touch()
  }

  choice(to: VirtualPath): ConflictChoice | undefined {
    return choiceFor(this.record.choices, this.#located(to))
  }

  get choices(): Choices {
    return this.record.choices
  }

  ask(index: number, conflict: JobConflict): void {
    this.#renew(index)
    const { from, to } = conflict
    noteConflict(this.record.notes, { ...conflict, index, from: this.#located(from), to: this.#located(to) })
    this.#touch()
  }

  failed(index: number, path: VirtualPath, error: unknown): void {
    if (!(error instanceof Failure)) this.#parts.unexpected(error)
    this.#renew(index)
    noteFailure(this.record.notes, { index, path: this.#located(path), ...problemOf(error) })
    this.#touch()
  }

  skipped(_index: number): void {
    this.record.notes.skipped += 1
    this.#touch()
  }

  leftOut(index: number, paths: readonly VirtualPath[], count: number): void {
    noteLeftOut(this.record.notes, { index, count, paths: paths.flatMap((path) => this.#locatedIfShown(path) ?? []) })
    this.#touch()
  }

  renamed(_index: number, from: VirtualPath, to: VirtualPath): void {
    if (this.record.notes.renamed.length < mostRenamed)
      this.record.notes.renamed.push({ from: this.#located(from), to: this.#located(to) })
    this.#touch()
  }

  redone(index: number): void {
    this.#renew(index)
  }

  did(facts: Readonly<Record<string, string>>): void {
    if (this.#scope !== undefined) this.#parts.did(this.#scope, facts)
  }

  interrupt(why: Interruption): void {
    this.#abort.abort(new Interrupted(why))
  }

  /** Asked every second: are the rights still there, and does the disk answer? */
  async look(): Promise<void> {
    if (this.#isEnded) return
    try {
      const scope = await this.#fresh()
      // What was never allowed is an entry that fails by itself.
      if (!this.#mayGoOn(scope) && this.#allowedAt === this.#atWork)
        this.interrupt(new Failure('forbidden', 'The rights to this were taken away'))
    } catch (error) {
      // A database that cannot be read for a moment takes no rights away.
      if (error instanceof Failure && leaves(error)) this.interrupt(error)
    }
    const { isStalled } = this
    if (isStalled === (this.record.problem !== undefined)) return
    this.record.problem = isStalled ? { code: 'unavailable', message: 'The disk does not answer' } : undefined
    this.#touch()
  }

  /** Nothing was heard of its work for long, such as where its disk hangs; also of one that was interrupted and cannot end. */
  get isStalled(): boolean {
    return this.#now() - this.#heard > patience
  }

  facts(): JobFacts {
    const { record } = this
    const left = record.total && this.#rate.secondsLeft(record.total)
    return factsOf(record, { rate: this.#rate.bytesPerSecond(), secondsLeft: left, current: this.#current })
  }

  /** Answers with the state that the job has then; undefined where it was interrupted for another reason than a failure. */
  async run(): Promise<JobState | Interruption> {
    const { record } = this
    record.problem = undefined
    try {
      await this.#parts.kind.run(this)
      // The disk has answered, though no look came in between to see it.
      record.problem = undefined
      return this.#outcome()
    } catch (error) {
      const why = this.#abort.signal.aborted ? (this.#abort.signal.reason as Interrupted).why : error
      if (typeof why === 'string') return why as Interruption
      if (!(why instanceof Failure)) this.#parts.unexpected(why)
      record.problem = problemOf(why)
      if (this.#isCutOff(why)) return 'stopped'
      return why instanceof Failure && leaves(why) ? why : 'failed'
    } finally {
      this.#isEnded = true
      clearTimeout(this.#timer)
      await this.#storing.catch(() => {})
    }
  }

  /** The database is away, which says nothing about the work: it goes on when that is back, perhaps in another process. */
  #isCutOff(error: unknown): boolean {
    if (error instanceof DatabaseRefusal) return error.problem === 'away'
    return isFailure(error, 'unavailable') && this.#parts.isSure?.() === false
  }

  #mayGoOn(scope: Scope): boolean {
    try {
      this.#parts.kind.require?.(scope, this.plan, this.#atWork)
      return true
    } catch {
      return false
    }
  }

  /** What an earlier go has noted of an entry ends with the first that this one does. */
  #renew(index: number): void {
    if (!this.again.has(index) || this.#renewed.has(index)) return
    this.#renewed.add(index)
    forget(this.record.notes, index)
    this.#touch()
  }

  #outcome(): JobState {
    const { record } = this
    const { notes } = record
    for (const index of this.again) this.#renew(index)
    notes.isRetry = false
    const { waiting, answered } = parkedItems(notes, record.choices)
    // What was answered while it ran is done in another go.
    if (answered.size > 0) return 'queued'
    if (waiting.size > 0) return 'asking'
    const failures = notes.failures.toSorted((one, two) => Number(isRefusal(one)) - Number(isRefusal(two)))
    const [first] = failures
    if (first !== undefined) {
      record.problem = { code: first.code, message: first.message }
      return 'failed'
    }
    record.total = { ...record.done }
    return 'done'
  }

  /** As a location, which is the same for every account that is shown the job; other texts stay. */
  /** Unfinished uploads go with their folder, and paths in it may be longer than any request can name. */
  #locatedIfShown(path: string): string | undefined {
    try {
      return this.#located(path)
    } catch {
      return undefined
    }
  }

  #located(path: string): string {
    return path.startsWith('/') ? (this.#scope?.tree.locate(checkedPath(path)) ?? path) : path
  }

  #touch(): void {
    if (this.#isEnded) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#storing = this.#storeQuietly()
      this.#parts.changed()
    }, pause)
  }

  /** A row that cannot be written now is written the next time. */
  async #storeQuietly(): Promise<void> {
    const isOurs = await this.#parts.store(this.record).catch(() => true)
    if (!isOurs) this.interrupt('lost')
  }
}

export const problemOf = (error: unknown): { code: string; message: string } =>
  error instanceof Failure
    ? { code: error.code, message: error.message }
    : { code: 'internal', message: 'Something went wrong on the server' }

const isRefusal = ({ code }: { code: string }): boolean => code === 'forbidden'
