import { expect, test } from 'bun:test'
import { parseLocation } from '../mounts/location.ts'
import { passesSignedWith } from './passes.ts'
import type { Share } from './store.ts'

const passes = passesSignedWith(Buffer.alloc(64, 7))
const share: Share = {
  link: { hash: 'hash', userID: 1, expire: 0, hasPassword: true },
  location: parseLocation('/a'),
  passwordHash: '$argon2id$1',
  isShut: false,
  isThroughSymlink: false,
}
const pass = passes.issue(share, 1000)

test('a pass is valid for an hour', () => {
  expect([1000, 4599, 4600].map((now) => passes.isValid(pass, share, now))).toEqual([true, true, false])
})

test.each([
  ['another share', { ...share, link: { ...share.link, hash: 'other' } }],
  ['another owner', { ...share, link: { ...share.link, userID: 2 } }],
  ['another password', { ...share, passwordHash: '$argon2id$2' }],
])('a pass is not valid for %s', (_what, other) => {
  expect(passes.isValid(pass, other, 1000)).toBe(false)
})

test('a pass stays valid when the share moves', () => {
  expect(passes.isValid(pass, { ...share, location: parseLocation('/b') }, 1000)).toBe(true)
})

test('a pass needs the secret key, and does not contain the password hash', () => {
  const forged = passesSignedWith(Buffer.alloc(64, 8)).issue(share, 1000)
  expect(passes.isValid(forged, share, 1000)).toBe(false)
  expect(pass).not.toContain('argon')
  expect(pass).toMatch(/^[0-9a-z]+\.[\w-]{43}$/)
})
