import type { AuthSettings } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { Failure } from '../../failure.ts'
import { verifyPassword } from '../../users/passwords.ts'
import { accountNamed } from '../../users/store.ts'
import { networkOf, type Throttle } from '../../users/throttle.ts'
import { requireHuman } from './captcha.ts'
import type { Method } from './method.ts'

/** Name and password, after the bot check where one is configured. */
export const byPassword =
  ({ db, throttle }: { db: Kysely<Database>; throttle: Throttle }, { recaptcha }: AuthSettings): Method =>
  async ({ credentials, address, leaving }) => {
    const { username, password, recaptcha: answer } = await credentials()
    if (recaptcha !== null && recaptcha.key !== '' && recaptcha.secret !== '') await requireHuman(recaptcha, answer)
    return throttle.guard(`login ${networkOf(address)} ${username}`, async () => {
      const account = await accountNamed(db, username)
      const isRight = await verifyPassword(password, account?.passwordHash, leaving)
      if (!isRight || account === undefined) throw new Failure('wrong-credentials', 'Wrong credentials')
      return account
    })
  }
