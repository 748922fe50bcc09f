import type { AuthSettings } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Throttle } from '../../access/throttle.ts'
import type { Database } from '../../database/schema.ts'
import { Failure } from '../../failure.ts'
import { networkOf } from '../../http/networks.ts'
import { verifyPassword } from '../../users/passwords.ts'
import { accountNamed } from '../../users/store.ts'
import { hasSessionFrom } from '../store.ts'
import { requireHuman } from './captcha.ts'
import type { Method } from './method.ts'

/** Name and password, after the bot check where one is configured. */
export const byPassword =
  ({ db, throttle }: { db: Kysely<Database>; throttle: Throttle }, { recaptcha }: AuthSettings): Method =>
  async (attempt) => {
    const { username, password, recaptcha: answer } = await attempt.credentials()
    const network = networkOf(attempt.address)
    if (recaptcha !== null && recaptcha.key !== '' && recaptcha.secret !== '') await requireHuman(recaptcha, answer)
    const isKnownHere = () => hasSessionFrom(db, username, network)
    return throttle.guard({ kind: 'login', of: username, from: attempt, isKnownHere }, async () => {
      const account = await accountNamed(db, username)
      const isRight = await verifyPassword(password, account?.passwordHash, {
        cancellation: attempt.cancellation,
        network,
      })
      if (!isRight || account === undefined) throw new Failure('wrong-credentials', 'Wrong credentials')
      return account
    })
  }
