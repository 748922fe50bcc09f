import type { Kysely } from 'kysely'
import { transaction } from '../database/port.ts'
import type { AttemptRow, Database } from '../database/schema.ts'

export const recentAttempts = (db: Kysely<Database>, target: string): Promise<AttemptRow | undefined> =>
  db.selectFrom('attempt').selectAll().where('target', '=', target).executeTakeFirst()

const neverYet = -1

/** Counts one more try in one step with what was known before. `decide` may refuse it by throwing. */
export async function countAttempt(
  db: Kysely<Database>,
  target: string,
  decide: (before: AttemptRow | undefined) => Omit<AttemptRow, 'target'>,
): Promise<number> {
  return transaction(db, 'read committed', async (trx) => {
    // Written before it is read: of many tries at once each one waits for the count of the one before it.
    const before = await trx
      .insertInto('attempt')
      .values({ target, failures: 0, last_at: neverYet, blocked_until: 0 })
      .onConflict((conflict) =>
        conflict.column('target').doUpdateSet((is) => ({ failures: is.ref('attempt.failures') })),
      )
      .returningAll()
      .executeTakeFirstOrThrow()
    const next = decide(before.last_at === neverYet ? undefined : before)
    await trx.updateTable('attempt').set(next).where('target', '=', target).execute()
    return next.failures
  })
}

export async function forgetAttempts(db: Kysely<Database>, target: string): Promise<void> {
  await db.deleteFrom('attempt').where('target', '=', target).execute()
}

/** Undoes the count of one try, and the wait that came with it. */
export async function uncountAttempt(db: Kysely<Database>, target: string): Promise<void> {
  await db
    .updateTable('attempt')
    .set((is) => ({ failures: is('failures', '-', 1), blocked_until: 0 }))
    .where('target', '=', target)
    .execute()
  await db.deleteFrom('attempt').where('target', '=', target).where('failures', '<=', 0).execute()
}

/**
 * Adds one to a leaky bucket: each try leaks out `step` seconds after those before it. Refused, and not counted, while the
 * last one would stay for longer than `most`; what lies beyond even that was written while the clock was wrong.
 */
export async function chargeAttempt(
  db: Kysely<Database>,
  target: string,
  { now, step, most }: { now: number; step: number; most: number },
): Promise<boolean> {
  const charged = await db
    .insertInto('attempt')
    .values({ target, failures: 0, last_at: now, blocked_until: now + step })
    .onConflict((conflict) =>
      conflict
        .column('target')
        .doUpdateSet((is) => ({
          blocked_until: is
            .case()
            .when(is.or([is('attempt.blocked_until', '<', now), is('attempt.blocked_until', '>', now + most)]))
            .then(now + step)
            .else(is('attempt.blocked_until', '+', step))
            .end(),
          last_at: now,
        }))
        .where((is) =>
          is.or([is('attempt.blocked_until', '<=', now + most - step), is('attempt.blocked_until', '>', now + most)]),
        ),
    )
    .returning('target')
    .execute()
  return charged.length > 0
}

export async function unchargeAttempt(db: Kysely<Database>, target: string, step: number): Promise<void> {
  await db
    .updateTable('attempt')
    .set((is) => ({ blocked_until: is('blocked_until', '-', step) }))
    .where('target', '=', target)
    .execute()
}

/**
 * Deletes rows outside of a time, and of the others the oldest beyond `most`, but no more than `atOnce`, so that a large
 * table keeps no sign-in waiting. Tells whether it is done.
 */
export async function clearAttempts(
  db: Kysely<Database>,
  { before, after, most, atOnce }: { before: number; after: number; most: number; atOnce: number },
): Promise<boolean> {
  const all = db.selectFrom('attempt').select('target').orderBy('last_at')
  const remove = async (targets: typeof all) =>
    Number((await db.deleteFrom('attempt').where('target', 'in', targets).executeTakeFirstOrThrow()).numDeletedRows)
  const early = await remove(all.where('last_at', '<', before).limit(atOnce))
  const late = await remove(all.where('last_at', '>', after).limit(atOnce))
  const { count } = await db
    .selectFrom('attempt')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const tooMany = count > most ? await remove(all.limit(Math.min(count - most, atOnce))) : 0
  return Math.max(early, late, tooMany) < atOnce
}
