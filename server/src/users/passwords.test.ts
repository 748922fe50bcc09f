import { heapStats } from 'bun:jsc'
import { expect, spyOn, test } from 'bun:test'
import { Settings } from '@filestead/contract'
import { hashPassword, isPasswordHash, requireGoodPassword, verifyPassword } from './passwords.ts'

const bcrypt = (password: string) => Bun.password.hash(password, { algorithm: 'bcrypt', cost: 4 })

test('verifyPassword checks argon2id and bcrypt hashes', async () => {
  for (const hash of [await hashPassword('the right one'), await bcrypt('the right one')]) {
    expect(isPasswordHash(hash)).toBe(true)
    expect(await verifyPassword('the right one', hash)).toBe(true)
    expect(await verifyPassword('the wrong one', hash)).toBe(false)
    expect(await verifyPassword('', hash)).toBe(false)
  }
  expect(await verifyPassword('anything', undefined)).toBe(false)
  expect(await verifyPassword('anything', 'no hash at all')).toBe(false)
})

test('a password is looked for in the list of common ones, which is not kept in memory here', async () => {
  const settings = Settings.parse({ minimumPasswordLength: 5 })
  const strings = () => {
    Bun.gc(true)
    return heapStats().objectTypeCounts['string'] ?? 0
  }
  const before = strings()
  await expect(requireGoodPassword(settings, 'QWERTY123456')).rejects.toThrow('password is too easy')
  await requireGoodPassword(settings, 'qwerty123456 but longer')
  // The list has 33,000.
  expect(strings() - before).toBeLessThan(10_000)
})

test('verifyPassword compares the first 72 bytes with a bcrypt hash, and all with an argon2id hash', async () => {
  const known = 'x'.repeat(72)
  const hash = await bcrypt(known)
  expect(await verifyPassword(`${known} and more`, hash)).toBe(true)
  expect(await verifyPassword(`y${known}`, hash)).toBe(false)
  expect(await verifyPassword(`${known} and more`, await hashPassword(known))).toBe(false)
})

test('verifyPassword computes nothing for a request cancelled in the queue, and goes on with the next', async () => {
  const hash = await hashPassword('the right one')
  const leave = () => verifyPassword('the right one', hash, { cancellation: AbortSignal.abort() })
  const checked = [1, 2, 3].map(() => verifyPassword('the right one', hash))
  const left = await Promise.allSettled([leave(), leave(), leave()])
  expect(left.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await Promise.all([...checked, verifyPassword('the right one', hash)])).toEqual([true, true, true, true])
})

test('a flood from one network: two hashes run at once, what waits is bounded, another network comes next', async () => {
  let [running, most, begun] = [0, 0, 0]
  const release = Promise.withResolvers<void>()
  using _spy = spyOn(Bun.password, 'verify').mockImplementation(async () => {
    begun += 1
    running += 1
    most = Math.max(most, running)
    await release.promise
    running -= 1
    return false
  })
  const flood = Array.from({ length: 200 }, () => verifyPassword('wrong', undefined, { network: 'flood' }))
  const outcomes = Promise.allSettled(flood)
  const begunBefore = Promise.withResolvers<number>()
  const other = verifyPassword('wrong', undefined, {
    network: 'other',
    cancellation: { aborted: false, throwIfAborted: () => begunBefore.resolve(begun) } as unknown as AbortSignal,
  })
  release.resolve()
  expect(await other).toBe(false)
  // Beside those that ran already.
  expect(await begunBefore.promise).toBeLessThanOrEqual(3 * 2)
  const refused = (await outcomes).filter(({ status }) => status === 'rejected')
  expect(most).toBe(2)
  expect(refused).toHaveLength(200 - 2 - 32)
})
