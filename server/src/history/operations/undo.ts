import { nameOf, type UndoRefusal, undoFor } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { notAllowed } from '../../access/lookup.ts'
import { type Scope, seenPath } from '../../access/scope.ts'
import type { Changes } from '../../changes/pipeline.ts'
import { copyEntry, createFolder, moveEntry, removeEntry, restoreEntry } from '../../changes/verbs.ts'
import type { Clock } from '../../clock.ts'
import { flatMapInSlices, timeSlices } from '../../concurrency/time-slices.ts'
import type { Database } from '../../database/schema.ts'
import { Failure, ignoring } from '../../failure.ts'
import { eachItem, firstNames, pathOf, shownPathOf, Tally } from '../../jobs/items.ts'
import type { Kind, Run } from '../../jobs/kind.ts'
import { type Location, locationIn } from '../../mounts/location.ts'
import { requireOwnRights } from '../left-rights.ts'
import type { KeptItem } from '../store.ts'
import { isSameThing, isUnchanged, parseDone, stateOf } from './effects.ts'
import { rememberFolders, rememberPlace } from './kept-again.ts'
import { type FindKept, keptBy, refusalsAmong } from './list.ts'
import type { Look } from './look.ts'
import {
  foreseenRefusal,
  type Guards,
  placeOf,
  placesOf,
  refusal,
  type Step,
  settled,
  stepsFor,
  targetOf,
} from './steps.ts'
import { claimUndo, countOfBatch, lastOfBatch, operationsOfBatch, releaseUndo } from './store.ts'

export interface UndoDeps {
  readonly db: Kysely<Database>
  readonly clock: Clock
  readonly look: Look
  /** At what an account sees. */
  lookFor(scope: Scope): Look
  seesKept(scope: Scope, item: KeptItem): Promise<boolean>
  readonly findKept: FindKept
  /** Is this a job that is not over yet? */
  isUnderWay(batch: string): Promise<boolean>
}

interface UndoPlan {
  readonly batch: string
  readonly operations: readonly string[]
  readonly steps: readonly Step[]
}

interface UndoNotes {
  /** The step whose change was begun: after a crash it may be done. */
  readonly begun?: number | undefined
  readonly failed?: readonly number[] | undefined
}

const mostSteps = 50_000

/**
 * Takes back a batch of operations: each step is a change like any other, remembered like any other, so that this can be
 * taken back as well. All that can be known is looked at before the first one.
 */
export const undoKind = (deps: UndoDeps): Kind<UndoPlan> => ({
  async plan(scope, request) {
    if (request.kind !== 'undo') throw new Failure('invalid', 'This takes nothing back')
    const { operation: batch } = request
    const { user } = scope.actor
    // A job that was begun a moment ago has done nothing yet.
    if (await deps.isUnderWay(batch)) throw refused('under-way')
    if ((await countOfBatch(deps.db, batch, user.id)) > mostSteps) throw tooMuch()
    const all = await operationsOfBatch(deps.db, batch, user.id)
    if (all.length === 0) throw new Failure('not-found', 'There is no such operation')
    const isOld = all.some(({ at }) => at < deps.clock.unixSeconds() * 1000 - undoFor)
    const refusalOf = await refusalsAmong(deps, scope, all)
    const why = (await refusalOf(all)) ?? (isOld ? 'too-old' : undefined)
    if (why !== undefined) throw refused(why)
    const operations = all.filter(({ undoneBy }) => undoneBy === undefined)
    const steps = await stepsFor(operations)
    if (steps.length > mostSteps) throw tooMuch()
    const pause = timeSlices()
    for (const location of new Set(steps.flatMap(placesOf))) {
      if (seenPath(scope.view, location) === undefined) throw notAllowed()
      await pause()
    }
    const kept = await deps.findKept((await flatMapInSlices(operations, keptBy)).map(({ id }) => id))
    const foreseen = await foreseenRefusal(
      steps,
      guardsFor(deps, scope, (id) => kept.get(id)),
    )
    if (foreseen !== undefined) throw foreseen
    return {
      plan: { batch, operations: operations.map(({ id }) => id), steps },
      count: steps.length,
      names: firstNames([...new Set(steps.map((step) => nameOf(placeOf(step))))]),
    }
  },

  async run(run) {
    const { operations, steps } = run.plan
    if (!(await claimUndo(deps.db, operations, run.id))) throw refused('undone')
    try {
      await new Undoing(deps, run).all()
    } finally {
      await releaseUndo(deps.db, untouched(run.plan, run.cursor, run.notes), run.id).catch(() => {})
    }
    if (steps.length > 0) await run.save()
  },

  clear: ({ id, plan, cursor, notes }) => releaseUndo(deps.db, untouched(plan, cursor, notes), id),
})

const guardsFor = (
  { lookFor, seesKept }: Pick<UndoDeps, 'lookFor' | 'seesKept'>,
  scope: Scope,
  keptWith: Guards['keptWith'],
): Guards => ({ look: lookFor(scope), keptWith, seesKept: (item) => seesKept(scope, item) })

const sentences: Readonly<Record<UndoRefusal, string>> = {
  undone: 'This was taken back already',
  'under-way': 'This is not finished yet',
  'not-kept': 'Something of it was not kept, so it cannot be taken back',
  purged: 'What it needs is not kept any more',
  restored: 'What it needs was restored since: take that back first',
  'no-room': 'What it needs had to go, because the disk was nearly full',
  'too-much': 'This was too much to be remembered, so it cannot be taken back',
  'too-old': 'This is too long ago to be taken back',
  unfinished: 'The server stopped in the middle of this, and how far it came is not known',
}

const tooMuch = (): Failure => new Failure('too-large', 'This is too much to be taken back')

const refused = (reason: UndoRefusal): Failure => new Failure('changed-meanwhile', sentences[reason], { reason })

/** Operations of which no step is done: they can be taken back another time. */
function untouched({ operations, steps }: UndoPlan, cursor: number, notes: UndoNotes): string[] {
  const failed = new Set(notes.failed)
  const touched = new Set(
    steps.flatMap(({ operation }, index) => (index < cursor && !failed.has(index) ? operation : [])),
  )
  return operations.filter((id) => !touched.has(id))
}

const placeOfKept = ({ mount, place }: KeptItem): Location => locationIn(mount, place)

class Undoing {
  readonly #deps: UndoDeps
  readonly #run: Run<UndoPlan>
  readonly #tally: Tally
  readonly #changes: Changes

  constructor(deps: UndoDeps, run: Run<UndoPlan>) {
    this.#deps = deps
    this.#run = run
    this.#tally = new Tally(run)
    this.#changes = { ...run.changes, undoes: run.plan.batch }
  }

  async all(): Promise<void> {
    const run = this.#run
    run.total({ files: run.plan.steps.length, bytes: 0 })
    await this.#steps()
    const { db, look } = this.#deps
    const { user } = (await run.scope()).actor
    await rememberFolders(db, look, await operationsOfBatch(db, run.plan.batch, user.id))
  }

  async #steps(): Promise<void> {
    const run = this.#run
    await eachItem(run, run.plan.steps.length, {
      work: (index) => this.#one(index),
      fail: (index, error) => this.#fail(index, error),
      isPatient: false,
    })
  }

  get #notes(): UndoNotes {
    return this.#run.notes as UndoNotes
  }

  #note(notes: UndoNotes): void {
    this.#run.notes = { ...this.#run.notes, ...notes }
  }

  async #one(index: number): Promise<void> {
    const run = this.#run
    const planned = run.plan.steps[index]
    if (planned === undefined) return
    const scope = await run.scope()
    const step = await settled(planned, this.#deps.lookFor(scope))
    const kept = step.do === 'restore' ? (await this.#deps.findKept([step.kept])).get(step.kept) : undefined
    const hadBegun = this.#notes.begun === index
    if (!(hadBegun && (await this.#isDone(step, kept)))) {
      const obstacle = await refusal(
        step,
        guardsFor(this.#deps, scope, () => kept),
      )
      if (obstacle !== undefined) throw obstacle
      this.#note({ begun: index })
      await run.save()
      await this.#do(step, scope, kept)
      run.did({ path: pathOf(scope, placeOf(step)) })
    }
    if (step.was !== undefined)
      await this.#rememberPlace(step, hadBegun ? placeOf(step) : undefined, scope.actor.user.id)
    this.#note({ failed: this.#notes.failed?.filter((other) => other !== index) })
    this.#tally.finish({ isDone: true })
  }

  async #do(step: Step, scope: Scope, kept: KeptItem | undefined): Promise<void> {
    const look = this.#deps.lookFor(scope)
    const [changes, { signal }] = [this.#changes, this.#run]
    switch (step.do) {
      case 'move': {
        const [from, to] = [pathOf(scope, step.from), pathOf(scope, step.to)]
        await moveEntry(changes, scope, { from, to, onConflict: 'fail', signal })
        return
      }
      case 'copy': {
        const [from, to] = [pathOf(scope, step.from), pathOf(scope, step.to)]
        await copyEntry(changes, scope, { from, to, onConflict: 'fail', signal })
        return
      }
      case 'remove': {
        const there = await look.at(step.at)
        const only = there?.kind === 'file' ? { version: there.version } : undefined
        return removeEntry(changes, scope, pathOf(scope, step.at), { only, signal })
      }
      case 'restore': {
        if (kept === undefined) return
        const at = await targetOf(step, kept, look)
        const over = step.over === undefined ? undefined : await look.at(at)
        if (over === undefined) await requireOwnRights(this.#deps.db, { item: kept, place: kept.place, isMoved: true })
        await restoreEntry(changes, scope, {
          kept: placeOfKept(kept),
          to: pathOf(scope, at),
          onConflict: 'fail',
          ...(over !== undefined && { over: [over.version] }),
        })
        return
      }
      case 'make-folder':
        return createFolder(changes, scope, pathOf(scope, step.at))
      case 'remove-empty':
        return this.#removeEmpty(step, scope)
    }
  }

  /** The last change of this job may be another one, where a crash came before the row of the step. */
  async #rememberPlace({ was }: Step, at: Location | undefined, userId: number): Promise<void> {
    const { db } = this.#deps
    const done = parseDone((await lastOfBatch(db, this.#run.id, userId)) ?? '')
    if (was === undefined || typeof done === 'string') return
    const now = done.find((each) => each.kind === 'kept' && (at === undefined || each.at === at))
    if (now?.kind === 'kept') await rememberPlace(db, was, now)
  }

  /** What came into it since stays, and so does it. */
  async #removeEmpty({ at }: Extract<Step, { do: 'remove-empty' }>, scope: Scope): Promise<void> {
    const there = await this.#deps.lookFor(scope).at(at)
    if (there?.kind !== 'folder') return
    const isLeft = ignoring('changed-meanwhile', 'not-found', 'already-exists', 'invalid')
    await removeEntry(this.#changes, scope, pathOf(scope, at), { only: 'empty', signal: this.#run.signal }).catch(
      isLeft,
    )
  }

  /** After a crash during the step. */
  async #isDone(step: Step, kept: KeptItem | undefined): Promise<boolean> {
    const { look } = this.#deps
    if (step.do === 'make-folder' || step.do === 'remove-empty') return false
    if (step.do === 'restore') return kept === undefined || (await look.at(placeOfKept(kept))) === undefined
    const there = await look.at(placeOf(step))
    if (step.do === 'copy') {
      const copy = await look.at(step.to)
      return copy !== undefined && stateOf(copy) === step.state
    }
    if (step.do === 'remove') return there === undefined
    const back = await look.at(step.to)
    return (there === undefined || !isSameThing(step, there)) && back !== undefined && isUnchanged(step, back)
  }

  async #fail(index: number, error: unknown): Promise<void> {
    const run = this.#run
    const step = run.plan.steps[index]
    this.#tally.finish({ isDone: false })
    this.#note({ failed: [...(this.#notes.failed ?? []), index] })
    if (step !== undefined) run.failed(index, shownPathOf(await run.scope(), placeOf(step)), error)
  }
}
