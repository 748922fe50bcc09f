import type { AuthSettings } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Throttle } from '../../access/throttle.ts'
import { fairQueue } from '../../concurrency/fair-queue.ts'
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
    if (recaptcha !== null && recaptcha.key !== '' && recaptcha.secret !== '')
      await captchas.run(network, async () => {
        attempt.cancellation.throwIfAborted()
        await requireHuman(recaptcha, answer)
      })
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

/** Anonymous requests start them, and each may take as long as the service does: a semaphore for all, and one for each network. */
const captchas = fairQueue({ places: 32, placesPerLane: 4, mostWaiting: 256, mostWaitingPerLane: 32 })

/** In milliseconds. */
const captchaTimeLimit = 10_000

const CaptchaVerdict = z.object({ success: z.boolean() })

/** Has the captcha service verify the answer. Its host can only be set on the command line. */
async function requireHuman({ host, secret }: { host: string; secret: string }, answer: string): Promise<void> {
  if (answer === '') throw new Failure('wrong-credentials', 'Wrong credentials')
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
