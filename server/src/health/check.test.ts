import { expect, test } from 'bun:test'
import { healthCheck } from './check.ts'
import { databaseProbe, firstFailing, storageProbe } from './probes.ts'

const quiet = { info: () => {}, error: () => {} }

test('many who ask share one look, and a fresh one answers at once', async () => {
  let looks = 0
  const condition = healthCheck(async () => {
    looks += 1
    return undefined
  }, quiet)
  expect(await Promise.all([condition(), condition(), condition()])).toEqual([undefined, undefined, undefined])
  expect(condition()).toBeUndefined()
  expect(looks).toBe(1)
})

test('a look that hangs is told as such, is not repeated, and counts when it comes back', async () => {
  const hanging = Promise.withResolvers<undefined>()
  let looks = 0
  const probe = () => {
    looks += 1
    return hanging.promise
  }
  const condition = healthCheck(probe, quiet, { fresh: 0, timeout: 10 })
  expect(await condition()).toBe('The storage does not answer')
  expect(await condition()).toBe('The storage does not answer')
  expect(looks).toBe(1)
  hanging.resolve(undefined)
  expect(await condition()).toBeUndefined()
})

test('a look that takes long keeps no request waiting: what was found before is answered', async () => {
  const looks = [Promise.withResolvers<string | undefined>(), Promise.withResolvers<string | undefined>()]
  const [first, second] = looks as [(typeof looks)[0], (typeof looks)[0]]
  const waiting = [...looks]
  const condition = healthCheck(() => waiting.shift()?.promise ?? second.promise, quiet, { fresh: 0, quick: 1 })
  first.resolve(undefined)
  expect(await condition()).toBeUndefined()
  expect(await condition()).toBeUndefined()
  second.resolve('broken')
  expect(await condition()).toBe('broken')
})

test('a lock is watched while no request asks: two short ones are not a long one, and a long one is told', async () => {
  let [at, isLocked] = [0, true]
  const waiting: (() => void)[] = []
  const look = async () => (isLocked ? ('locked' as const) : undefined)
  const probe = databaseProbe({} as never, { look, now: () => at, later: (work) => void waiting.push(work) })
  const passTo = async (seconds: number) => {
    at = seconds * 1000
    for (const work of waiting.splice(0)) work()
    await Bun.sleep(0)
  }
  expect(await probe()).toBeUndefined()
  isLocked = false
  await passTo(4)
  isLocked = true
  await passTo(5)
  expect(await probe()).toBeUndefined()
  expect(waiting).toHaveLength(1)
  await passTo(7)
  await passTo(9)
  expect(await probe()).toBeUndefined()
  await passTo(12)
  expect(await probe()).toBe('Another program keeps the database locked')
  isLocked = false
  expect(await probe()).toBeUndefined()
  await passTo(13)
  expect(waiting).toEqual([])
})

test('what breaks and what mends is logged once each', async () => {
  const told: string[] = []
  const findings = ['broken', 'broken', undefined, undefined]
  const condition = healthCheck(
    async () => findings.shift(),
    { info: () => told.push('well'), error: () => told.push('broken') },
    { fresh: 0 },
  )
  for (const expected of [...findings]) expect(await condition()).toBe(expected)
  expect(told).toEqual(['broken', 'well'])
})

test('the first finding is the one that is told', async () => {
  const probe = firstFailing(
    async () => undefined,
    async () => 'first',
    async () => 'second',
  )
  expect(await probe()).toBe('first')
})

test('a volume that has come off is noticed, and so is its return', async () => {
  const devices = new Map([
    ['/tmp', 7],
    ['/', 1],
  ])
  const probe = storageProbe('/tmp', async (path) => ({ dev: devices.get(path) ?? 0, isDirectory: () => true }))
  expect(await probe()).toBeUndefined()
  devices.set('/tmp', 1)
  expect(await probe()).toBe('The volume of the served folder is not mounted any more')
  devices.set('/tmp', 8)
  expect(await probe()).toBeUndefined()
})
