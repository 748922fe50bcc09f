import type { Kysely } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { Failure } from '../../failure.ts'
import { accountWithId } from '../../users/store.ts'
import type { Method } from './method.ts'

/** Everybody is the first user. */
export const byNobody =
  ({ db }: { db: Kysely<Database> }): Method =>
  async () => {
    const account = await accountWithId(db, 1)
    if (account === undefined) throw new Failure('unavailable', 'The first user does not exist')
    return { user: account.user }
  }
