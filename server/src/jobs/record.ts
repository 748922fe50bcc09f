import {
  type ConflictChoice,
  type Job,
  type JobConflict,
  type JobKind,
  type JobState,
  nameOf,
} from '@filestead/contract'
import type { Tree } from '../access/tree.ts'
import type { JobPlanRow, JobRow } from '../database/schema.ts'
import { type Location, parseLocation, pathIn } from '../mounts/location.ts'
import type { Planned } from './kind.ts'
import type { PlannedRow, Progress } from './store.ts'

/** What was answered about names that are taken: for all, and by location. */
export interface Choices {
  readonly forAll: ConflictChoice | 'ask'
  readonly by: Readonly<Record<string, ConflictChoice>>
}

/** A conflict whose ends are locations. */
type LocatedConflict = JobConflict & { readonly index: number }

interface ItemFailure {
  readonly index: number
  readonly path: string
  readonly code: string
  readonly message: string
}

/** What a storage could not have of an entry, with the first paths. */
interface LeftOut {
  readonly index: number
  readonly count: number
  readonly paths: readonly string[]
}

/** What became of entries that did not go as planned, and what the kind needs to go on. */
export interface Notes {
  kind: Readonly<Record<string, unknown>>
  failures: ItemFailure[]
  /** Of failures of which no more than their number is kept. */
  alsoFailed: number[]
  conflicts: LocatedConflict[]
  renamed: { from: string; to: string }[]
  skipped: number
  leftOut?: LeftOut[]
  /** What has failed is done again, because that was asked for. */
  isRetry?: boolean
  /** It was over when its request was answered: nothing about it is of interest to others. */
  isUnlisted?: boolean
}

/** What is kept of failures and told of conflicts one by one; of others the number alone. */
const mostFailures = 100
const mostConflicts = 1000
const mostLeftOut = 100

export const emptyNotes = (): Notes => ({
  kind: {},
  failures: [],
  alsoFailed: [],
  conflicts: [],
  renamed: [],
  skipped: 0,
})

export function noteFailure(notes: Notes, failure: ItemFailure): void {
  if (notes.failures.length < mostFailures) notes.failures.push(failure)
  else notes.alsoFailed.push(failure.index)
}

export function noteLeftOut(notes: Notes, { index, count, paths }: LeftOut): void {
  const others = notes.leftOut?.filter((each) => each.index !== index) ?? []
  const known = others.reduce((sum, each) => sum + each.paths.length, 0)
  notes.leftOut = [...others, { index, count, paths: paths.slice(0, Math.max(0, mostLeftOut - known)) }]
}

/** Of one entry at least its first conflict is kept, without which nothing would be asked. */
export function noteConflict(notes: Notes, conflict: LocatedConflict): void {
  const isFirst = !notes.conflicts.some(({ index }) => index === conflict.index)
  if (isFirst || notes.conflicts.length < mostConflicts) notes.conflicts.push(conflict)
}

/** Before an entry is done again. */
export function forget(notes: Notes, index: number): void {
  notes.failures = notes.failures.filter((failure) => failure.index !== index)
  notes.alsoFailed = notes.alsoFailed.filter((failed) => failed !== index)
  notes.conflicts = notes.conflicts.filter((conflict) => conflict.index !== index)
  if (notes.leftOut !== undefined) notes.leftOut = notes.leftOut.filter((each) => each.index !== index)
}

export const failedItems = ({ failures, alsoFailed }: Notes): number[] => [
  ...failures.map(({ index }) => index),
  ...alsoFailed,
]

export const choiceFor = ({ by, forAll }: Choices, location: string): ConflictChoice | undefined =>
  Object.hasOwn(by, location) ? by[location] : forAll === 'ask' ? undefined : forAll

/** Entries that wait for an answer, and those of which every question has been answered. */
export function parkedItems(notes: Notes, choices: Choices): { waiting: Set<number>; answered: Set<number> } {
  const waiting = new Set(
    notes.conflicts.filter(({ to }) => choiceFor(choices, to) === undefined).map(({ index }) => index),
  )
  const answered = new Set(notes.conflicts.map(({ index }) => index).filter((index) => !waiting.has(index)))
  return { waiting, answered }
}

/** A job as it is kept in memory while its process works on it. */
export interface JobRecord {
  readonly id: string
  readonly userId: number
  readonly kind: JobKind
  readonly planned: Planned<unknown>
  choices: Choices
  state: JobState
  cursor: number
  notes: Notes
  done: { files: number; bytes: number }
  total: { files: number; bytes: number } | undefined
  problem: { code: string; message: string } | undefined
  node: string | null
  readonly createdAt: number
  startedAt: number | null
  endedAt: number | null
}

export const parseChoices = (text: string): Choices => JSON.parse(text)

export function recordOf(row: JobRow & Partial<JobPlanRow>): JobRecord {
  const { id, user_id, cursor, node, files_done, bytes_done, files_total, bytes_total, problem, message } = row
  return {
    id,
    userId: user_id,
    kind: row.kind as JobKind,
    planned: { ...JSON.parse(row.summary), plan: row.plan === undefined ? undefined : JSON.parse(row.plan) },
    choices: parseChoices(row.choices),
    state: row.state as JobState,
    cursor,
    notes: JSON.parse(row.notes),
    done: { files: files_done, bytes: bytes_done },
    total: files_total === null || bytes_total === null ? undefined : { files: files_total, bytes: bytes_total },
    problem: problem === null ? undefined : { code: problem, message: message ?? '' },
    node,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  }
}

export const progressOf = ({ cursor, notes, done, total, problem }: JobRecord): Progress => ({
  cursor,
  notes: JSON.stringify(notes),
  files_done: done.files,
  bytes_done: Math.round(done.bytes),
  files_total: total?.files ?? null,
  bytes_total: total === undefined ? null : Math.round(total.bytes),
  problem: problem?.code ?? null,
  message: problem?.message ?? null,
})

export function rowOf(record: JobRecord): PlannedRow {
  const { plan, ...summary } = record.planned
  return {
    ...progressOf(record),
    id: record.id,
    user_id: record.userId,
    kind: record.kind,
    plan: JSON.stringify(plan),
    summary: JSON.stringify(summary),
    state: record.state,
    choices: JSON.stringify(record.choices),
    node: record.node,
    created_at: record.createdAt,
    started_at: record.startedAt,
    ended_at: record.endedAt,
  }
}

/** What only the process knows that works on it. */
export interface LiveFacts {
  readonly rate?: number | undefined
  readonly secondsLeft?: number | undefined
  /** A location, or a text such as the name of a member of an archive. */
  readonly current?: string | undefined
}

/** A job as plain data, whose paths are locations: processes send it to each other, and each account is shown its own paths. */
export type JobFacts = Omit<Job, 'owner'> & { readonly userId: number }

/** What happened to a job; without `job` it is listed no longer. */
export interface JobNews {
  readonly id: string
  readonly userId: number
  readonly job?: JobFacts | undefined
}

export function factsOf(record: JobRecord, live: LiveFacts = {}): JobFacts {
  const { planned, notes, choices } = record
  const failed = failedItems(notes).length
  const parked = new Set(notes.conflicts.map(({ index }) => index)).size
  return {
    id: record.id,
    userId: record.userId,
    kind: record.kind,
    state: record.state,
    names: [...planned.names],
    count: planned.count,
    ...(planned.from !== undefined && { from: planned.from }),
    ...(planned.to !== undefined && { to: planned.to }),
    finished: Math.max(0, record.cursor - failed - parked),
    done: { ...record.done },
    ...(record.total !== undefined && { total: { ...record.total } }),
    ...(record.state === 'running' && withoutUndefined(live)),
    ...(record.problem !== undefined && { problem: record.problem }),
    failures: notes.failures.map(({ path, code, message }) => ({ path, code, message })),
    conflicts: notes.conflicts
      .filter(({ to }) => choiceFor(choices, to) === undefined)
      .slice(0, mostConflicts)
      .map(({ index: _index, ...conflict }) => conflict),
    renamed: notes.renamed,
    skipped: notes.skipped,
    ...(notes.leftOut !== undefined && { leftOut: togetherOf(notes.leftOut) }),
    createdAt: record.createdAt,
    ...(record.startedAt !== null && { startedAt: record.startedAt }),
    ...(record.endedAt !== null && { endedAt: record.endedAt }),
  }
}

const togetherOf = (leftOut: readonly LeftOut[]): NonNullable<Job['leftOut']> => ({
  count: leftOut.reduce((sum, { count }) => sum + count, 0),
  paths: leftOut.flatMap(({ paths }) => paths),
})

/** With paths of a tree. What lies outside of it has its name alone. */
export function shownIn(tree: Tree, { userId: _userId, ...facts }: JobFacts, owner?: Job['owner']): Job {
  const { from, to, current, leftOut } = facts
  return {
    ...facts,
    ...(owner !== undefined && { owner }),
    ...(from !== undefined && { from: shownPath(tree, from) }),
    ...(to !== undefined && { to: shownPath(tree, to) }),
    ...(current !== undefined && { current: shownPath(tree, current) }),
    failures: facts.failures.map((failure) => ({ ...failure, path: shownPath(tree, failure.path) })),
    conflicts: facts.conflicts.map((conflict) => ({
      ...conflict,
      from: shownPath(tree, conflict.from),
      to: shownPath(tree, conflict.to),
    })),
    renamed: facts.renamed.map((item) => ({ from: shownPath(tree, item.from), to: shownPath(tree, item.to) })),
    ...(leftOut && { leftOut: { ...leftOut, paths: leftOut.paths.map((path) => shownPath(tree, path)) } }),
  }
}

function shownPath(tree: Tree, text: string): string {
  const location = locationIn(text)
  if (location === undefined) return text
  return tree.pathTo(location) ?? nameOf(pathIn(location))
}

function locationIn(text: string): Location | undefined {
  try {
    return parseLocation(text)
  } catch {
    return undefined
  }
}

const withoutUndefined = (facts: LiveFacts): LiveFacts =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
