import { Failure } from '../failure.ts'
import { hashPassword } from '../users/passwords.ts'
import { say } from './say.ts'

/** A password as it is stored, for --password of a first start. */
export async function hash(password: string, { isBcrypt }: { isBcrypt: boolean }): Promise<void> {
  if (password === '') throw new Failure('invalid', 'password is empty')
  // More would be cut off by some programs and condensed by others: the hash would not fit everywhere.
  if (isBcrypt && Buffer.byteLength(password) > 72)
    throw new Failure('invalid', 'password is too long: bcrypt takes 72 bytes')
  say(isBcrypt ? await Bun.password.hash(password, { algorithm: 'bcrypt', cost: 10 }) : await hashPassword(password))
}
