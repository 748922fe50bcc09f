import { expect, test } from 'bun:test'
import { areAllAboutSomething, effectOf, moved, newRule, textOf, withText } from './rule-list.ts'

const [a, b, c] = ['/a', '/b', '/c'].map((text) => withText(newRule, text)) as [
  typeof newRule,
  typeof newRule,
  typeof newRule,
]

test('a rule keeps its text when it becomes a pattern, and back', () => {
  const pattern = withText(a, textOf(a), true)
  expect(pattern).toEqual({ allow: false, regex: true, path: '', regexp: { raw: '/a' } })
  expect(withText(pattern, textOf(pattern), false)).toEqual(a)
})

test('a pattern that was stored without a text has an empty one', () => {
  expect(textOf({ ...a, regex: true })).toBe('')
})

test('rules move by one place', () => {
  expect(moved([a, b, c], 2, -1)).toEqual([a, c, b])
  expect(moved([a, b, c], 0, 1)).toEqual([b, a, c])
})

test('a new rule denies', () => {
  expect(newRule.allow).toBe(false)
})

test('a rule says what it does after the others', () => {
  const allow = { ...b, allow: true }
  expect(effectOf(a, [])).toBe('denyPath')
  expect(effectOf(withText(a, '/a', true), [])).toBe('denyRegex')
  expect(effectOf(allow, [])).toBe('none')
  expect(effectOf(allow, [{ ...a, allow: true }])).toBe('none')
  expect(effectOf(allow, [a])).toBe('allowPath')
  expect(effectOf(withText(allow, 'b$', true), [a])).toBe('allowRegex')
})

test('a rule about nothing is none', () => {
  expect(effectOf(newRule, [])).toBe('empty')
  expect(effectOf(withText(newRule, ' ', true), [a])).toBe('empty')
  expect(areAllAboutSomething([a, newRule])).toBe(false)
  expect(areAllAboutSomething([a, b])).toBe(true)
})
