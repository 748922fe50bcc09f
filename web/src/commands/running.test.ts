import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { RunningCommands } from './running.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const shown = (commands: RunningCommands) => commands.progress.get().get('copy')

test('work that takes long shows that it runs, and for a moment that it was done', () => {
  const commands = new RunningCommands()
  const end = commands.begin('copy')
  expect(shown(commands)).toBeUndefined()
  jest.advanceTimersByTime(400)
  expect(shown(commands)).toBe('running')
  end(true)
  expect(shown(commands)).toBe('done')
  jest.advanceTimersByTime(1100)
  expect(shown(commands)).toBeUndefined()
})

test('quick work shows only that it was done, and work that did nothing shows nothing', () => {
  const commands = new RunningCommands()
  commands.begin('copy')(false)
  jest.advanceTimersByTime(400)
  expect(shown(commands)).toBeUndefined()
  commands.begin('copy')(true)
  expect(shown(commands)).toBe('done')
})

test('a second run of a command goes on showing when the first one ends', () => {
  const commands = new RunningCommands()
  const endFirst = commands.begin('copy')
  const endSecond = commands.begin('copy')
  jest.advanceTimersByTime(400)
  endFirst(true)
  expect(shown(commands)).toBe('done')
  jest.advanceTimersByTime(1100)
  expect(shown(commands)).toBe('running')
  endSecond(false)
  expect(shown(commands)).toBeUndefined()
})
