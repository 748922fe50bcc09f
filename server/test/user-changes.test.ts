import { afterAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { permissionNames, type User } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { claimsIn } from './jwt.ts'
import { type Ask, password, startServer } from './server.ts'

const server = await startServer()
await server.addUser('admin', { isAdmin: true })
await server.addUser('alice', { scope: '/home/alice' })
await server.addUser('bob')
await server.addUser('locked', { lockPassword: true })
const [admin, alice, locked] = [await server.as('admin'), await server.as('alice'), await server.as('locked')]
afterAll(() => server.stop())

const [adminId, aliceId, bobId, lockedId] = [1, 2, 3, 4]
const show = (id: number) => jsonIn<User>(admin(`/api/users/${id}`))
const signIn = (username: string, secret: string) =>
  statusOf(server.ask('/api/login', { method: 'POST', body: JSON.stringify({ username, password: secret }) }))

async function change(
  ask: Ask,
  id: number,
  which: string[],
  data: object,
  current?: string,
): Promise<[number, string]> {
  const body = { what: 'user', which, current_password: current, data: { id, ...data } }
  const response = await ask(`/api/users/${id}`, { method: 'PUT', body: JSON.stringify(body) })
  return [response.status, await response.text()]
}
const done: [number, string] = [200, '200 OK\n']
const wrongPassword: [number, string] = [400, '400 Bad Request (the current password is incorrect)\n']
const forbidden: [number, string] = [403, '403 Forbidden\n']

test.each<[string, unknown]>([
  ['locale', 'fr'],
  ['viewMode', 'list'],
  ['singleClick', true],
  ['redirectAfterCopyMove', false],
  ['hideDotfiles', true],
  ['dateFormat', true],
  ['aceEditorTheme', 'monokai'],
  ['theme', 'dark'],
  ['sorting', { by: 'size', asc: true }],
])('users change their own %s without a password', async (field, value) => {
  const before = await show(aliceId)
  expect(await change(alice, aliceId, [field], { [field]: value })).toEqual(done)
  expect(await show(aliceId)).toEqual({ ...before, [field]: value })
})

test.each(['locale', 'viewMode', 'aceEditorTheme', 'sorting'])(
  'users cannot choose a %s that is so long that no header has room for their token',
  async (field) => {
    const long = 'x'.repeat(20_000)
    const value = field === 'sorting' ? { by: long, asc: true } : long
    const before = await show(aliceId)
    const [status, text] = await change(alice, aliceId, [field], { [field]: value })
    expect([status, text.includes(`data.${field}`)]).toEqual([400, true])
    expect(await show(aliceId)).toEqual(before)
  },
)

test('a theme stays when a client that knows of none saves the whole record', async () => {
  await change(alice, aliceId, ['theme'], { theme: 'dark' })
  const { theme, ...known } = await show(aliceId)
  expect(theme).toBe('dark')
  expect(await change(admin, aliceId, ['all'], { ...known, locale: 'it' }, password)).toEqual(done)
  expect(await show(aliceId)).toMatchObject({ theme: 'dark', locale: 'it' })
  expect((await change(alice, aliceId, ['theme'], { theme: 'purple' }))[0]).toBe(400)
  await change(alice, aliceId, ['theme'], { theme: '' })
  expect(await show(aliceId)).toMatchObject({ theme: '' })
})

test('field names may start with a capital letter', async () => {
  expect(await change(alice, aliceId, ['Locale', 'ViewMode'], { locale: 'de', viewMode: 'mosaic' })).toEqual(done)
  expect(await show(aliceId)).toMatchObject({ locale: 'de', viewMode: 'mosaic' })
})

test('only the named fields are changed', async () => {
  const before = await show(aliceId)
  const data = { locale: 'es', username: 'root', scope: '/', perm: { admin: true }, password: 'another password' }
  expect(await change(alice, aliceId, ['locale'], data)).toEqual(done)
  expect(await show(aliceId)).toEqual({ ...before, locale: 'es' })
  expect(await signIn('alice', password)).toBe(200)
})

test.each<[string, unknown]>([
  ['username', 'root'],
  ['scope', '/'],
  ['lockPassword', false],
  ['perm', { admin: true, download: true }],
  ['commands', ['sh']],
  ['rules', []],
])('%s is changed only by administrators, with their password', async (field, value) => {
  const before = await show(aliceId)
  for (const name of [field, field.toUpperCase(), `${field.slice(0, 1).toUpperCase()}${field.slice(1)}`])
    for (const which of [[name], ['locale', name]]) {
      const [status] = await change(alice, aliceId, which, { locale: 'xx', [field]: value }, password)
      expect([which, status]).toEqual([which, 403])
    }
  expect(await change(alice, aliceId, [field], { [field]: value })).toEqual(wrongPassword)
  expect(await change(admin, aliceId, [field], { [field]: value })).toEqual(wrongPassword)
  expect(await change(admin, aliceId, [field], { [field]: value }, 'wrong')).toEqual(wrongPassword)
  expect(await show(aliceId)).toEqual(before)

  expect(await change(admin, aliceId, [field], { [field]: before[field as keyof User] }, password)).toEqual(done)
  expect(await show(aliceId)).toEqual(before)
})

test('preferences of another user are changed only by an administrator', async () => {
  expect(await change(alice, bobId, ['locale'], { locale: 'fr' })).toEqual(forbidden)
  expect(await change(alice, 99, ['locale'], { locale: 'fr' })).toEqual(forbidden)
  expect(await change(admin, bobId, ['locale'], { locale: 'it' })).toEqual(done)
  expect((await show(bobId)).locale).toBe('it')
  expect((await change(admin, 99, ['locale'], { locale: 'fr' }))[0]).toBe(404)
})

test.each(['', '{', '{}', '{"what":"user"}'])('what is sent about another user (%j) is not looked at', async (body) => {
  for (const method of ['PUT', 'DELETE'])
    for (const id of [bobId, 99]) {
      const response = await alice(`/api/users/${id}`, { method, body })
      expect([method, id, response.status, await response.text()]).toEqual([method, id, ...forbidden])
    }
})

test('a change of the password needs the former one', async () => {
  const wanted = 'a fresh new passphrase'
  expect(await change(alice, aliceId, ['password'], { password: wanted })).toEqual(wrongPassword)
  expect(await change(alice, aliceId, ['Password'], { password: wanted }, 'wrong')).toEqual(wrongPassword)
  expect((await change(alice, aliceId, ['password'], { password: '' }, password))[0]).toBe(400)
  expect((await change(alice, aliceId, ['password'], { password: 'short' }, password))[0]).toBe(400)
  expect(await signIn('alice', password)).toBe(200)
  expect(await change(alice, aliceId, ['password'], { password: wanted }, password)).toEqual(done)
  expect([await signIn('alice', password), await signIn('alice', wanted)]).toEqual([403, 200])
  expect(await change(alice, aliceId, ['password'], { password }, wanted)).toEqual(done)
})

test('a locked password is changed only by an administrator', async () => {
  const wanted = 'a fresh new passphrase'
  expect(await change(locked, lockedId, ['password'], { password: wanted }, password)).toEqual(forbidden)
  expect(await signIn('locked', password)).toBe(200)
  expect(await change(admin, lockedId, ['password'], { password: wanted }, password)).toEqual(done)
  expect(await signIn('locked', wanted)).toBe(200)
})

test.each<[string, string[], object, number]>([
  ['an unknown field', ['nothing'], {}, 400],
  ['the id', ['id'], {}, 400],
  ['the id of another', ['locale'], { id: bobId }, 400],
  ['a taken name', ['username'], { username: 'bob' }, 409],
  ['an empty name', ['username'], { username: '' }, 400],
  ['the right to share without the right to download', ['perm'], { perm: { share: true } }, 400],
])('%s is refused as a change', async (_what, which, data, expected) => {
  const before = await show(aliceId)
  expect((await change(admin, aliceId, which, data, password))[0]).toBe(expected)
  expect(await show(aliceId)).toEqual(before)
})

test.each([[[]], [['all']], [['All']]])(
  'the whole record (%j) is replaced only by administrators, with their password',
  async (which) => {
    const before = await show(bobId)
    for (const current of [password, undefined])
      expect(await change(alice, aliceId, which, {}, current)).toEqual(forbidden)
    expect(await change(admin, bobId, which, { ...before, locale: 'pt' })).toEqual(wrongPassword)
    expect(await show(bobId)).toEqual(before)

    expect(await change(admin, bobId, which, { username: 'bob', scope: '/home/bob', locale: 'pt' }, password)).toEqual(
      done,
    )
    expect(await show(bobId)).toMatchObject({
      username: 'bob',
      scope: '/home/bob',
      locale: 'pt',
      viewMode: 'list',
      perm: Object.fromEntries(permissionNames.map((name) => [name, false])),
    })
    expect(await signIn('bob', password)).toBe(200)
    expect(await change(admin, bobId, which, before, password)).toEqual(done)
  },
)

test('a change of the scope creates no folder', async () => {
  expect(await change(admin, bobId, ['scope'], { scope: '/nowhere/yet' }, password)).toEqual(done)
  expect(existsSync(join(server.root, 'nowhere'))).toBe(false)
  expect(await change(admin, bobId, ['scope'], { scope: '/' }, password)).toEqual(done)
})

test('a scope is stored as a clean path, and an invalid one is refused', async () => {
  for (const [scope, kept] of [
    ['home/./bob/', '/home/bob'],
    ['../../..', '/'],
  ] as const) {
    expect(await change(admin, bobId, ['scope'], { scope }, password)).toEqual(done)
    expect((await show(bobId)).scope).toBe(kept)
  }
  expect((await change(admin, bobId, ['scope'], { scope: 'a\0b' }, password))[0]).toBe(400)
  expect((await show(bobId)).scope).toBe('/')
})

test('the last administrator cannot lose the permission until there is another', async () => {
  const everything = Object.fromEntries(permissionNames.map((name) => [name, true]))
  const demotion = () => change(admin, adminId, ['perm'], { perm: { ...everything, admin: false } }, password)
  expect((await demotion())[0]).toBe(403)
  const before = await show(adminId)
  expect((await change(admin, adminId, [], { ...before, perm: {} }, password))[0]).toBe(403)
  expect((await show(adminId)).perm.admin).toBe(true)

  expect(await change(admin, bobId, ['perm'], { perm: everything }, password)).toEqual(done)
  expect(await demotion()).toEqual(done)
  expect(await statusOf(admin('/api/users'))).toBe(403)
})

test('guessing the password in one session is throttled, and another session of the owner is not', async () => {
  await server.addUser('victim')
  const [thief, owner] = [await server.as('victim'), await server.as('victim')]
  const { id } = claimsIn(await server.signIn('victim')).user as User
  const wanted = { password: 'a new long password' }
  // An empty password does not count as a guess.
  for (let count = 0; count < 12; count += 1)
    expect(await change(thief, id, ['password'], wanted, '')).toEqual(wrongPassword)
  for (let count = 0; count < 10; count += 1)
    expect(await change(thief, id, ['password'], wanted, `guess ${count}`)).toEqual(wrongPassword)
  expect(await change(thief, id, ['password'], wanted, password)).toEqual([429, '429 Too Many Requests\n'])
  expect(await change(owner, id, ['password'], wanted, password)).toEqual(done)
}, 120_000)
