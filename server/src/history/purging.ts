import { nameOf } from '@filestead/contract'
import type { Kysely, Transaction } from 'kysely'
import { requirePermission } from '../access/actor.ts'
import { notAllowed } from '../access/lookup.ts'
import type { Scope } from '../access/scope.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { touchAccess } from '../database/counters.ts'
import { transaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { deleteFavouritesWithin } from '../favourites/store.ts'
import { deleteGrantsWithin, hasGrantsWithin } from '../grants/store.ts'
import { eachItem, firstNames, pathOf, shownPathOf, Tally } from '../jobs/items.ts'
import type { Kind } from '../jobs/kind.ts'
import { type Location, locationIn } from '../mounts/location.ts'
import type { Mounts } from '../mounts/mounts.ts'
import { rootPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import type { Progress } from '../storage/transfer-options.ts'
import { isTakenOut } from './follow.ts'
import type { SeeKept } from './sight.ts'
import { deleteKept, type KeptItem, keptWithId, keptWithIds, keptWithin, relocateKept, restrictKept } from './store.ts'
import { seenTrash } from './trash.ts'

interface PurgeDeps {
  readonly db: Kysely<Database>
  storageAt(base: string): Pick<Storage, 'purge' | 'stat'>
}

interface PurgeOptions {
  /** Asked about what was removed from the folder before: what may not end stays. All of it ends where nothing is asked. */
  readonly mayEnd?: ((item: KeptItem) => Promise<boolean>) | undefined
  readonly signal?: Cancellation | undefined
  readonly progress?: Progress | undefined
}

/**
 * Ends a kept thing for good, and with a folder whatever was removed or replaced in it before, as far as it may end: the
 * rights to that are those of the folder, which are gone with it.
 */
export async function purgeItem(deps: PurgeDeps, item: KeptItem, options: PurgeOptions = {}): Promise<void> {
  const { db, storageAt } = deps
  const { mayEnd, ...how } = options
  const place = locationIn(item.mount, item.place)
  let isAnyLeft = false
  for (const inside of await keptWithin(db, place))
    if (mayEnd === undefined || (await mayEnd(inside))) await purgeItem(deps, inside, options)
    else isAnyLeft = true
  await storageAt(locationIn(item.mount, rootPath)).purge(item.place, how)
  // Restored in the last moment.
  if (await isTakenOut({ db, storageAt }, place)) return
  if (isAnyLeft) await transaction(db, 'serializable', (trx) => leaveFolder(trx, item))
  await transaction(db, 'read committed', async (trx) => {
    if (await hasGrantsWithin(trx, place)) {
      await deleteGrantsWithin(trx, place)
      await touchAccess(trx)
    }
    await deleteFavouritesWithin(trx, place)
    await deleteKept(trx, [item.id])
  })
}

/**
 * A kept folder goes: what was removed from it before is where that was from now on. Where the folder has grants, these go
 * with it, and only an administrator may see it: the account that removed the thing may have been one that could not read it.
 */
export async function leaveFolder(trx: Transaction<Database>, { mount, place, location }: KeptItem): Promise<void> {
  const folder = locationIn(mount, place)
  const inside = await keptWithin(trx, folder)
  if (inside.length === 0) return
  if (await hasGrantsWithin(trx, folder))
    await restrictKept(
      trx,
      inside.map(({ id }) => id),
      { isLeft: true },
    )
  await relocateKept(trx, folder, location)
}

export interface PurgeKindDeps extends PurgeDeps {
  readonly mounts: Pick<Mounts, 'all' | 'isAway'>
  sights(scope: Scope): SeeKept
  /** Something about the trash of this account is different now. */
  changed(userId: number): void
}

interface PurgePlan {
  readonly items: readonly { readonly id: string; readonly at: Location }[]
}

/** In milliseconds: so old may be what is known of the owner's rights. */
const longestKnown = 1000

/** Kept things that are ended for good: those that are named, or all of the trash that the account may end. */
export const purgeKind = (deps: PurgeKindDeps): Kind<PurgePlan> => ({
  async plan(scope, request) {
    if (request.kind !== 'purge') throw new Failure('invalid', 'This ends nothing')
    requirePermission(scope.actor, 'delete')
    const { ids, below } = request
    const items = ids === undefined ? await all(deps, scope, below) : await named(deps, scope, ids)
    return { plan: { items }, count: items.length, names: firstNames(items.map(({ at }) => nameOf(at))) }
  },

  require(scope, { items }, index) {
    requirePermission(scope.actor, 'delete')
    const item = items[index]
    if (item !== undefined) scope.require('delete', pathOf(scope, item.at))
  },

  async run(run) {
    const { items } = run.plan
    const tally = new Tally(run)
    run.total({ files: items.length, bytes: 0 })
    let known: { scope: Scope; see: SeeKept; since: number } | undefined
    const now = async () => {
      if (known !== undefined && performance.now() - known.since < longestKnown) return known
      const scope = await run.scope()
      known = { scope, see: deps.sights(scope), since: performance.now() }
      return known
    }
    await eachItem(run, items.length, {
      async work(index) {
        const planned = items[index]
        const item = planned && (await keptWithId(deps.db, planned.id))
        // Another one may have ended or restored it.
        if (item === undefined) return tally.finish({ isDone: true })
        const { scope, see } = await now()
        const sight = await see(item)
        if (sight?.canPurge !== true) throw notAllowed()
        const mayEnd = async (inside: KeptItem) => (await see(inside))?.canPurge === true
        await purgeItem(deps, item, { signal: run.signal, mayEnd })
        run.did({ path: sight.path })
        deps.changed(scope.actor.user.id)
        tally.finish({ isDone: true })
      },
      async fail(index, error) {
        tally.finish({ isDone: false })
        const planned = items[index]
        if (planned !== undefined) run.failed(index, shownPathOf(await run.scope(), planned.at), error)
      },
      isPatient: false,
    })
  },

  // What is ended stays so, and nothing else was touched.
  async clear() {},
})

async function all(deps: PurgeKindDeps, scope: Scope, below: string | undefined): Promise<PurgePlan['items']> {
  const items: { id: string; at: Location }[] = []
  for await (const { item, sight } of seenTrash(deps, scope, { below }))
    if (sight.canPurge) items.push({ id: item.id, at: sight.location })
  return items
}

async function named(deps: PurgeKindDeps, scope: Scope, ids: readonly string[]): Promise<PurgePlan['items']> {
  const see = deps.sights(scope)
  const items: { id: string; at: Location }[] = []
  for (const item of await keptWithIds(deps.db, ids)) {
    const sight = await see(item)
    if (sight !== undefined) items.push({ id: item.id, at: sight.location })
  }
  // One that is not there, or not seen: the same answer.
  if (items.length === 0 && ids.length > 0) throw new Failure('not-found', 'It is not kept any more')
  return items
}
