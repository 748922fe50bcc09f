import { expect, test } from 'bun:test'
import { moved, newRule, textOf, withText } from './rule-list.ts'

const [a, b, c] = ['/a', '/b', '/c'].map((text) => withText(newRule, text)) as [
  typeof newRule,
  typeof newRule,
  typeof newRule,
]

test('a rule keeps its text when it becomes a pattern, and back', () => {
  const pattern = withText(a, textOf(a), true)
  expect(pattern).toEqual({ allow: true, regex: true, path: '', regexp: { raw: '/a' } })
  expect(withText(pattern, textOf(pattern), false)).toEqual(a)
})

test('a pattern that was stored without a text has an empty one', () => {
  expect(textOf({ ...a, regex: true })).toBe('')
})

test('rules move by one place', () => {
  expect(moved([a, b, c], 2, -1)).toEqual([a, c, b])
  expect(moved([a, b, c], 0, 1)).toEqual([b, a, c])
})
