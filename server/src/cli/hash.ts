import { Failure } from '../failure.ts'
import { hashPassword, requireSendable } from '../users/passwords.ts'
import { print } from './output.ts'
import { readPassword } from './password-input.ts'

/** A password as it is stored, for --password of a first start. */
export async function hash(given: string | undefined, { isBcrypt }: { isBcrypt: boolean }): Promise<void> {
  const password = await readPassword(given)
  if (password === '') throw new Failure('invalid', 'password is empty')
  requireSendable(password)
  // Beyond 72 bytes implementations of bcrypt differ: some cut the password off, others hash it first.
  if (isBcrypt && Buffer.byteLength(password) > 72)
    throw new Failure('invalid', 'password is too long: bcrypt takes 72 bytes')
  print(isBcrypt ? await Bun.password.hash(password, { algorithm: 'bcrypt', cost: 10 }) : await hashPassword(password))
}
