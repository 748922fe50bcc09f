import { expect, test } from 'bun:test'
import { Settings, User } from '@filestead/contract'
import { checkUser, fieldsOf, folderOf, homeFor, newUser, userOf } from './user-fields.ts'

const user = User.parse({
  id: 7,
  username: 'edda',
  scope: '/users/edda',
  locale: 'pt-pt',
  viewMode: 'mosaic gallery',
  sorting: { by: 'size', asc: true },
  commands: ['git', 'rsync'],
  lockPassword: true,
  perm: { share: true, download: true },
})

test('what the form does not show stays as it was', () => {
  const sent = userOf(fieldsOf(user), user)
  expect(sent).toEqual({ ...user, locale: 'pt' })
})

test('an administrator gets every right and no lock', () => {
  const fields = fieldsOf(user)
  const sent = userOf({ ...fields, perm: { ...fields.perm, admin: true } }, user)
  expect(Object.values(sent.perm)).toEqual(Array(8).fill(true))
  expect(sent.lockPassword).toBe(false)
})

test('commands are words', () => {
  expect(userOf({ ...fieldsOf(user), commands: '  git   tar ' }, user).commands).toEqual(['git', 'tar'])
  expect(userOf({ ...fieldsOf(user), commands: ' ' }, user).commands).toEqual([])
})

test('a home that the server makes is asked for with an empty scope', () => {
  expect(userOf({ ...fieldsOf(user), makesHome: true }, user).scope).toBe('')
})

test('a new user starts with the defaults', () => {
  const settings = Settings.parse({ defaults: { scope: '/team', locale: 'de', perm: { create: true } } })
  expect(newUser(settings)).toMatchObject({ id: 0, username: '', scope: '/team', locale: 'de', rules: [] })
  expect(newUser(settings).perm.create).toBe(true)
})

test('a name is needed, and for a new user a password', () => {
  const fields = { ...fieldsOf(user), username: '  ' }
  expect(checkUser(fields, true, 12)).toEqual({ username: 'emptyName', password: 'empty' })
  expect(checkUser({ ...fields, username: 'edda' }, false, 12)).toEqual({})
})

test('the length of a password counts in bytes, as on the server', () => {
  const fields = fieldsOf(user)
  expect(checkUser({ ...fields, password: 'elf letters' }, false, 12)).toEqual({ password: 'tooShort' })
  expect(checkUser({ ...fields, password: 'élf letters' }, false, 12)).toEqual({})
})

test.each([
  ['.', '/'],
  ['', '/'],
  [' ./ ', '/'],
  ['home/', '/home'],
  ['/a//./b', '/a/b'],
])('the scope %p is the folder %p', (scope, folder) => {
  expect(folderOf(scope)).toBe(folder)
})

test('the folder that will be made is told as far as its name is sure', () => {
  const settings = Settings.parse({ userHomeBasePath: 'people/' })
  expect(homeFor(' edda ', settings)).toBe('/people/edda')
  expect(homeFor('Edda M.', settings)).toBe('/people/…')
  expect(homeFor('', settings)).toBe('/people/…')
})
