import { nameOf, type UndoRefusal, undoFor } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Scope } from '../../access/scope.ts'
import type { Changes } from '../../changes/pipeline.ts'
import { createFolder, moveEntry, removeEntry, restoreEntry } from '../../changes/verbs.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/schema.ts'
import { Failure, isFailure } from '../../failure.ts'
import { eachItem, firstNames, pathOf, shownPathOf, Tally } from '../../jobs/items.ts'
import type { Kind, Run } from '../../jobs/kind.ts'
import type { Location } from '../../mounts/location.ts'
import { type Done, isSameThing, isUnchanged, parseDone } from './effects.ts'
import { type FindKept, type KeptPlaces, keptIds, refusalOf } from './list.ts'
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
import { claimUndo, lastOfBatch, operationsOfBatch, releaseUndo, replaceKept } from './store.ts'

export interface UndoDeps {
  readonly db: Kysely<Database>
  readonly clock: Clock
  readonly look: Look
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
    const all = await operationsOfBatch(deps.db, batch, scope.actor.user.id)
    if (all.length === 0) throw new Failure('not-found', 'There is no such operation')
    if (await deps.isUnderWay(batch)) throw new Failure('changed-meanwhile', 'This is still going on')
    const kept = await deps.findKept(all.flatMap(keptIds))
    const isOld = all.some(({ at }) => at < deps.clock.unixSeconds() * 1000 - undoFor)
    const why = refusalOf(all, (id) => kept.has(id)) ?? (isOld ? 'too-old' : undefined)
    if (why !== undefined) throw new Failure('changed-meanwhile', sentences[why])
    const operations = all.filter(({ undoneBy }) => undoneBy === undefined)
    const steps = stepsFor(operations)
    if (steps.length > mostSteps) throw new Failure('too-large', 'This is too much to be taken back')
    // Guards look for no account: what is out of its sight by now is not looked at.
    for (const location of new Set(steps.flatMap(placesOf))) scope.requireVisible(pathOf(scope, location))
    const refused = await foreseenRefusal(steps, { look: deps.look, keptWith: (id) => kept.get(id) })
    if (refused !== undefined) throw refused
    return {
      plan: { batch, operations: operations.map(({ id }) => id), steps },
      count: steps.length,
      names: firstNames([...new Set(steps.map((step) => nameOf(placeOf(step))))]),
    }
  },

  async run(run) {
    const { operations, steps } = run.plan
    if (!(await claimUndo(deps.db, operations, run.id))) throw new Failure('changed-meanwhile', sentences.undone)
    try {
      await new Undoing(deps, run).all()
    } finally {
      await releaseUndo(deps.db, untouched(run.plan, run.cursor, run.notes), run.id).catch(() => {})
    }
    if (steps.length > 0) await run.save()
  },

  clear: ({ id, plan, cursor, notes }) => releaseUndo(deps.db, untouched(plan, cursor, notes), id),
})

const sentences: Readonly<Record<UndoRefusal, string>> = {
  undone: 'This was taken back already',
  'not-kept': 'Something of it was not kept, so it cannot be taken back',
  purged: 'What it needs is not kept any more',
  'too-old': 'This is too long ago to be taken back',
  unfinished: 'It is not known how far this has come, so it cannot be taken back',
}

/** Operations of which no step is done: they can be taken back another time. */
function untouched({ operations, steps }: UndoPlan, cursor: number, notes: UndoNotes): string[] {
  const failed = new Set(notes.failed)
  const touched = new Set(
    steps.flatMap(({ operation }, index) => (index < cursor && !failed.has(index) ? operation : [])),
  )
  return operations.filter((id) => !touched.has(id))
}

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
    const step = await settled(planned, this.#deps.look)
    const kept = step.do === 'restore' ? (await this.#deps.findKept([step.kept])).get(step.kept) : undefined
    const hadBegun = this.#notes.begun === index
    if (!(hadBegun && (await this.#isDone(step, kept)))) {
      const guards: Guards = { look: this.#deps.look, keptWith: () => kept }
      const refused = await refusal(step, guards)
      if (refused !== undefined) throw refused
      this.#note({ begun: index })
      await run.save()
      await this.#do(step, scope, kept)
      if (step.was !== undefined) await this.#rememberPlace(step.was)
      run.did({ path: pathOf(scope, placeOf(step)) })
    }
    this.#note({ failed: this.#notes.failed?.filter((other) => other !== index) })
    this.#tally.finish({ isDone: true })
  }

  async #do(step: Step, scope: Scope, kept: KeptPlaces | undefined): Promise<void> {
    const [changes, { signal }] = [this.#changes, this.#run]
    switch (step.do) {
      case 'move': {
        const [from, to] = [pathOf(scope, step.from), pathOf(scope, step.to)]
        await moveEntry(changes, scope, { from, to, onConflict: 'fail', signal })
        return
      }
      case 'remove': {
        const there = await this.#deps.look.at(step.at)
        const only = there?.kind === 'file' ? { version: there.version } : undefined
        return removeEntry(changes, scope, pathOf(scope, step.at), { only, signal })
      }
      case 'restore': {
        if (kept === undefined) return
        const at = await targetOf(step, kept, this.#deps.look)
        const over = step.over === undefined ? undefined : await this.#deps.look.at(at)
        await restoreEntry(changes, scope, {
          kept: kept.place,
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

  /** What was restored and is kept again now is found there by operations that are older than the restore. */
  async #rememberPlace(was: Location): Promise<void> {
    const { db } = this.#deps
    const done = parseDone((await lastOfBatch(db, this.#run.id)) ?? '')
    if (typeof done === 'string') return
    const now = done.find((each) => each.kind === 'kept')
    if (now === undefined) return
    const { id, place, at } = now
    const renamed = (each: Done): Done =>
      each.kind === 'kept' && each.place === was
        ? { ...each, id, place, ...(each.at !== at && { isFixed: true }) }
        : each
    await replaceKept(db, was, (effects) => {
      const known = parseDone(effects)
      return typeof known === 'string' ? effects : JSON.stringify(known.map(renamed))
    })
  }

  /** What came into it since stays, and so does it. */
  async #removeEmpty({ at }: Extract<Step, { do: 'remove-empty' }>, scope: Scope): Promise<void> {
    const there = await this.#deps.look.at(at)
    if (there?.kind !== 'folder') return
    try {
      await removeEntry(this.#changes, scope, pathOf(scope, at), { only: 'empty', signal: this.#run.signal })
    } catch (error) {
      const isLeft = ['changed-meanwhile', 'not-found', 'already-exists', 'invalid'] as const
      if (!isLeft.some((code) => isFailure(error, code))) throw error
    }
  }

  /** After a crash during the step. */
  async #isDone(step: Step, kept: KeptPlaces | undefined): Promise<boolean> {
    const { look } = this.#deps
    if (step.do === 'make-folder' || step.do === 'remove-empty') return false
    if (step.do === 'restore') return kept === undefined || (await look.at(kept.place)) === undefined
    const there = await look.at(placeOf(step))
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
