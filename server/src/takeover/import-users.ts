import { randomUUID } from 'node:crypto'
import type { TakeoverChange } from '@filestead/contract'
import type { Kysely, Transaction } from 'kysely'
import { durableTransaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { endGrantsOf } from '../grants/grants.ts'
import { deleteOperationsOf } from '../history/operations/store.ts'
import { leaveKeptOf } from '../history/store.ts'
import { deleteJobsOf } from '../jobs/store.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import { deleteUploadsOf } from '../uploads/store.ts'
import { type Account, allAccounts, deleteUser, insertUser, saveUser } from '../users/store.ts'
import { collectChanges } from './changes.ts'
import type { OldUser } from './old-records.ts'
import { accountFrom } from './users.ts'

export interface UserImport {
  /** The name of the file, for error messages. */
  readonly source: string
  readonly now: number
  /** Replaces users that have the same id; otherwise they are refused. */
  readonly mayOverwrite: boolean
  /** Deletes users that are not in the list. */
  readonly isWhole: boolean
  /** Called with the stored users before anything changes. */
  keep?(before: readonly Account[]): void
}

/** Imports users with their hashes in one transaction. Returns what changed its meaning. */
export async function importUsers(
  db: Kysely<Database>,
  listed: readonly OldUser[],
  { source, now, mayOverwrite, isWhole, keep }: UserImport,
): Promise<readonly TakeoverChange[]> {
  const changes = collectChanges()
  const wanted = listed.map((old) => ({ ...accountFrom(old, { source, globalRules: [] }, changes), changedAt: now }))
  await durableTransaction(db, 'serializable', async (trx) => {
    const before = await allAccounts(trx)
    const there = new Map(before.map((account) => [account.user.id, account]))
    const taking = wanted.filter(({ user }) => there.has(user.id))
    if (!mayOverwrite && !isWhole) requireFreeIds(taking)
    const places = new Set(taking.map(({ user }) => user.id))
    const others = before.filter(({ user }) => !places.has(user.id))
    requireValid(before, [...wanted, ...(isWhole ? [] : others)])
    keep?.(before)

    if (isWhole) for (const { user } of others) await endAccount(trx, user.id)
    // Renamed first: two users may have swapped their names.
    for (const { user, ...account } of taking)
      await saveUser(trx, { ...account, user: { ...user, username: randomUUID() } })
    for (const account of wanted) {
      const old = there.get(account.user.id)
      if (old === undefined) await insertUser(trx, account)
      else if (!isAnother(old, account)) await saveUser(trx, account)
      else {
        await endAccount(trx, old.user.id)
        await insertUser(trx, account, old.user.id)
      }
      // Sessions of the old password end at once.
      if (old !== undefined && old.passwordHash !== account.passwordHash)
        await deleteSessionsOf(trx, old.user.id, { except: undefined })
    }
  })
  return changes.list()
}

/** With all that other rooms keep by its number: what it has shared, begun, done and removed is of no account then. */
async function endAccount(trx: Transaction<Database>, id: number): Promise<void> {
  await endGrantsOf(trx, `user:${id}`)
  await leaveKeptOf(trx, id)
  await deleteOperationsOf(trx, id)
  await deleteUploadsOf(trx, id)
  await deleteJobsOf(trx, id)
  await deleteUser(trx, id)
}

/** A list from another instance may give the number to another person, who must not come by what the first one had. */
const isAnother = (old: Account, { user, passwordHash }: Account): boolean =>
  old.user.username !== user.username && old.passwordHash !== passwordHash

function requireFreeIds([first]: readonly Account[]): void {
  if (first !== undefined)
    throw new Failure('already-exists', `user ${first.user.id} is already registered; --overwrite replaces it`)
}

/** Checks the users as they would be afterwards. */
function requireValid(before: readonly Account[], after: readonly Account[]): void {
  const names = after.map(({ user }) => user.username)
  if (names.some((name) => name.trim() === '')) throw new Failure('invalid', 'username is empty')
  const ids = after.flatMap(({ user }) => (user.id === 0 ? [] : [user.id]))
  const twice = firstTwice(names) ?? firstTwice(ids)
  if (twice !== undefined) throw new Failure('already-exists', `There would be two users ${JSON.stringify(twice)}`)
  if (hasAdmin(before) && !hasAdmin(after)) throw new Failure('forbidden', 'No administrator would be left')
}

const hasAdmin = (accounts: readonly Account[]): boolean => accounts.some(({ user }) => user.perm.admin)

function firstTwice<T>(items: readonly T[]): T | undefined {
  const seen = new Set<T>()
  return items.find((item) => seen.size === seen.add(item).size)
}
