import { afterAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type User, User as UserSchema } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { until } from './process.ts'
import { type Ask, password, startServer } from './server.ts'

const server = await startServer()
await server.addUser('admin', { isAdmin: true })
await server.addUser('alice', { scope: '/home/alice' })
const [admin, alice] = [await server.as('admin'), await server.as('alice')]
afterAll(() => server.stop())

const [adminId, aliceId] = [1, 2]
const list = () => jsonIn<User[]>(admin('/api/users'))
const show = (id: number, ask = admin) => jsonIn<User>(ask(`/api/users/${id}`))
const signIn = (username: string, secret = password) =>
  statusOf(server.ask('/api/login', { method: 'POST', body: JSON.stringify({ username, password: secret }) }))

async function answer(pending: Promise<Response>): Promise<[number, string]> {
  const response = await pending
  return [response.status, await response.text()]
}
const add = (data: object, { which = [] as string[], current = password, ask = admin } = {}) =>
  ask('/api/users', {
    method: 'POST',
    body: JSON.stringify({ what: 'user', which, current_password: current, data }),
  })
const remove = (ask: Ask, id: number, body: unknown = { current_password: password }) =>
  ask(`/api/users/${id}`, { method: 'DELETE', body: typeof body === 'string' ? body : JSON.stringify(body) })

const idIn = (response: Response) =>
  Number(/^\/settings\/users\/(\d+)$/.exec(response.headers.get('location') ?? '')?.[1])

test('users are listed by id for administrators, with every field and no password', async () => {
  const users = await list()
  expect(users.map(({ id, username, password }) => [id, username, password])).toEqual([
    [1, 'admin', ''],
    [2, 'alice', ''],
  ])
  // A theme that was never chosen is absent, as for clients that know of none.
  const fields = Object.keys(UserSchema.shape).filter((name) => name !== 'theme')
  for (const user of users) expect(Object.keys(user).sort()).toEqual(fields.toSorted())
  expect(Object.keys(users[0] ?? {})).toEqual(fields)
  expect(await answer(alice('/api/users'))).toEqual([403, '403 Forbidden\n'])
})

test('administrators see when each user signed in last, also after its sessions have ended', async () => {
  const signIns = () => jsonIn<{ userId: number; at: number }[]>(admin('/api/sign-ins'))
  // A sign-in is answered while it is noted.
  const lastOf = async (id: number) => (await signIns()).find(({ userId }) => userId === id)?.at
  const id = idIn(await add({ username: 'seldom', password, scope: '/seldom' }))
  expect(await lastOf(id)).toBeUndefined()
  const seldom = await server.as('seldom')
  const first = server.clock.now
  await until(async () => (await lastOf(id)) === first)
  server.clock.now += 100
  await server.as('seldom')
  expect(await statusOf(seldom('/api/logout', { method: 'POST' }))).toBe(200)
  await until(async () => (await lastOf(id)) === first + 100)
  expect(await statusOf(alice('/api/sign-ins'))).toBe(403)
  expect(await statusOf(remove(admin, id))).toBe(200)
  expect(await lastOf(id)).toBeUndefined()
})

test('a new user gets a folder of its own where the administrator asks for it, and no other user has it', async () => {
  const own = (username: string) =>
    admin('/api/users', {
      method: 'POST',
      body: JSON.stringify({
        what: 'user',
        which: [],
        current_password: password,
        own_folder: true,
        data: { username, password, scope: '/somewhere' },
      }),
    })
  const id = idIn(await own('An Owner'))
  expect(await show(id)).toMatchObject({ scope: '/users/An-Owner' })
  expect(existsSync(join(server.root, 'users/An-Owner'))).toBe(true)
  expect(await statusOf(own('An/Owner'))).toBe(409)
  await remove(admin, id)
})

test('users see their own record without the path on the disk, and no other record', async () => {
  expect(await show(aliceId, alice)).toMatchObject({ username: 'alice', scope: '', password: '' })
  expect(await show(aliceId)).toMatchObject({ username: 'alice', scope: '/home/alice', password: '' })
  for (const id of [adminId, 99]) expect(await statusOf(alice(`/api/users/${id}`))).toBe(403)
  expect(await statusOf(admin('/api/users/99'))).toBe(404)
})

test('a new user gets an address, can sign in and has a folder', async () => {
  const response = await add({ username: 'bob', password, scope: 'home/./bob/', perm: { download: true } })
  expect([response.status, await response.text()]).toEqual([201, '201 Created\n'])
  const id = idIn(response)
  expect(await show(id)).toMatchObject({
    id,
    username: 'bob',
    password: '',
    scope: '/home/bob',
    viewMode: 'list',
    sorting: { by: 'name', asc: false },
    commands: [],
    rules: [],
    perm: { admin: false, create: false, download: true },
  })
  expect(existsSync(join(server.root, 'home/bob'))).toBe(true)
  expect(await signIn('bob')).toBe(200)
})

test('names differ by letter case and are stored unchanged', async () => {
  for (const username of ['Bob', ' bob', 'ünï 😀', "o'neil; drop table user", 'a/../b'])
    expect([username, (await add({ username, password })).status, await signIn(username)]).toEqual([username, 201, 200])
})

test('a scope with parent folders ends at the root', async () => {
  const response = await add({ username: 'climber', password, scope: '../../..' })
  expect((await show(idIn(response))).scope).toBe('/')
})

test.each<[string, object, object, [number, string]]>([
  ['no password', { username: 'x' }, {}, [400, '400 Bad Request (password is empty)\n']],
  [
    'a short password',
    { username: 'x', password: 'short' },
    {},
    [400, '400 Bad Request (password is too short, minimum length is 12)\n'],
  ],
  ['no name', { password }, {}, [400, '400 Bad Request (username is empty)\n']],
  ['a blank name', { username: '  ', password }, {}, [400, '400 Bad Request (username is empty)\n']],
  ['a taken name', { username: 'alice', password }, {}, [409, '409 Conflict\n']],
  [
    'the right to share what cannot be downloaded',
    { username: 'x', password, perm: { share: true } },
    {},
    [400, '400 Bad Request (permission to share requires permission to download)\n'],
  ],
  [
    'a wrong current password',
    { username: 'x', password },
    { current: 'wrong' },
    [400, '400 Bad Request (the current password is incorrect)\n'],
  ],
  [
    'no current password',
    { username: 'x', password },
    { current: '' },
    [400, '400 Bad Request (the current password is incorrect)\n'],
  ],
  ['fields to choose', { username: 'x', password }, { which: ['all'] }, [400, expect.stringContaining('which')]],
  ['no right to do so', { username: 'x', password }, { ask: alice }, [403, '403 Forbidden\n']],
])('a user with %s is refused', async (_what, data, options, expected) => {
  const before = await list()
  expect(await answer(add(data, options))).toEqual(expected)
  expect(await list()).toEqual(before)
})

test('a user whose scope folder cannot be created is refused and not stored', async () => {
  server.put({ 'in-the-way': 'a file' })
  const before = await list()
  for (const [scope, status] of [
    ['/in-the-way', 409],
    ['/in-the-way/deeper', 404],
    [`/${'x'.repeat(300)}`, 400],
    ['/.filestead-draft-x', 403],
  ] as const)
    expect([scope, (await add({ username: 'x', password, scope })).status]).toEqual([scope, status])
  expect(await list()).toEqual(before)
  expect(server.file('in-the-way')).toBe('a file')
})

test('a new user does not replace an existing one, and an id is not used twice', async () => {
  const before = await show(aliceId)
  const first = await add({ id: aliceId, username: 'newcomer', password, perm: { admin: true, download: true } })
  expect(first.status).toBe(201)
  expect(idIn(first)).not.toBe(aliceId)
  expect(await show(aliceId)).toEqual(before)
  expect(await statusOf(remove(admin, idIn(first)))).toBe(200)
  const second = await add({ username: 'newcomer', password })
  expect(idIn(second)).toBeGreaterThan(idIn(first))
})

test('a user is removed by an administrator or by the user, and the files stay', async () => {
  const make = async (username: string) => idIn(await add({ username, password, scope: `/home/${username}` }))
  const [carol, dave] = [await make('carol'), await make('dave')]
  server.put({ 'home/carol/file.txt': 'kept' })
  expect(await answer(remove(admin, carol))).toEqual([200, '200 OK\n'])
  expect(await statusOf(remove(await server.as('dave'), dave))).toBe(200)
  expect([await signIn('carol'), await signIn('dave')]).toEqual([403, 403])
  expect(server.file('home/carol/file.txt')).toBe('kept')
  expect(await statusOf(remove(admin, carol))).toBe(404)
})

test('many users are made and removed at once, with the right password', async () => {
  const make = async (_: unknown, count: number) => {
    const response = await add({ username: `guest${count}`, password, scope: '/guests' })
    return response.status === 201 ? idIn(response) : response.status
  }
  const ids = await Promise.all(Array.from({ length: 25 }, make))
  expect(await Promise.all(ids.map((id) => statusOf(remove(admin, id))))).toEqual(Array(25).fill(200))
})

test.each<[string, Ask, number, unknown, number]>([
  ['nothing said', admin, aliceId, '', 400],
  ['a wrong password', admin, aliceId, { current_password: 'wrong' }, 400],
  ['no password', admin, aliceId, {}, 400],
  ['the password of the removed user instead of the own one', alice, adminId, { current_password: password }, 403],
  ['an unknown user', admin, 999, { current_password: password }, 404],
  ['the last administrator', admin, adminId, { current_password: password }, 403],
])('removing a user is refused for %s', async (_what, ask, id, body, expected) => {
  const before = await list()
  expect(await statusOf(remove(ask, id, body))).toBe(expected)
  expect(await list()).toEqual(before)
})

test('passwords are in no answer, row or log line', async () => {
  const secret = 'a very secret passphrase'
  const id = idIn(await add({ username: 'secretive', password: secret }))
  const answers = [await (await admin('/api/users')).text(), await (await admin(`/api/users/${id}`)).text()]
  const rows = await server.app.deps.db.selectFrom('user').selectAll().execute()
  for (const text of [...answers, JSON.stringify(rows), JSON.stringify(server.logged)])
    expect(text).not.toContain(secret)
  for (const text of answers) expect(text).not.toContain('argon2')
  expect(rows.find((row) => row.id === id)?.password_hash).toStartWith('$argon2id$')
})
