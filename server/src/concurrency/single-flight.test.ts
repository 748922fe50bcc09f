import { expect, test } from 'bun:test'
import { singleFlight } from './single-flight.ts'

const stays = new AbortController().signal
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('callers during a flight share its result, and later callers start another', async () => {
  const once = singleFlight<number>()
  let count = 0
  const work = async () => {
    await turn()
    count += 1
    return count
  }
  const other = new AbortController().signal
  expect(await Promise.all([once('a', stays, work), once('a', other, work), once('b', stays, work)])).toEqual([1, 1, 2])
  expect(await once('a', stays, work)).toBe(3)
})

test('a failure reaches all callers, and the next call starts another flight', async () => {
  const once = singleFlight<string>()
  const broken = () => Promise.reject(new Error('broken'))
  const results = await Promise.allSettled([once('a', stays, broken), once('a', stays, broken)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await once('a', stays, async () => 'fine')).toBe('fine')
})

test('work is aborted when the last of its callers has left, and not before', async () => {
  const once = singleFlight<string>()
  const [one, two] = [new AbortController(), new AbortController()]
  let working: AbortSignal | undefined
  const endless = (signal: AbortSignal) => {
    working = signal
    return new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const asked = [one, two].map(({ signal }) => once('a', signal, endless))
  one.abort(new Error('gone'))
  expect(working?.aborted).toBe(false)
  two.abort(new Error('gone'))
  expect(working?.aborted).toBe(true)
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('a caller that comes after work was aborted does not get its error', async () => {
  const once = singleFlight<string>()
  const left = new AbortController()
  const abandoned = Promise.withResolvers<string>()
  const slow = once('a', left.signal, () => abandoned.promise)
  left.abort()
  const again = once('a', stays, async () => 'fine')
  abandoned.reject(new Error('abandoned'))
  expect((await Promise.allSettled([slow]))[0]?.status).toBe('rejected')
  expect(await again).toBe('fine')
})
