import type { AuthSettings } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Throttle } from '../../access/throttle.ts'
import type { Database } from '../../database/schema.ts'
import { Failure } from '../../failure.ts'
import { networkOf } from '../../http/networks.ts'
import { verifyPassword } from '../../users/passwords.ts'
import { accountNamed } from '../../users/store.ts'
import { hasSessionFrom } from '../store.ts'
import type { Method } from './method.ts'

/** Name and password, after the captcha where one is configured. */
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

/** In milliseconds. */
const captchaTimeLimit = 10_000

const CaptchaVerdict = z.object({ success: z.boolean() })

/** Has the captcha service verify the answer. Its host can only be set on the command line. */
async function requireHuman({ host, secret }: { host: string; secret: string }, answer: string): Promise<void> {
  const response = await fetch(`${host}/recaptcha/api/siteverify`, {
    method: 'POST',
    body: new URLSearchParams({ secret, response: answer }),
    signal: AbortSignal.timeout(captchaTimeLimit),
  }).catch((cause) => {
    throw new Failure('unavailable', 'The captcha service does not answer', { cause })
  })
  const verdict = response.ok ? CaptchaVerdict.safeParse(await response.json().catch(() => null)) : undefined
  if (!verdict?.success || !verdict.data.success) throw new Failure('wrong-credentials', 'Wrong credentials')
}
