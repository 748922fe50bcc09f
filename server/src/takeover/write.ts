import { randomBytes } from 'node:crypto'
import { Settings } from '@filestead/contract'
import type { Kysely, Transaction } from 'kysely'
import { touchAccess } from '../database/counters.ts'
import { durableTransaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { usualHistory } from '../mounts/history.ts'
import { mountsWithLeftOut, saveMount } from '../mounts/store.ts'
import { documentOf, saveDocument } from '../settings/store.ts'
import { toRow } from '../users/store.ts'
import { type TakeoverDocument, takeoverIn } from './document.ts'
import type { Plan } from './plan.ts'
import { hasUsers, insertShares, insertUsers, raiseLastId } from './store.ts'

/** Rows in one statement. */
const batchSize = 500

/** Writes a plan in one transaction. Existing rows are never replaced. */
export async function writePlan(db: Kysely<Database>, plan: Plan): Promise<void> {
  await durableTransaction(db, 'serializable', async (trx) => {
    const before = await takeoverIn(trx)
    await requireNew(trx, plan, before)
    if (plan.config !== undefined) {
      const { settings, auth, server, key } = plan.config
      await saveDocument(trx, 'settings', settings)
      await saveDocument(trx, 'auth', auth)
      await saveDocument(trx, 'server', server)
      await saveDocument(trx, 'key', Buffer.from(key ?? randomBytes(64)).toString('base64'))
    } else if (before === undefined) await saveDocument(trx, 'settings', Settings.parse({}))

    const { when } = plan.report
    for (const accounts of batches(plan.accounts()))
      await insertUsers(
        trx,
        accounts.map((account) => ({ ...toRow(account), id: account.user.id })),
        when,
      )
    if (plan.parts.includes('users')) await raiseLastId(trx, plan.lastId)
    await keepNothingYet(trx)
    for (const shares of batches(plan.shares()))
      await insertShares(
        trx,
        shares.map(({ row }) => row),
        shares.flatMap(({ row, tokenHash }) => (tokenHash === '' ? [] : [{ hash: row.hash, token_hash: tokenHash }])),
      )
    await saveDocument(trx, 'takeover', documentOfPlan(plan, before))
  })
}

/** An installation that kept nothing so far goes on like that, until an administrator has chosen. */
async function keepNothingYet(trx: Transaction<Database>): Promise<void> {
  for (const mount of await mountsWithLeftOut(trx))
    await saveMount(trx, { ...mount, history: { ...(mount.history ?? usualHistory), trash: 'ask', versions: false } })
  await touchAccess(trx)
}

/** Settings and users may come from two takeovers, but neither twice. */
async function requireNew(
  trx: Transaction<Database>,
  { parts }: Plan,
  before: TakeoverDocument | undefined,
): Promise<void> {
  const isNew = (await documentOf(trx, 'settings')) === undefined && !(await hasUsers(trx))
  if (isNew && before === undefined) return
  if (before === undefined)
    throw new Failure('already-exists', 'The database is in use already; a takeover needs a new one')
  const twice = parts.find((part) => before.parts.includes(part))
  if (twice !== undefined)
    throw new Failure('already-exists', `The ${twice} have been taken over already, from ${before.report.from}`)
}

function documentOfPlan(
  { report, parts, files, ...plan }: Plan,
  before: TakeoverDocument | undefined,
): TakeoverDocument {
  const awaitsConfirmation = plan.awaitsConfirmation || (before?.awaitsConfirmation ?? false)
  if (before === undefined) return { report, parts: [...parts], files: [...files], awaitsConfirmation, isSeen: false }
  const { taken, changes, from } = before.report
  return {
    report: {
      ...report,
      from: `${from}, ${report.from}`,
      taken: {
        settings: taken.settings || report.taken.settings,
        users: taken.users + report.taken.users,
        shares: taken.shares + report.taken.shares,
        rules: taken.rules + report.taken.rules,
      },
      changes: [...changes, ...report.changes],
    },
    parts: [...before.parts, ...parts],
    files: [...before.files, ...files],
    awaitsConfirmation,
    isSeen: false,
  }
}

function* batches<T>(items: Iterable<T>): Generator<T[]> {
  let batch: T[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
