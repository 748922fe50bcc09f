import type { JobKind, JobRequest } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
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

/** A job as it begins. */
export const recordFor = (
  scope: Scope,
  request: PlanRequest,
  planned: Planned<unknown>,
  createdAt: number,
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
  choices: choicesIn(scope, request),
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

function choicesIn(scope: Scope, request: JobRequest): Choices {
  const forAll = 'onConflict' in request ? request.onConflict : 'ask'
  return { forAll, by: 'choices' in request ? locatedChoices(scope, request.choices ?? {}) : {} }
}

/** By locations: the names of mounts may change before they count. */
export const locatedChoices = (scope: Scope, choices: Choices['by']): Choices['by'] =>
  Object.fromEntries(Object.entries(choices).map(([path, choice]) => [scope.locate(checkedPath(path)), choice]))

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
