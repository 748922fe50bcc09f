import { type ConflictChoice, isOver, type JobAction, type JobChange, type JobState } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import { locatedChoices, requireFewChoices } from './planning.ts'
import { type Choices, type JobRecord, parkedItems, parseChoices, recordOf } from './record.ts'
import type { Runner, RunnerDeps } from './runner.ts'
import { jobWithId, mergeChoices, type Wish, wishJob } from './store.ts'

type ChangeDeps = Pick<RunnerDeps, 'db' | 'clock' | 'node'>

/** The row says what is wanted, and the process that works on the job follows. */
export async function changeJob(
  deps: ChangeDeps,
  runner: Runner,
  record: JobRecord,
  scope: Scope,
  { action, choices = {}, forAll }: JobChange,
): Promise<void> {
  if (forAll !== undefined || Object.keys(choices).length > 0)
    await answer(deps, record, { by: await locatedChoices(scope, choices), forAll })
  if (action !== undefined) await act(deps, runner, record, action)
  const row = await jobWithId(deps.db, record.id)
  if (row === undefined) return
  runner.tell(recordOf(row))
  await runner.look(row.node)
  await runner.pump()
}

async function answer(
  { db }: ChangeDeps,
  record: JobRecord,
  { by, forAll }: { by: Choices['by']; forAll: ConflictChoice | undefined },
): Promise<void> {
  const row = await mergeChoices(db, record.id, (text) => {
    const known = parseChoices(text)
    const merged: Choices = { forAll: forAll ?? known.forAll, by: { ...known.by, ...by } }
    requireFewChoices(merged.by)
    return JSON.stringify(merged)
  })
  if (row === undefined) return
  const { notes, choices } = recordOf(row)
  if (parkedItems(notes, choices).answered.size > 0) await wishJob(db, record.id, { from: ['asking'], to: 'queued' })
}

const unfinished: readonly JobState[] = ['queued', 'running', 'paused', 'asking']

async function act(deps: ChangeDeps, runner: Runner, record: JobRecord, action: JobAction): Promise<void> {
  const { db, clock, node } = deps
  const wishes: Readonly<Record<JobAction, Wish>> = {
    pause: { from: ['queued', 'running', 'asking', 'paused'], to: 'paused' },
    resume: { from: ['paused'], to: 'queued' },
    cancel: { from: unfinished, to: 'cancelled', endedAt: clock.unixSeconds(), node: node.id },
    retry: { from: ['failed'], to: 'queued', endedAt: null, notes: JSON.stringify({ ...record.notes, isRetry: true }) },
  }
  const row = await wishJob(db, record.id, wishes[action])
  if (row === undefined) {
    const { state } = record
    if (action === 'resume' && !isOver(state)) return
    throw new Failure('changed-meanwhile', isOver(state) ? 'This job is over' : `This job cannot be tried again yet`)
  }
  // Nothing else was at work on it.
  if (action === 'cancel' && row.node === node.id && !runner.isAtWork(record.id))
    await runner.clearCancelled(recordOf(row))
}
