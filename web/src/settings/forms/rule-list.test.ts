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
  expect(effectOf(withText(allow, '/a/b'), [a])).toBe('allowPath')
  expect(effectOf(withText(allow, '/'), [a])).toBe('allowPath')
  expect(effectOf(allow, [withText(a, 'b$', true)])).toBe('allowPath')
  expect(effectOf(withText(allow, 'b$', true), [a])).toBe('allowRegex')
})

test('a rule that changes nothing says so', () => {
  const allow = { ...b, allow: true }
  const inside = withText(a, 'a/deep/')
  expect(effectOf(allow, [])).toBe('notHidden')
  expect(effectOf(allow, [a])).toBe('notHidden')
  expect(effectOf(withText(allow, 'b$', true), [{ ...a, allow: true }])).toBe('none')
  expect(effectOf(inside, [a])).toBe('hiddenAlready')
  expect(effectOf(inside, [a, b])).toBe('hiddenAlready')
  // Shown again in between, or perhaps shown again, it hides something.
  expect(effectOf(inside, [a, withText({ ...a, allow: true }, '/a/deep')])).toBe('denyPath')
  expect(effectOf(inside, [a, withText({ ...a, allow: true }, 'deep', true)])).toBe('denyPath')
  expect(effectOf(a, [inside])).toBe('denyPath')
})

test('a rule about nothing is none', () => {
  expect(effectOf(newRule, [])).toBe('empty')
  expect(effectOf(withText(newRule, ' ', true), [a])).toBe('empty')
  expect(areAllAboutSomething([a, newRule])).toBe(false)
  expect(areAllAboutSomething([a, b])).toBe(true)
})
