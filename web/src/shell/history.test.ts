import { expect, test } from 'bun:test'
import { noHistory, remember, shownLine, step } from './history.ts'

test('up leads back, down leads to what was being typed', () => {
  let history = remember(remember(noHistory, 'ls'), 'git status')
  history = step(history, -1, 'half a comm')
  expect(shownLine(history)).toBe('git status')
  history = step(step(history, -1, ''), -1, '')
  expect(shownLine(history)).toBe('ls')
  history = step(step(history, 1, 'ls'), 1, 'git status')
  expect(shownLine(history)).toBe('half a comm')
  history = step(history, 1, 'half a comm')
  expect(shownLine(history)).toBe('half a comm')
})

test('the same line twice is remembered once', () => {
  expect(remember(remember(noHistory, 'ls'), 'ls').lines).toEqual(['ls'])
})
