import { expect, test } from 'bun:test'
import { askedAgain } from './asked-again.ts'

test('what is let go of while it is asked for is had, and false is an answer', async () => {
  let asked = 0
  const third = () => {
    asked += 1
    return asked < 3 ? undefined : false
  }
  expect(await askedAgain(third, 60_000)).toBe(false)
  expect(asked).toBe(3)
  expect(await askedAgain(async () => 'at once', 0)).toBe('at once')
})

test('what is not let go of is asked for a few times, once at least', async () => {
  let asked = 0
  const never = async () => {
    asked += 1
    return undefined
  }
  expect(await askedAgain(never, 300)).toBeUndefined()
  // After 0, 10, 30, 70, 150 and 310 ms.
  expect(asked).toBeLessThanOrEqual(6)
  expect(asked).toBeGreaterThan(1)
  asked = 0
  expect(await askedAgain(never, 0)).toBeUndefined()
  expect(asked).toBe(1)
})

test('a failure ends it, and so does one who waits no longer', async () => {
  await expect(askedAgain(() => Promise.reject(new Error('broken')), 60_000)).rejects.toThrow('broken')
  const waiting = new AbortController()
  const asking = askedAgain(() => undefined, 60_000, waiting.signal)
  waiting.abort(new Error('given up'))
  await expect(asking).rejects.toThrow('given up')
})
