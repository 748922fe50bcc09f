import { type JobKind, type JobRequest, mostJobItems } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { flatMapInSlices } from '../concurrency/time-slices.ts'
import { Failure } from '../failure.ts'
import { checkedPath } from '../storage/path.ts'
import type { ClearRun, Kind, Planned, PlanRequest } from './kind.ts'
import { type Choices, emptyNotes, type JobRecord } from './record.ts'

export type Kinds = Readonly<Partial<Record<JobKind, Kind>>>

export function kindOf(kinds: Kinds, name: JobKind): Kind {
  const kind = kinds[name]
  if (kind === undefined) throw new Failure('invalid', `This server has no jobs of the kind ${name}`)
  return kind
}

interface Beginning {
  readonly planned: Planned<unknown>
  readonly choices: Choices
  readonly createdAt: number
}

/** A job as it begins. */
export const recordFor = (
  scope: Scope,
  request: PlanRequest,
  { planned, choices, createdAt }: Beginning,
): JobRecord => ({
  id: Bun.randomUUIDv7(),
  userId: scope.actor.user.id,
  kind: request.kind,
  // First, because it is looked for by the beginning of the text.
  planned: {
    ...(request.id !== undefined && { asked: request.id }),
    ...planned,
    ...(request.batch !== undefined && { batch: request.batch }),
  },
  choices,
  state: 'queued',
  cursor: 0,
  notes: emptyNotes(),
  done: { files: 0, bytes: 0 },
  total: undefined,
  problem: undefined,
  node: null,
  createdAt,
  startedAt: null,
  endedAt: null,
})

export async function choicesIn(scope: Scope, request: JobRequest): Promise<Choices> {
  const forAll = 'onConflict' in request ? request.onConflict : 'ask'
  return { forAll, by: 'choices' in request ? await locatedChoices(scope, request.choices ?? {}) : {} }
}

/** Of one job, from all requests: they are read with every look at it, and written with every progress. */
const mostChoices = 2 * mostJobItems
/** In characters, of all their names: ten thousand of two hundred each. */
const longestChoices = 2 << 20

export function requireFewChoices(by: Choices['by']): void {
  const names = Object.keys(by)
  if (names.length > mostChoices || names.reduce((sum, name) => sum + name.length, 0) > longestChoices)
    throw new Failure('invalid', 'There are too many answers about single names; answer for all')
}

/** By locations: the names of mounts may change before they count. With pauses, as the paths of a plan. */
export async function locatedChoices(scope: Scope, choices: Choices['by']): Promise<Choices['by']> {
  requireFewChoices(choices)
  return Object.fromEntries(
    await flatMapInSlices(Object.entries(choices), ([path, choice]) => [
      [scope.locate(checkedPath(path)), choice] as const,
    ]),
  )
}

export const clearRunOf = (
  record: JobRecord,
  scope: () => Promise<Scope>,
  { isCancelled }: { isCancelled: boolean },
): ClearRun<unknown> => ({
  isCancelled,
  id: record.id,
  plan: record.planned.plan,
  cursor: record.cursor,
  notes: record.notes.kind,
  scope,
})
