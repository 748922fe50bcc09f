import { expect, test } from 'bun:test'
import { parseLocation } from '../mounts/location.ts'
import { grantsSignedWith } from './grants.ts'
import type { Share } from './store.ts'

const grants = grantsSignedWith(Buffer.alloc(64, 7))
const share: Share = {
  link: { hash: 'hash', userID: 1, expire: 0, hasPassword: true },
  location: parseLocation('/a'),
  passwordHash: '$argon2id$1',
  isShut: false,
  isThroughSymlink: false,
}
const grant = grants.issue(share, 1000)

test('a grant is valid for an hour', () => {
  expect([1000, 4599, 4600].map((now) => grants.isValid(grant, share, now))).toEqual([true, true, false])
})

test.each([
  ['another share', { ...share, link: { ...share.link, hash: 'other' } }],
  ['another owner', { ...share, link: { ...share.link, userID: 2 } }],
  ['another password', { ...share, passwordHash: '$argon2id$2' }],
])('a grant is not valid for %s', (_what, other) => {
  expect(grants.isValid(grant, other, 1000)).toBe(false)
})

test('a grant stays valid when the share moves', () => {
  expect(grants.isValid(grant, { ...share, location: parseLocation('/b') }, 1000)).toBe(true)
})

test('a grant needs the secret key, and does not contain the password hash', () => {
  const forged = grantsSignedWith(Buffer.alloc(64, 8)).issue(share, 1000)
  expect(grants.isValid(forged, share, 1000)).toBe(false)
  expect(grant).not.toContain('argon')
  expect(grant).toMatch(/^[0-9a-z]+\.[\w-]{43}$/)
})
