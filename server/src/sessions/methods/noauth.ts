import type { Kysely } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { Failure } from '../../failure.ts'
import type { HostGuard } from '../../http/hosts.ts'
import { accountWithId } from '../../users/store.ts'
import type { Method } from './method.ts'

/** Every request is signed in as the first user. */
export const asFirstUser =
  ({ db, requireHost }: { db: Kysely<Database>; requireHost: HostGuard }): Method =>
  async ({ headers }) => {
    requireHost(headers, { needsNoSignIn: true })
    const account = await accountWithId(db, 1)
    if (account === undefined) throw new Failure('unavailable', 'The first user does not exist')
    return { user: account.user }
  }
