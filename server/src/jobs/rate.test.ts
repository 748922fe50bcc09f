import { expect, test } from 'bun:test'
import { rateOf } from './rate.ts'

test('the rate is that of the last seconds, and becomes less while nothing happens', () => {
  let now = 0
  const rate = rateOf(() => now)
  expect([rate.bytesPerSecond(), rate.secondsLeft({ files: 1, bytes: 1 })]).toEqual([undefined, undefined])
  for (let second = 0; second <= 20; second += 1) {
    now = second * 1000
    rate.note({ files: second, bytes: second * 100 })
  }
  expect(rate.bytesPerSecond()).toBe(100)
  expect(rate.secondsLeft({ files: 30, bytes: 3000 })).toBe(10)
  expect(rate.secondsLeft({ files: 30, bytes: 2000 })).toBe(10)
  for (let second = 21; second <= 30; second += 1) {
    now = second * 1000
    rate.note({ files: second, bytes: 2000 + (second - 20) * 1000 })
  }
  expect(rate.bytesPerSecond()).toBe(1000)
  now += 24_000
  expect(rate.bytesPerSecond()).toBe(200)
})

test('small files before a large one are no reason to tell hours', () => {
  let now = 0
  const rate = rateOf(() => now)
  for (let second = 0; second <= 5; second += 1) {
    now = second * 1000
    rate.note({ files: second * 2000, bytes: second * 2000 * 1024 })
  }
  expect(rate.secondsLeft({ files: 20_001, bytes: 20_000 * 1024 + 2 ** 30 })).toBe(14)
})
