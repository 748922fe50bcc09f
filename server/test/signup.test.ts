import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Grant, Settings, type User } from '@filestead/contract'
import { touchAccess } from '../src/database/counters.ts'
import { transaction } from '../src/database/port.ts'
import { jsonIn, statusOf } from './answers.ts'
import { jobsOf } from './jobs.ts'
import { claimsIn } from './jwt.ts'
import { password, startServer } from './server.ts'

const server = await startServer({ history: { trash: 'on', versions: true } })
await server.addUser('admin', { isAdmin: true, scope: '/' })
const admin = await server.as('admin')
afterAll(() => server.stop())

const configure = (wanted: object) =>
  statusOf(admin('/api/settings', { method: 'PUT', body: JSON.stringify(Settings.parse(wanted)) }))
const perm = { create: true, rename: true, modify: true, delete: true, download: true, share: true }

beforeEach(async () => {
  await server.app.deps.db.deleteFrom('attempt').execute()
  expect(await configure({ signup: true, defaults: { perm } })).toBe(200)
})

async function signUp(username: string, secret: string = password, more: object = {}): Promise<[number, string]> {
  const body = JSON.stringify({ username, password: secret, ...more })
  const response = await server.ask('/api/signup', { method: 'POST', body })
  expect(response.headers.get('set-cookie')).toBeNull()
  return [response.status, await response.text()]
}
const users = () => jsonIn<User[]>(admin('/api/users'))
const userNamed = async (name: string) => (await users()).find(({ username }) => username === name)
const done: [number, string] = [200, '200 OK\n']

test('sign-up is refused unless it is switched on', async () => {
  expect(await configure({})).toBe(200)
  expect(await signUp('early')).toEqual([405, '405 Method Not Allowed\n'])
  expect(await statusOf(server.ask('/api/signup', { method: 'POST', body: 'junk' }))).toBe(405)
  expect(await userNamed('early')).toBeUndefined()
})

test('sign-up answers only its success, and the new user can sign in', async () => {
  expect(await signUp('anna')).toEqual(done)
  const token = await server.signIn('anna')
  expect(claimsIn(token)).toMatchObject({ user: { username: 'anna', perm: { create: true, admin: false } } })
})

test('sign-up gives neither administration nor commands', async () => {
  const generous = { perm: { ...perm, admin: true, execute: true }, commands: ['sh'], locale: 'fr' }
  expect(await configure({ signup: true, defaults: generous })).toBe(200)
  const more = { perm: { admin: true }, id: 1, scope: '/', commands: ['ls'], lockPassword: true, rules: [] }
  expect(await signUp('eager', password, more)).toEqual(done)
  expect(await userNamed('eager')).toMatchObject({
    perm: { admin: false, execute: false, create: true, download: true },
    commands: [],
    rules: [],
    locale: 'fr',
    lockPassword: false,
    scope: '/users/eager',
  })
  expect((await userNamed('admin'))?.id).toBe(1)
})

test('sign-up creates a home, and the account sees nothing else', async () => {
  server.put({ 'secret.txt': 'CANARY' })
  expect(await signUp('mia')).toEqual(done)
  expect((await userNamed('mia'))?.scope).toBe('/users/mia')
  expect(existsSync(join(server.root, 'users/mia'))).toBe(true)
  const mia = await server.as('mia')
  expect(await jsonIn<object>(mia('/api/resources/'))).toMatchObject({ items: [] })
  expect(await statusOf(mia('/api/raw/secret.txt'))).toBe(404)
})

test('a configured scope is given unchanged', async () => {
  expect(await configure({ signup: true, defaults: { perm, scope: '/' } })).toBe(200)
  expect(await signUp('wide')).toEqual(done)
  expect((await userNamed('wide'))?.scope).toBe('/')
  expect(await configure({ signup: true, defaults: { perm, scope: 'common/room' } })).toBe(200)
  expect(await signUp('common')).toEqual(done)
  expect((await userNamed('common'))?.scope).toBe('/common/room')
  expect(existsSync(join(server.root, 'common/room'))).toBe(true)
})

test.each([
  ['a/../b c', '/homes/a-b-c'],
  ['  spaces  ', '/homes/spaces'],
  ['me@example.org', '/homes/me@example.org'],
  ['../../etc', '/homes/-etc'],
  ['x//y', '/homes/x-y'],
  ['名前x', '/homes/-x'],
])('the home folder of %j is %s', async (username, scope) => {
  expect(await configure({ signup: true, createUserDir: true, userHomeBasePath: '/homes', defaults: { perm } })).toBe(
    200,
  )
  expect(await signUp(username)).toEqual(done)
  expect((await userNamed(username))?.scope).toBe(scope)
  expect(existsSync(join(server.root, scope))).toBe(true)
})

test.each(['..', '/', '-', '.', '....', '名前', ' '])(
  'the name %j is refused, because no folder can have it',
  async (username) => {
    const before = await users()
    expect((await signUp(username))[0]).toBe(400)
    expect(await users()).toEqual(before)
  },
)

test('sign-up refuses a name whose home folder belongs to another user', async () => {
  expect(await signUp('Robin')).toEqual(done)
  const before = await users()
  for (const name of ['Robin', 'robin', 'ROBIN', 'Robin ', ' Robin', '..Robin'])
    expect([name, (await signUp(name))[0]]).toEqual([name, 409])
  expect(await users()).toEqual(before)
  expect(await signUp('robin2')).toEqual(done)
})

test.each([
  ['junk', 'not json'],
  ['nothing', '{}'],
  ['no name', JSON.stringify({ username: '', password })],
  ['no password', JSON.stringify({ username: 'x', password: '' })],
])('a sign-up with %s is refused', async (_what, body) => {
  const before = await users()
  expect(await statusOf(server.ask('/api/signup', { method: 'POST', body }))).toBe(400)
  expect(await users()).toEqual(before)
})

test('a password must be long and uncommon', async () => {
  const tooShort = '400 Bad Request (password is too short, minimum length is 12)\n'
  expect(await signUp('short', 'elevenchars')).toEqual([400, tooShort])
  expect(await configure({ signup: true, minimumPasswordLength: 8, defaults: { perm } })).toBe(200)
  for (const common of ['password', 'PASSWORD', '12345678', 'iloveyou'])
    expect([common, await signUp('common1', common)]).toEqual([
      common,
      [400, '400 Bad Request (password is too easy)\n'],
    ])
  expect(await signUp('bytes', 'üöäß')).toEqual(done)
  expect(await signUp('long', 'x'.repeat(1000))).toEqual(done)
  expect(await userNamed('common1')).toBeUndefined()
})

test('sign-up without a possible home folder creates no user', async () => {
  server.put({ 'users/blocked': 'a file' })
  const [status] = await signUp('blocked')
  expect(status).toBe(409)
  expect(await userNamed('blocked')).toBeUndefined()
  expect(server.file('users/blocked')).toBe('a file')
})

test('a series of tried names is throttled, so that it does not tell which accounts exist', async () => {
  expect(await signUp('somebody')).toEqual(done)
  for (let count = 0; count < 10; count += 1) expect((await signUp('somebody'))[0]).toBe(409)
  expect(await signUp('somebody')).toEqual([429, '429 Too Many Requests\n'])
  server.clock.now += 31
  expect(await signUp('somebody else')).toEqual(done)
}, 120_000)

test('a series of tried names is throttled even with new accounts in between', async () => {
  expect(await signUp('known')).toEqual(done)
  const statuses: number[] = []
  for (let count = 0; count < 4; count += 1) {
    for (let probe = 0; probe < 3; probe += 1) statuses.push((await signUp('known'))[0])
    if (count < 3) expect(await signUp(`throw-away ${count}`)).toEqual(done)
  }
  expect(statuses).toEqual([...Array(10).fill(409), 429, 429])
}, 120_000)

test.each([
  ['of a user who was deleted', '/users', 'finance', 'users/finance'],
  ['that was put there', '/users', 'archive', 'users/archive'],
  ['beside the homes', '/', 'accounts', 'accounts'],
  ['that only looks empty', '/users', 'hidden', 'users/hidden/.git'],
])('a folder %s is not given to a new user', async (_whose, userHomeBasePath, username, folder) => {
  expect(await configure({ signup: true, createUserDir: true, userHomeBasePath, defaults: { perm } })).toBe(200)
  if (username === 'finance') {
    expect(await signUp(username)).toEqual(done)
    const former = (await userNamed(username))?.id
    const body = JSON.stringify({ current_password: password })
    expect(await statusOf(admin(`/api/users/${former}`, { method: 'DELETE', body }))).toBe(200)
  }
  server.put({ [`${folder}/salaries.csv`]: 'CANARY' })
  expect((await signUp(username))[0]).toBe(409)
  expect(await userNamed(username)).toBeUndefined()
  expect(server.file(`${folder}/salaries.csv`)).toBe('CANARY')
})

test('a symlink in place of a home counts as taken, and an empty folder does not', async () => {
  server.put({ 'elsewhere/salaries.csv': 'CANARY', 'users/empty/': '' })
  server.link('../elsewhere', 'users/linked')
  expect((await signUp('linked'))[0]).toBe(409)
  expect(await signUp('empty')).toEqual(done)
})

test('homes behind a symlink of the administrator are checked at its target', async () => {
  server.put({ 'volume/homes/old/salaries.csv': 'CANARY' })
  server.link('volume/homes', 'linked-homes')
  const wanted = { signup: true, createUserDir: true, userHomeBasePath: '/linked-homes', defaults: { perm } }
  expect(await configure(wanted)).toBe(200)
  expect((await signUp('old'))[0]).toBe(409)
  expect(await signUp('fresh')).toEqual(done)
  expect(existsSync(join(server.root, 'volume/homes/fresh'))).toBe(true)
})

test.each(['a\u0000b', 'a\nb', 'a\u001b[31m', 'a\u007f', 'a\u0085b', 'a\u2028b', '\u202egnp.exe', '\ud800'])(
  'the name %j with unprintable characters is refused',
  async (username) => {
    const before = await users()
    expect((await signUp(username))[0]).toBe(400)
    expect(await users()).toEqual(before)
  },
)

const dropUser = async (name: string) => {
  const body = JSON.stringify({ current_password: password })
  const { id = 0 } = (await userNamed(name)) ?? {}
  expect(await statusOf(admin(`/api/users/${id}`, { method: 'DELETE', body }))).toBe(200)
}

async function signedUpWithFile(name: string) {
  expect(await signUp(name)).toEqual(done)
  const ask = await server.as(name)
  expect(await statusOf(ask('/api/resources/diary.txt', { method: 'POST', body: 'CANARY' }))).toBe(200)
  return ask
}

test.each([
  ['its home has gone to the trash', '/users/past1'],
  ['what was in its home has gone to the trash', '/users/past2/diary.txt'],
])('a name of a removed account is refused while %s', async (_what, removed) => {
  const name = removed.split('/')[2] ?? ''
  await signedUpWithFile(name)
  await dropUser(name)
  expect(await statusOf(admin(`/api/resources${removed}`, { method: 'DELETE' }))).toBe(204)
  expect(await signUp(name)).toEqual([409, '409 Conflict\n'])
  expect(await userNamed(name)).toBeUndefined()
  await jobsOf(admin).run({ kind: 'purge' })
  expect(await signUp(name)).toEqual(done)
})

test('a name of a removed account is refused while the folder of all homes is in the trash', async () => {
  const ask = await signedUpWithFile('past3')
  expect(await statusOf(ask('/api/resources/diary.txt', { method: 'DELETE' }))).toBe(204)
  await dropUser('past3')
  expect(await statusOf(admin('/api/resources/users', { method: 'DELETE' }))).toBe(204)
  expect(await signUp('past3')).toEqual([409, '409 Conflict\n'])
  await jobsOf(admin).run({ kind: 'purge' })
  expect(await signUp('past3')).toEqual(done)
})

test('a name of a removed account is refused while a snapshot has its home', async () => {
  await signedUpWithFile('past4')
  await dropUser('past4')
  const snapshot = join(server.root, '.snapshots/@GMT-2020.01.01-12.00.00')
  mkdirSync(join(snapshot, 'users'), { recursive: true })
  renameSync(join(server.root, 'users/past4'), join(snapshot, 'users/past4'))
  // With other settings snapshots are looked for anew.
  await transaction(server.app.deps.db, 'serializable', async (trx) => {
    const history = JSON.stringify({ trash: 'on', versions: true, snapshotIsLocal: false })
    await trx.updateTable('mount').set({ history }).execute()
    await touchAccess(trx)
  })
  expect(await signUp('past4')).toEqual([409, '409 Conflict\n'])
  expect(await signUp('past5')).toEqual(done)
})

test('a name is refused whose folder would hold the home of another user, or be granted to others', async () => {
  await server.addUser('inner', { scope: '/users/nest/Inner' })
  rmSync(join(server.root, 'users/nest'), { recursive: true })
  for (const name of ['nest', 'Nest']) expect(await signUp(name)).toEqual([409, '409 Conflict\n'])
  const grant = { subject: 'everybody', mount: 1, folder: '/users/open/desk', rights: ['see'] }
  const { id } = await jsonIn<Grant>(admin('/api/grants', { method: 'POST', body: JSON.stringify(grant) }))
  expect(await signUp('open')).toEqual([409, '409 Conflict\n'])
  expect(existsSync(join(server.root, 'users/open'))).toBe(false)
  expect(await statusOf(admin(`/api/grants/${id}`, { method: 'DELETE' }))).toBe(204)
  for (const name of ['nes', 'open']) expect(await signUp(name)).toEqual(done)
})
