import { expect, test } from 'bun:test'
import { secondsLeft, speedometer } from './speed.ts'

test('the speed is the mean of the last five seconds, smoothed', () => {
  const meter = speedometer()
  meter.measure(1000)
  expect(meter.speed()).toBe(0)
  meter.measure(2000)
  expect(meter.speed()).toBe(1000)
  meter.measure(5000)
  expect(meter.speed()).toBeCloseTo(0.2 * 2000 + 0.8 * 1000)
})

test('a burst no longer counts after five measurements', () => {
  const meter = speedometer()
  let sent = 0
  meter.measure(sent)
  sent += 1_000_000
  meter.measure(sent)
  for (let second = 0; second < 120; second += 1) {
    sent += 10
    meter.measure(sent)
  }
  expect(Math.round(meter.speed())).toBe(10)
})

test('bytes that are sent again make no negative speed', () => {
  const meter = speedometer()
  meter.measure(5000)
  meter.measure(1000)
  expect(meter.speed()).toBe(0)
})

test('the time left is unknown without speed', () => {
  expect(secondsLeft(100, 0)).toBeNull()
  expect(secondsLeft(100, 30)).toBe(4)
})
