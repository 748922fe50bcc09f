import { expect, test } from 'bun:test'
import { editorThemeOf } from './themes.ts'

test('what the predecessor stored finds the nearest theme', () => {
  expect(editorThemeOf('')).toBeNull()
  expect(editorThemeOf('chrome')).toBe('filestead-light')
  expect(editorThemeOf('ace/theme/twilight')).toBe('filestead-dark')
  expect(editorThemeOf('solarized_dark')).toBe('solarized-dark')
  expect(editorThemeOf('high-contrast')).toBe('high-contrast')
  expect(editorThemeOf('never heard of')).toBe('filestead-dark')
})
