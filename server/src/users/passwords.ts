import { longestPassword, type Settings } from '@filestead/contract'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { fairQueue, signedInLane } from '../concurrency/fair-queue.ts'
import { workerPool } from '../concurrency/worker-pool.ts'
import { Failure } from '../failure.ts'
import { commonPasswordsWorker } from '../parts.ts'

/** Refuses a password that is too short, too long to sign in with, or on the list of common ones, unless another program vouches for it. */
export async function requireGoodPassword(
  { minimumPasswordLength }: Settings,
  password: string,
  { isVouchedFor = false } = {},
): Promise<void> {
  if (password === '') throw new Failure('invalid', 'password is empty')
  requireSendable(password)
  if (isVouchedFor) return
  if (Buffer.byteLength(password) < minimumPasswordLength)
    throw new Failure('invalid', `password is too short, minimum length is ${minimumPasswordLength}`)
  if (await commonPasswords.run(password)) throw new Failure('invalid', 'password is too easy')
}

/** Refuses a password that the sign-in would refuse to read: its owner would be locked out. */
export function requireSendable(password: string): void {
  if (password.length > longestPassword)
    throw new Failure('invalid', `password is too long, maximum length is ${longestPassword}`)
}

/** The list takes 13 MB in memory, which are given back with its worker. */
const commonPasswords = workerPool<string, boolean>(commonPasswordsWorker, { most: 1, idleAfter: 1000 })

/** argon2id with the parameters of OWASP; bcrypt hashes of an older installation are verified as they are. */
const strength = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** `network` is the lane in the queue of a client that has not signed in. */
export const hashPassword = (password: string, network = signedInLane): Promise<string> =>
  hashQueue.run(network, () => Bun.password.hash(password, strength))

/** Is this a hash that `verifyPassword` can check? Storing any other would lock its owner out for good. */
export const isPasswordHash = (text: string): boolean =>
  /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(text) ||
  /^\$argon2(id|i|d)\$v=19\$m=\d+,t=\d+,p=\d+\$[+/A-Za-z0-9]+\$[+/A-Za-z0-9]+$/.test(text)

/**
 * Without a hash (an unknown user) it takes as long as with one, so that the time does not tell which users exist.
 * A request that is cancelled in the queue computes nothing: a thousand of them would fill the queue for a minute.
 */
export async function verifyPassword(
  password: string,
  hash: string | undefined,
  { cancellation, network = signedInLane }: { cancellation?: Cancellation; network?: string } = {},
): Promise<boolean> {
  const isBcrypt = hash?.startsWith('$2') ?? false
  hasBcrypt ||= isBcrypt
  const matches = await hashQueue.run(network, async () => {
    cancellation?.throwIfAborted()
    const isRight = await isMatch(password, hash ?? unknownHash)
    if (hasBcrypt) await isMatch(password, isBcrypt ? unknownHash : unknownBcryptHash)
    return isRight
  })
  return matches && hash !== undefined
}

/** A bcrypt check takes another time than argon2id. Once one is known, each check computes one of both kinds. */
let hasBcrypt = false

/** bcrypt ignores what follows the first 72 bytes, and File Browser accepted longer passwords. */
const bcryptBytes = 72

async function isMatch(password: string, hash: string): Promise<boolean> {
  const verify = (text: string | Buffer) => Bun.password.verify(text, hash).catch(() => false)
  if (await verify(password)) return true
  const bytes = Buffer.from(password)
  return hash.startsWith('$2') && bytes.length > bcryptBytes && verify(bytes.subarray(0, bcryptBytes))
}

const unknownBcryptHash = '$2b$10$e/uibLpDnc1A02lO6URnHul1gBmNW3fjqboDCySZfeuQpUAdwCFme'
const unknownHash = '$argon2id$v=19$m=19456,t=2,p=1$Y0VcjxCgfrIBlNDBRpJ8GQ$HYAzIWBOl4fZ3v6TJ0NfG4v7v5LvBbEZDrPmQJj1Tt0'

// Semaphore of 2: each hash takes 19 MiB and a core for a tenth of a second.
const hashQueue = fairQueue({ places: 2, mostWaiting: 128, mostWaitingPerLane: 32 })
