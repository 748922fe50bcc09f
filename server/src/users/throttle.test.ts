import { expect, test } from 'bun:test'
import { openDatabase } from '../database/open.ts'
import { Failure } from '../failure.ts'
import { networkOf, throttleIn } from './throttle.ts'

async function makeGuard() {
  const clock = { now: 1_000_000, unixSeconds: () => clock.now }
  const db = await openDatabase(':memory:')
  const throttle = throttleIn({ db, clock })
  const wrong = (target = 'alice') =>
    throttle.guard(target, () => Promise.reject(new Failure('wrong-credentials', 'no'))).catch((error) => error)
  const right = (target = 'alice') => throttle.guard(target, async () => 'in').catch((error) => error)
  return { clock, wrong, right }
}

const tooMany = expect.objectContaining({ code: 'too-many-tries' })

test('ten wrong tries are free, the eleventh waits, and so does the right one', async () => {
  const { wrong, right } = await makeGuard()
  for (let count = 0; count < 10; count += 1) expect(await wrong()).toMatchObject({ code: 'wrong-credentials' })
  expect(await wrong()).toMatchObject({ code: 'too-many-tries', retryAfter: 30 })
  expect(await right()).toEqual(tooMany)
  expect(await right('bob')).toBe('in')
})

test('the wait grows, and ends', async () => {
  const { clock, wrong, right } = await makeGuard()
  for (let count = 0; count < 10; count += 1) await wrong()
  clock.now += 30
  expect(await wrong()).toMatchObject({ code: 'wrong-credentials' })
  expect(await wrong()).toMatchObject({ retryAfter: 60 })
  clock.now += 60
  expect(await right()).toBe('in')
  expect(await wrong()).toMatchObject({ code: 'wrong-credentials' })
})

test('a right try in between starts the count anew, and so does time', async () => {
  const { clock, wrong, right } = await makeGuard()
  for (let count = 0; count < 9; count += 1) await wrong()
  expect(await right()).toBe('in')
  for (let count = 0; count < 9; count += 1) await wrong()
  clock.now += 601
  for (let count = 0; count < 10; count += 1) expect(await wrong()).toMatchObject({ code: 'wrong-credentials' })
  expect(await wrong()).toEqual(tooMany)
})

test('guesses at the same moment are all counted', async () => {
  const { wrong } = await makeGuard()
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => wrong()))
  expect(outcomes.filter(({ code }) => code === 'wrong-credentials').length).toBeLessThanOrEqual(10)
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1:2:3:4', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s belongs to %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
