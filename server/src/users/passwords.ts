import type { Settings } from '@filestead/contract'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { fairQueue, signedInLane } from '../concurrency/fair-queue.ts'
import { Failure } from '../failure.ts'
import { isCommonPassword } from './common-passwords.ts'

/** Long enough, and not what everybody tries first. */
export async function requireGoodPassword({ minimumPasswordLength }: Settings, password: string): Promise<void> {
  if (password === '') throw new Failure('invalid', 'password is empty')
  if (Buffer.byteLength(password) < minimumPasswordLength)
    throw new Failure('invalid', `password is too short, minimum length is ${minimumPasswordLength}`)
  if (await isCommonPassword(password)) throw new Failure('invalid', 'password is too easy')
}

/** argon2id at the strength OWASP asks for; bcrypt hashes of an older installation are verified as they are. */
const strength = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** `network` is where somebody is who has not signed in. */
export const hashPassword = (password: string, network = signedInLane): Promise<string> =>
  queue.run(network, () => Bun.password.hash(password, strength))

/** Could anybody sign in with it? What we cannot verify would lock its owner out for good. */
export const isPasswordHash = (text: string): boolean =>
  /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(text) ||
  /^\$argon2(id|i|d)\$v=19\$m=\d+,t=\d+,p=\d+\$[+/A-Za-z0-9]+\$[+/A-Za-z0-9]+$/.test(text)

/**
 * Takes as long for a user that does not exist, so that time does not tell who does. For somebody who leaves before
 * their turn has come nothing is computed: a thousand of them would keep everybody else out for a minute.
 */
export async function verifyPassword(
  password: string,
  hash: string | undefined,
  { cancellation, network = signedInLane }: { cancellation?: Cancellation; network?: string } = {},
): Promise<boolean> {
  const isOlder = hash?.startsWith('$2') ?? false
  hasOlder ||= isOlder
  const matches = await queue.run(network, async () => {
    cancellation?.throwIfAborted()
    const isRight = await isMatch(password, hash ?? nobody)
    if (hasOlder) await isMatch(password, isOlder ? nobody : nobodyOlder)
    return isRight
  })
  return matches && hash !== undefined
}

/** Hashes that came from File Browser take another time than ours: where there are any, each check does one of both. */
let hasOlder = false

/** bcrypt looks at 72 bytes and no more. Those who had a longer password never noticed, and shall not now. */
const seenByBcrypt = 72

async function isMatch(password: string, hash: string): Promise<boolean> {
  const verify = (text: string | Buffer) => Bun.password.verify(text, hash).catch(() => false)
  if (await verify(password)) return true
  const bytes = Buffer.from(password)
  return hash.startsWith('$2') && bytes.length > seenByBcrypt && verify(bytes.subarray(0, seenByBcrypt))
}

const nobodyOlder = '$2b$10$e/uibLpDnc1A02lO6URnHul1gBmNW3fjqboDCySZfeuQpUAdwCFme'
const nobody = '$argon2id$v=19$m=19456,t=2,p=1$Y0VcjxCgfrIBlNDBRpJ8GQ$HYAzIWBOl4fZ3v6TJ0NfG4v7v5LvBbEZDrPmQJj1Tt0'

// Each takes 19 MiB and a core for a tenth of a second: more than two at once only slow everything down.
const queue = fairQueue({ places: 2, mostWaiting: 128, mostWaitingPerLane: 32 })
