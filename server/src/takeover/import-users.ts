import type { TakeoverChange } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { durableTransaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import { type Account, allAccounts, deleteUser, insertUser, saveUser } from '../users/store.ts'
import { collectChanges } from './changes.ts'
import type { OldUser } from './old-records.ts'
import { accountFrom } from './users.ts'

export interface UserImport {
  /** The file they come from, as it is called in refusals. */
  readonly source: string
  readonly now: number
  /** A user whose id is in use replaces the one who has it; otherwise that is refused. */
  readonly mayOverwrite: boolean
  /** Users who are not in the list are deleted. */
  readonly isWhole: boolean
  /** Called with the stored users before anything changes. */
  keep?(before: readonly Account[]): void
}

/** Takes users with their hashes into a database that is in use: all of them or none. Tells what changes its meaning. */
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
    if (!mayOverwrite && !isWhole) requireNobody(taking)
    const places = new Set(taking.map(({ user }) => user.id))
    const others = before.filter(({ user }) => !places.has(user.id))
    requireSound(before, [...wanted, ...(isWhole ? [] : others)])
    keep?.(before)

    if (isWhole) for (const { user } of others) await deleteUser(trx, user.id)
    // Two may have swapped their names.
    for (const { user, ...account } of taking)
      await saveUser(trx, { ...account, user: { ...user, username: `\0${user.id}` } })
    for (const account of wanted) {
      const old = there.get(account.user.id)
      if (old === undefined) await insertUser(trx, account)
      else await saveUser(trx, account)
      // Sessions of the old password end at once.
      if (old !== undefined && old.passwordHash !== account.passwordHash)
        await deleteSessionsOf(trx, old.user.id, { except: undefined })
    }
  })
  return changes.list()
}

function requireNobody([first]: readonly Account[]): void {
  if (first !== undefined)
    throw new Failure('already-exists', `user ${first.user.id} is already registered; --overwrite replaces it`)
}

/** What must be true of all users together. */
function requireSound(before: readonly Account[], after: readonly Account[]): void {
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
