import { expect, test } from 'bun:test'
import { hashPassword, isPasswordHash, verifyPassword } from './passwords.ts'

const older = (password: string) => Bun.password.hash(password, { algorithm: 'bcrypt', cost: 4 })

test('passwords are checked against our hashes and older ones alike', async () => {
  for (const hash of [await hashPassword('the right one'), await older('the right one')]) {
    expect(isPasswordHash(hash)).toBe(true)
    expect(await verifyPassword('the right one', hash)).toBe(true)
    expect(await verifyPassword('the wrong one', hash)).toBe(false)
    expect(await verifyPassword('', hash)).toBe(false)
  }
  expect(await verifyPassword('anything', undefined)).toBe(false)
  expect(await verifyPassword('anything', 'no hash at all')).toBe(false)
})

test('a long password that an older hash knows only the beginning of still opens', async () => {
  const known = 'x'.repeat(72)
  const hash = await older(known)
  expect(await verifyPassword(`${known} and more`, hash)).toBe(true)
  expect(await verifyPassword(`y${known}`, hash)).toBe(false)
  // One of ours knows all of it.
  expect(await verifyPassword(`${known} and more`, await hashPassword(known))).toBe(false)
})

test('nothing is computed for those who have left, and nobody else loses their turn', async () => {
  const hash = await hashPassword('the right one')
  const leave = () => verifyPassword('the right one', hash, { cancellation: AbortSignal.abort() })
  const checked = [1, 2, 3].map(() => verifyPassword('the right one', hash))
  const left = await Promise.allSettled([leave(), leave(), leave()])
  expect(left.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await Promise.all([...checked, verifyPassword('the right one', hash)])).toEqual([true, true, true, true])
})
