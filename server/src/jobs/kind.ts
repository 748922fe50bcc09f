import type { ConflictChoice, JobConflict, JobRequest } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import type { Changes } from '../changes/pipeline.ts'
import type { Failure } from '../failure.ts'
import type { Location } from '../mounts/location.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Choices } from './record.ts'

/** What one kind of job does. Rooms implement it; app.ts wires them. */
export interface Kind<Plan = unknown> {
  /**
   * Before the job is stored: refuses what makes no sense or is not allowed, as the request would be, and answers what to
   * keep. Plans are JSON and hold locations, because the names of mounts may change.
   */
  plan(scope: Scope, request: PlanRequest): Promise<Planned<Plan>>
  /**
   * Goes on where the job stands, until its end. A signal that is aborted ends it as soon as possible, with what is needed
   * to go on in `run.notes` or on the disk: the process may end any moment.
   */
  run(run: Run<Plan>): Promise<void>
  /** Refuses when the owner lost the rights that the entry at work needs. Asked every second; looks at no disk. */
  require?(scope: Scope, plan: Plan, index: number): void
  /** The job was cancelled, or could not be run to its end: drops what is not whole. May run twice. */
  clear(run: ClearRun<Plan>): Promise<void>
}

/**
 * `failsOnConflict`: for requests that expect an answer: nothing is asked, and no disk that is away is waited for. `batch`:
 * what it does is part of this act; without it the job is one by itself.
 */
export type PlanRequest = JobRequest & { readonly failsOnConflict?: boolean; readonly batch?: string | undefined }

export interface Planned<Plan> {
  readonly plan: Plan
  /** Of entries or whatever is finished one by one. */
  readonly count: number
  /** What people are shown: the first few names, and the ends. */
  readonly names: readonly string[]
  readonly from?: Location | undefined
  readonly to?: Location | undefined
  /** Of the request. */
  readonly batch?: string | undefined
}

/** One go of a job, in the process that has claimed it. */
export interface Run<Plan> {
  readonly id: string
  readonly plan: Plan
  /** The rights of the owner as they are now. Fails where the account is gone. Asked before every step that changes something. */
  scope(): Promise<Scope>
  readonly changes: Changes
  /** Aborted when the job is paused or cancelled, when rights are taken away, and when the process ends. */
  readonly signal: AbortSignal
  /** So many entries are finished. Set it when one is; stored within a quarter of a second. */
  cursor: number
  /** The entry at work, for which rights are asked every second; that at the cursor until one is told. */
  working(index: number): void
  /** JSON: what is needed to go on. Replace it as a whole; stored within a quarter of a second, or at once by `save`. */
  notes: Readonly<Record<string, unknown>>
  /** Stores cursor and notes now: the next step must not be done twice. */
  save(): Promise<void>
  /** What was told last. */
  readonly done: { readonly files: number; readonly bytes: number }
  /** What is done of all, since the beginning of the job. Cheap: tell it often. */
  progress(done: { files: number; bytes: number; current?: VirtualPath | string | undefined }): void
  /** Undefined while it is not counted. */
  total(total: { files: number; bytes: number }): void
  /** The answer about a name that is taken, where there is one. */
  choice(to: VirtualPath): ConflictChoice | undefined
  /** Puts a name that is taken before the owner. The entry waits, and the job goes on with others. */
  ask(index: number, conflict: JobConflict): void
  /** An entry that could not be done; others go on. */
  failed(index: number, path: VirtualPath, error: unknown): void
  /** An entry that was left out. */
  skipped(index: number): void
  /** What a storage cannot have of an entry; it replaces what was told of that one before. */
  leftOut(index: number, paths: readonly VirtualPath[], count: number): void
  /** An entry that did not get the name that was asked for. */
  renamed(index: number, from: VirtualPath, to: VirtualPath): void
  /** An entry of `again` is finished, whatever became of it now: the next go does not do it once more. */
  redone(index: number): void
  /** An entry is done: a line of the log, as a request that does the same would leave. */
  did(facts: Readonly<Record<string, string>>): void
  /** What was answered about names that are taken, by location: for what lies below a folder. */
  readonly choices: Choices
  /** Those of `again` that have failed, and that the owner wants to be tried once more. */
  readonly retried: ReadonlySet<number>
  /** Entries of the plan that are to be done in this go although the cursor is beyond them: they were asked about, or have failed. */
  readonly again: ReadonlySet<number>
}

export interface ClearRun<Plan> extends Pick<Run<Plan>, 'id' | 'plan' | 'cursor' | 'notes' | 'scope'> {
  /** It was cancelled: what is whole of the entry at work may stay. Else nothing of that is wanted. */
  readonly isCancelled?: boolean
}

/** Failures that end a job for good: what it has put aside is of no use to its owner. */
export const leaves = ({ code }: Failure): boolean => code === 'forbidden' || code === 'unauthenticated'
