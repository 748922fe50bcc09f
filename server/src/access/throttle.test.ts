import { expect, test } from 'bun:test'
import { testDatabase } from '../../test/database.ts'
import { Failure, isFailure } from '../failure.ts'
import { networkOf, widerNetworkOf } from '../http/networks.ts'
import { type Guess, throttleIn } from './throttle.ts'

interface Wishes extends Partial<Guess> {
  address?: string
  claimed?: string
  isShared?: boolean
}

async function makeGuard(options = {}) {
  const clock = { now: 1_000_000, unixSeconds: () => clock.now }
  const db = await testDatabase()
  const throttle = throttleIn({ db, clock }, options)
  const guess = (of: string, { address = '192.0.2.1', claimed = '', isShared, ...rest }: Wishes): Guess => ({
    kind: 'login',
    of,
    from: { address, claimed, isShared: isShared ?? claimed !== '' },
    isKnownHere: async () => false,
    ...rest,
  })
  const failing = (code: 'wrong-credentials' | 'unavailable') => () => Promise.reject(new Failure(code, 'no'))
  const wrong = (of = 'alice', wishes: Wishes = {}) =>
    throttle.guard(guess(of, wishes), failing('wrong-credentials')).catch((error) => error)
  const busy = (of = 'alice') => throttle.guard(guess(of, {}), failing('unavailable')).catch((error) => error)
  const right = (of = 'alice', wishes: Wishes = {}) =>
    throttle.guard(guess(of, wishes), async () => 'in').catch((error) => error)
  const rows = async () => (await db.selectFrom('attempt').selectAll().execute()).length
  return { clock, db, throttle, wrong, right, busy, rows }
}

const tooMany = expect.objectContaining({ code: 'too-many-tries' })
const isWrong = expect.objectContaining({ code: 'wrong-credentials' })

test('the eleventh try after ten wrong ones waits, also with the right password', async () => {
  const { wrong, right } = await makeGuard()
  for (let count = 0; count < 10; count += 1) expect(await wrong()).toEqual(isWrong)
  expect(await wrong()).toMatchObject({ code: 'too-many-tries', retryAfter: 30 })
  expect(await right()).toEqual(tooMany)
  expect(await right('bob')).toBe('in')
})

test('the wait grows with each failure, and ends', async () => {
  const { clock, wrong, right } = await makeGuard()
  for (let count = 0; count < 10; count += 1) await wrong()
  clock.now += 30
  expect(await wrong()).toEqual(isWrong)
  expect(await wrong()).toMatchObject({ retryAfter: 60 })
  clock.now += 60
  expect(await right()).toBe('in')
  expect(await wrong()).toEqual(isWrong)
})

test('a success starts the count anew, and so does time', async () => {
  const { clock, wrong, right } = await makeGuard()
  for (let count = 0; count < 9; count += 1) await wrong()
  expect(await right()).toBe('in')
  for (let count = 0; count < 9; count += 1) await wrong()
  clock.now += 601
  for (let count = 0; count < 10; count += 1) expect(await wrong()).toEqual(isWrong)
  expect(await wrong()).toEqual(tooMany)
})

test('concurrent guesses are all counted', async () => {
  const { wrong } = await makeGuard()
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => wrong()))
  expect(outcomes.filter(({ code }) => code === 'wrong-credentials').length).toBeLessThanOrEqual(10)
})

test('a try whose secret was never compared does not count', async () => {
  const { busy, wrong, rows } = await makeGuard()
  for (let count = 0; count < 60; count += 1) expect(await busy()).toMatchObject({ code: 'unavailable' })
  for (let count = 0; count < 10; count += 1) expect(await wrong()).toEqual(isWrong)
  expect(await rows()).toBe(3)
})

test('a network that tries one password on many names is refused', async () => {
  const { clock, wrong, right } = await makeGuard()
  for (let count = 0; count < 50; count += 1) expect(await wrong(`name ${count}`)).toEqual(isWrong)
  expect(await wrong('name 50')).toMatchObject({ code: 'too-many-tries', retryAfter: 12 })
  expect(await right('newcomer')).toEqual(tooMany)
  // Who has been let in from there before is, and others elsewhere are.
  expect(await right('anna', { isKnownHere: async () => true })).toBe('in')
  expect(await wrong('anna', { isKnownHere: async () => true })).toEqual(tooMany)
  expect(await right('newcomer', { address: '192.0.2.2' })).toBe('in')
  clock.now += 12
  expect(await right('newcomer')).toBe('in')
})

test('wrong tries that are hours apart do not fill the bucket of a network', async () => {
  const { clock, wrong } = await makeGuard()
  for (let count = 0; count < 200; count += 1, clock.now += 12) expect(await wrong(`name ${count}`)).toEqual(isWrong)
})

test('a full bucket refuses an expensive check of an unknown network without making it', async () => {
  const { wrong, throttle } = await makeGuard()
  for (let count = 0; count < 50; count += 1) await wrong(`name ${count}`)
  let checked = 0
  const from = { address: '192.0.2.1', isShared: false, claimed: '' }
  const ask = (isKnown: boolean) =>
    throttle
      .guard({ kind: 'login', of: 'x', from, isCostly: true, isKnownHere: async () => isKnown }, async () => {
        checked += 1
      })
      .catch((error) => error)
  expect(await ask(false)).toEqual(tooMany)
  expect(checked).toBe(0)
  expect(await ask(true)).toBeUndefined()
  expect(checked).toBe(1)
})

test('a wider network of many networks has a bucket of its own', async () => {
  const { wrong } = await makeGuard()
  const codes: string[] = []
  for (let count = 0; count < 201; count += 1)
    codes.push((await wrong(`name ${count}`, { address: `2001:db8:1:${count.toString(16)}::1` })).code)
  expect(codes.indexOf('too-many-tries')).toBe(200)
})

test('many networks that guess one name use up their own tries, and not those of its owner', async () => {
  const { wrong, right } = await makeGuard()
  for (let count = 0; count < 60; count += 1) await wrong('alice', { address: `198.51.100.${count}` })
  const attacker = { address: '203.0.113.1' }
  for (let count = 0; count < 3; count += 1) expect(await wrong('alice', attacker)).toEqual(isWrong)
  expect(await wrong('alice', attacker)).toEqual(tooMany)
  expect(await right('alice', attacker)).toEqual(tooMany)
  // On a new network, or on one from which alice was let in before, after some typing errors.
  expect(await right('alice', { address: '203.0.113.2' })).toBe('in')
  const home = { address: '203.0.113.3', isKnownHere: async () => true }
  for (let count = 0; count < 5; count += 1) await wrong('alice', home)
  expect(await right('alice', home)).toBe('in')
})

test('behind a proxy that is not trusted, one client does not lock an account for the others', async () => {
  const { wrong, right } = await makeGuard()
  for (let count = 0; count < 10; count += 1) expect(await wrong('alice', { claimed: '6.6.6.6' })).toEqual(isWrong)
  expect(await wrong('alice', { claimed: '6.6.6.6' })).toMatchObject({ retryAfter: 30 })
  expect(await right('alice', { claimed: '198.51.100.7' })).toBe('in')
})

test('a client that claims two addresses in turn gets no more tries than with one', async () => {
  const { wrong, right } = await makeGuard()
  for (let count = 0; count < 10; count += 1)
    expect(await wrong('alice', { claimed: `6.6.6.${count % 2}` })).toEqual(isWrong)
  expect(await right('alice', { claimed: '6.6.6.0' })).toMatchObject({ code: 'too-many-tries', retryAfter: 2 })
})

test('a client that makes addresses up gets no more tries, and others wait for seconds only', async () => {
  const { clock, wrong, right } = await makeGuard()
  for (let count = 0; count < 10; count += 1)
    expect(await wrong('alice', { claimed: `6.6.6.${count}` })).toEqual(isWrong)
  expect(await wrong('alice', { claimed: '6.6.7.1' })).toMatchObject({ code: 'too-many-tries', retryAfter: 2 })
  for (let wait = 2; wait < 64; wait *= 2) {
    clock.now += wait
    await wrong('alice', { claimed: `7.7.7.${wait}` })
  }
  const refused = await right('alice', { claimed: '198.51.100.7' })
  expect(refused).toMatchObject({ retryAfter: 60 })
  clock.now += 60
  expect(await right('alice', { claimed: '198.51.100.7' })).toBe('in')
})

test('adding or leaving out the forwarding header starts no new count', async () => {
  const { wrong, right } = await makeGuard()
  for (let count = 0; count < 10; count += 1) await wrong('alice')
  expect(await right('alice', { claimed: '198.51.100.7' })).toMatchObject({ retryAfter: 30 })
  for (let count = 0; count < 10; count += 1) await wrong('bob', { claimed: `6.6.6.${count}` })
  expect(await right('bob')).toMatchObject({ retryAfter: 2 })
})

test('where clients cannot be told apart, waits grow and stay short', async () => {
  const { clock, wrong, right } = await makeGuard()
  const socket = { address: '', isShared: true }
  for (let count = 0; count < 10; count += 1) expect(await wrong('alice', socket)).toEqual(isWrong)
  expect(await wrong('alice', socket)).toMatchObject({ code: 'too-many-tries', retryAfter: 2 })
  clock.now += 2
  expect(await wrong('alice', socket)).toEqual(isWrong)
  expect(await right('alice', socket)).toMatchObject({ retryAfter: 4 })
  clock.now += 4
  expect(await right('alice', socket)).toBe('in')
})

test('a clock that was ahead for a moment refuses no sign-in afterwards', async () => {
  const { clock, wrong, right } = await makeGuard()
  clock.now += 365 * 86_400
  for (let count = 0; count < 60; count += 1) await wrong('alice')
  for (let count = 0; count < 60; count += 1) await wrong(`name ${count}`)
  clock.now -= 365 * 86_400
  expect(await right('newcomer')).toBe('in')
  for (let count = 0; count < 10; count += 1) expect(await wrong('alice')).toEqual(isWrong)
  expect(await wrong('alice')).toMatchObject({ retryAfter: 30 })
})

test.each([[undefined], [() => true]])(
  'of many tries at once of one target those that succeed refuse no others, and of those that fail ten are made',
  async (counts) => {
    const { throttle } = await makeGuard()
    const tryAtOnce = (check: () => Promise<unknown>): Promise<unknown[]> => {
      const one = () => throttle.guardOne('x', check, counts === undefined ? {} : { counts }).catch((error) => error)
      return Promise.all(Array.from({ length: 40 }, one))
    }
    expect(await tryAtOnce(async () => 'in')).toEqual(Array(40).fill('in'))
    let made = 0
    const refused = await tryAtOnce(async () => {
      made += 1
      throw new Failure('invalid', 'no')
    })
    expect([made, refused.filter((error) => isFailure(error, 'too-many-tries')).length]).toEqual([10, 30])
  },
)

test('a success does not undo failures that are counted by themselves', async () => {
  const { throttle } = await makeGuard()
  const attempt = (code?: 'already-exists' | 'invalid') =>
    throttle
      .guardOne(
        'sign up',
        async () => {
          if (code !== undefined) throw new Failure(code, 'no')
        },
        { counts: (error) => error instanceof Failure && error.code === 'already-exists' },
      )
      .catch((error) => error.code)
  for (let count = 0; count < 10; count += 1) {
    expect(await attempt('already-exists')).toBe('already-exists')
    if (count === 9) break
    expect(await attempt()).toBeUndefined()
    expect(await attempt('invalid')).toBe('invalid')
  }
  expect(await attempt()).toBe('too-many-tries')
})

test('rows are short, are deleted every minute, and never exceed their limit', async () => {
  const { clock, db, wrong, rows } = await makeGuard({ mostRows: 100, clearedAtOnce: 20 })
  await wrong('x'.repeat(100_000))
  for (const { target } of await db.selectFrom('attempt').selectAll().execute()) expect(target).toHaveLength(43)
  const added = Array.from({ length: 150 }, (_, i) => ({
    target: `${i}`,
    failures: 1,
    last_at: clock.now + 1,
    blocked_until: 0,
  }))
  await db.insertInto('attempt').values(added).execute()
  clock.now += 60
  // In steps, so that no sign-in waits for all of it.
  await wrong('y')
  expect(await rows()).toBe(136)
  for (let count = 0; count < 2; count += 1) await wrong('y')
  expect(await rows()).toBeLessThanOrEqual(103)
  clock.now += 4201
  for (let count = 0; count < 6; count += 1) await wrong('y')
  expect(await rows()).toBe(3)
})

test('processes that cannot see what the others count allow no more together than one would', async () => {
  const guards = [
    await makeGuard({ processes: 4, countsAlone: true }),
    await makeGuard({ processes: 4, countsAlone: true }),
  ]
  const tries = async ({ wrong }: (typeof guards)[number]) => {
    let allowed = 0
    while ((await wrong()).code === 'wrong-credentials') allowed += 1
    return allowed
  }
  // Ten, divided among four, and rounded up.
  expect(await Promise.all(guards.map(tries))).toEqual([3, 3])
  for (const { clock, wrong } of guards) {
    clock.now += 30
    expect(await wrong()).toMatchObject({ code: 'too-many-tries', retryAfter: 90 })
  }
})

test.each([
  ['192.0.2.7', '192.0.2.7', undefined],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:DB8:0001:2::1', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ['fe80::1:2:3:4', 'fe80:0:0:0::/64', 'fe80:0:0::/48'],
  ['::1', '0:0:0:0::/64', '0:0:0::/48'],
])('%s belongs to %s', (address, network, wider) => {
  expect([networkOf(address), widerNetworkOf(address)]).toEqual([network, wider])
})
