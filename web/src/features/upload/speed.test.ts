import { expect, test } from 'bun:test'
import { formatCountdown, secondsLeft, speedometer } from './speed.ts'

test('the speed is the mean of the last five seconds, smoothed', () => {
  const meter = speedometer()
  meter.look(1000)
  expect(meter.speed()).toBe(0)
  meter.look(2000)
  expect(meter.speed()).toBe(1000)
  meter.look(5000)
  expect(meter.speed()).toBeCloseTo(0.2 * 2000 + 0.8 * 1000)
})

test('a burst is forgotten after five looks', () => {
  const meter = speedometer()
  let sent = 0
  meter.look(sent)
  sent += 1_000_000
  meter.look(sent)
  for (let second = 0; second < 120; second += 1) {
    sent += 10
    meter.look(sent)
  }
  expect(Math.round(meter.speed())).toBe(10)
})

test('bytes that are sent again do not count backwards', () => {
  const meter = speedometer()
  meter.look(5000)
  meter.look(1000)
  expect(meter.speed()).toBe(0)
})

test.each([
  [0, '00:00:00'],
  [9, '00:00:09'],
  [3723, '01:02:03'],
  [359_999, '99:59:59'],
  [360_000, '--:--:--'],
  [null, '--:--:--'],
])('%p seconds are written %s', (seconds, text) => {
  expect(formatCountdown(seconds)).toBe(text)
})

test('without speed there is no end in sight', () => {
  expect(secondsLeft(100, 0)).toBeNull()
  expect(secondsLeft(100, 30)).toBe(4)
})
