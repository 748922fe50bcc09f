import { nameOf } from '@filestead/contract'
import { requirePermission } from '../access/actor.ts'
import { removeEntry, requireRemovable } from '../changes/verbs.ts'
import { Failure } from '../failure.ts'
import { inFolder } from '../storage/path.ts'
import {
  changedMeanwhile,
  commonFolder,
  eachItem,
  firstNames,
  type Meant,
  meantAt,
  parsedPaths,
  pathOf,
  shownPathOf,
  statOrNothing,
  Tally,
} from './items.ts'
import type { Kind } from './kind.ts'
import { countingBeside } from './totals.ts'

interface RemovalPlan {
  readonly items: readonly Meant[]
  /** The run of the kernel in which ids were noted. */
  readonly kernel: string
  /** A disk that is away is waited for. */
  readonly isPatient: boolean
  readonly forGood?: boolean | undefined
}

/** Files and folders that are removed, one after another. */
export const removalKind = (kernel: string): Kind<RemovalPlan> => ({
  async plan(scope, request) {
    if (request.kind !== 'delete') throw new Failure('invalid', 'This is no removal')
    requirePermission(scope.actor, 'delete')
    const paths = await parsedPaths(request.items)
    const [first, ...rest] = paths
    // Of several, one that is refused keeps no other from its turn.
    if (first !== undefined && rest.length === 0) requireRemovable(scope, first)
    const items = await meantAt(scope, paths)
    return {
      plan: { items, kernel, isPatient: request.failsOnConflict !== true, forGood: request.forGood },
      count: items.length,
      names: firstNames(paths.map(nameOf)),
      from: commonFolder(scope, paths),
    }
  },

  require(scope, { items }, cursor) {
    requirePermission(scope.actor, 'delete')
    const item = items[cursor]
    if (item !== undefined) scope.require('delete', pathOf(scope, item.at))
  },

  async run(run) {
    const { items } = run.plan
    const tally = new Tally(run)
    await countingBeside(run, () => eachItem(run, items.length, { work, fail, isPatient: run.plan.isPatient }))

    async function work(index: number): Promise<void> {
      const item = items[index]
      if (item === undefined) return
      const scope = await run.scope()
      const path = pathOf(scope, item.at)
      requireRemovable(scope, path)
      const hadBegun = run.notes.begun === index
      const entry = await statOrNothing(scope, path)
      // A crash came between the removal and its note.
      if (entry === undefined && hadBegun) return tally.finish({ isDone: true })
      const isOther = item.id !== undefined && run.plan.kernel === kernel && entry?.id !== item.id
      if (entry !== undefined && isOther && !run.retried.has(index)) throw changedMeanwhile()
      run.notes = { ...run.notes, begun: index }
      await run.save()
      const progress = tally.of((current) => (current === '' ? path : inFolder(path, current)))
      await removeEntry(run.changes, scope, path, { signal: run.signal, progress, forGood: run.plan.forGood })
      run.did({ path })
      tally.finish({ isDone: true })
    }

    async function fail(index: number, error: unknown): Promise<void> {
      tally.finish({ isDone: false })
      const at = items[index]?.at
      if (at !== undefined) run.failed(index, shownPathOf(await run.scope(), at), error)
    }
  },

  // What is removed stays so, and nothing else was touched.
  async clear() {},
})
