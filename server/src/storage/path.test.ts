import { expect, test } from 'bun:test'
import { parseEncodedPath, parsePath } from './path.ts'

test.each([
  ['a/b', '/a/b'],
  ['//a/./b/', '/a/b'],
  ['', '/'],
  ['/a..b/…', '/a..b/…'],
  ['/back\\slash', '/back\\slash'],
])('reads %j as %j', (raw, path) => {
  expect(parsePath(raw) as string).toBe(path)
})

test.each(['..', '/a/../b', 'a\0b'])('refuses %j', (raw) => {
  expect(() => parsePath(raw)).toThrow(expect.objectContaining({ code: 'invalid' }))
})

test('refuses what is too long for any file, before it is taken apart', () => {
  expect(parsePath(`/${'a/'.repeat(2047)}b`)).toHaveLength(4096)
  expect(() => parsePath('a/'.repeat(4_000_000))).toThrow(expect.objectContaining({ code: 'invalid' }))
})

test.each([
  ...['/.filestead-draft-x', '/a/.filestead-draft-1/b', '/.filestead-versions/files/a', '/a/.FileStead-Versions'],
  ...[`/.Trash-${process.geteuid?.()}`, `/a/.trash-${process.geteuid?.()}/info`, '/\u200b.filestead-versions'],
])('keeps %j for itself', (raw) => {
  expect(() => parsePath(raw)).toThrow(expect.objectContaining({ code: 'forbidden' }))
})

test.each([
  ['/two%20words', '/two words'],
  ['/100%25.txt', '/100%.txt'],
  ['/a%2Fb', '/a/b'],
  ['/in+ner', '/in+ner'],
])('decodes %j once, to %j', (encoded, path) => {
  expect(parseEncodedPath(encoded) as string).toBe(path)
})

test.each(['/%zz', '/%ff%fe', '/%c0%af', '/a%00b', '/..%2fsecret', '/%2e%2e/secret'])(
  'refuses the address %j',
  (raw) => {
    expect(() => parseEncodedPath(raw)).toThrow(expect.objectContaining({ code: 'invalid' }))
  },
)
