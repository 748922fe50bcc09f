import { afterAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionInfo, User } from '@filestead/contract'
import { draftPrefix } from '../src/storage/path.ts'
import { jsonIn } from './answers.ts'
import { headOf, type Line, openLine } from './line.ts'
import { until } from './process.ts'
import { type Ask, password, startServer } from './server.ts'
import { pieceType, tusOf } from './tus.ts'

const server = await startServer()
const names = ['alice', 'bob', 'carol', 'dave'] as const
for (const name of names) await server.addUser(name)
await server.addUser('admin', { isAdmin: true })
afterAll(() => server.stop())

const idOf = (name: string) => [...names, 'admin'].indexOf(name) + 1
const listOf = (ask: Ask) => jsonIn<SessionInfo[]>(ask('/api/sessions'))
const works = async (ask: Ask) => (await ask('/api/resources/')).status
const changePassword = (ask: Ask, id: number, wanted: string, own = password) => {
  const body = { what: 'user', which: ['password'], current_password: own, data: { id, password: wanted } }
  return ask(`/api/users/${id}`, { method: 'PUT', body: JSON.stringify(body) })
}

test('signing out ends the session at once and clears the cookie', async () => {
  const token = await server.signIn('alice')
  const other = await server.as('alice')
  const alice: Ask = (path, init) => server.ask(path, { ...init, headers: { 'x-auth': token } })
  const renewed = await (await alice('/api/renew')).text()

  const response = await alice('/api/logout', { method: 'POST' })
  expect(response.status).toBe(200)
  expect(response.headers.get('set-cookie')).toBe('auth=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict')

  expect(await works(alice)).toBe(401)
  expect((await alice('/api/renew')).status).toBe(401)
  expect(await works((path) => server.ask(path, { headers: { 'x-auth': renewed } }))).toBe(401)
  expect(await works((path) => server.ask(path, { headers: { cookie: `auth=${token}` } }))).toBe(401)
  expect(await works(other)).toBe(200)
})

test('a running sign-in with the old password is refused when the password changes', async () => {
  const carol = await server.as('carol')
  const tokens: string[] = []
  const tryOld = async () => {
    const body = JSON.stringify({ username: 'carol', password })
    const response = await server.ask('/api/login', { method: 'POST', body })
    if (response.status === 200) tokens.push(await response.text())
  }
  let isChanged = false
  const changing = changePassword(carol, idOf('carol'), 'a better horse battery').then(({ status }) => {
    isChanged = true
    return status
  })
  const waves: Promise<void>[] = []
  for (let wave = 0; wave < 8 && !isChanged; wave += 1) {
    waves.push(tryOld())
    await Bun.sleep(20)
  }
  expect(await changing).toBe(200)
  await Promise.all(waves)
  for (const token of tokens)
    expect(await works((path) => server.ask(path, { headers: { 'x-auth': token } }))).toBe(401)
  expect((await changePassword(carol, idOf('carol'), password, 'a better horse battery')).status).toBe(200)
})

test('a change of the password ends all other sessions of the user', async () => {
  const [here, there] = [await server.as('bob'), await server.as('bob')]
  const admin = await server.as('admin')
  expect((await changePassword(here, idOf('bob'), 'a better horse battery')).status).toBe(200)
  expect([await works(here), await works(there), await works(admin)]).toEqual([200, 401, 200])

  const signIn = (secret: string) =>
    server.ask('/api/login', { method: 'POST', body: JSON.stringify({ username: 'bob', password: secret }) })
  expect((await signIn(password)).status).toBe(403)
  expect((await signIn('a better horse battery')).status).toBe(200)
})

test('a password that an administrator sets ends every session of the user', async () => {
  const [one, two] = [await server.as('carol'), await server.as('carol')]
  const admin = await server.as('admin')
  expect((await changePassword(admin, idOf('carol'), 'a better horse battery')).status).toBe(200)
  expect([await works(one), await works(two), await works(admin)]).toEqual([401, 401, 200])
})

test('a refused change of the password ends no session', async () => {
  const [here, there] = [await server.as('alice'), await server.as('alice')]
  expect((await changePassword(here, idOf('alice'), 'short')).status).toBe(400)
  expect((await changePassword(here, idOf('alice'), 'a better horse battery', 'not mine')).status).toBe(400)
  expect([await works(here), await works(there)]).toEqual([200, 200])
})

test('tokens of a deleted user are refused', async () => {
  const dave = await server.as('dave')
  const admin = await server.as('admin')
  const body = JSON.stringify({ current_password: password })
  expect((await admin(`/api/users/${idOf('dave')}`, { method: 'DELETE', body })).status).toBe(200)
  const refused = await dave('/api/resources/')
  expect([refused.status, await refused.text()]).toEqual([401, '401 Unauthorized\n'])
})

test('a removed permission applies to the next request of an old token', async () => {
  await server.addUser('eve')
  server.put({ 'eve.txt': 'kept' })
  const eve = await server.as('eve')
  const admin = await server.as('admin')
  const id = (await jsonIn<User[]>(admin('/api/users'))).find(({ username }) => username === 'eve')?.id
  const data = { id, perm: { download: true } }
  const body = JSON.stringify({ what: 'user', which: ['perm'], current_password: password, data })
  expect((await admin(`/api/users/${id}`, { method: 'PUT', body })).status).toBe(200)
  expect((await eve('/api/resources/eve.txt', { method: 'DELETE' })).status).toBe(403)
  expect(server.file('eve.txt')).toBe('kept')
})

test('the list of sessions shows address and client of each', async () => {
  await server.addUser('frank')
  const login = async (agent: string) => {
    const body = JSON.stringify({ username: 'frank', password })
    return (await server.ask('/api/login', { method: 'POST', body, headers: { 'user-agent': agent } })).text()
  }
  const [laptop, phone] = [await login('laptop'), await login('p'.repeat(2000))]
  const created = server.clock.now
  server.clock.now += 100
  const list = () => server.ask('/api/sessions', { headers: { 'x-auth': laptop } })
  let sessions: SessionInfo[] = []
  // The use is noted while the first one is answered.
  await until(async () => {
    sessions = await jsonIn(list())
    return sessions.find(({ current }) => current)?.lastUsed === server.clock.now
  })
  expect(sessions).toEqual([
    {
      id: expect.any(String),
      created,
      lastUsed: server.clock.now,
      address: '127.0.0.1',
      userAgent: 'laptop',
      current: true,
    },
    {
      id: expect.any(String),
      created,
      lastUsed: created,
      address: '127.0.0.1',
      userAgent: 'p'.repeat(512),
      current: false,
    },
  ])
  expect(phone).not.toBe(laptop)
})

test('one session or all others can be ended', async () => {
  await server.addUser('grace')
  const sessionOf = async (ask: Ask) => (await listOf(ask)).find(({ current }) => current)?.id
  const [one, two, three] = [await server.as('grace'), await server.as('grace'), await server.as('grace')]

  expect((await one(`/api/sessions/${await sessionOf(two)}`, { method: 'DELETE' })).status).toBe(200)
  expect([await works(one), await works(two), await works(three)]).toEqual([200, 401, 200])
  const other = await server.as('alice')
  expect((await one('/api/sessions', { method: 'DELETE' })).status).toBe(200)
  expect([await works(one), await works(three), await works(other)]).toEqual([200, 401, 200])
  expect((await one(`/api/sessions/${await sessionOf(one)}`, { method: 'DELETE' })).status).toBe(200)
  expect(await works(one)).toBe(401)
})

test('a session of another user cannot be ended, even by an administrator', async () => {
  const alice = await server.as('alice')
  const [id = ''] = (await listOf(alice)).map((session) => session.id)
  for (const name of ['admin', 'eve']) {
    const other = await server.as(name)
    expect((await other(`/api/sessions/${id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await listOf(other)).map((session) => session.id)).not.toContain(id)
  }
  for (const odd of ['none', '%2F', "'%20or%201=1", '%00'])
    expect((await alice(`/api/sessions/${odd}`, { method: 'DELETE' })).status).toBe(404)
  expect(await works(alice)).toBe(200)
})

/** Bodies of 100,000 bytes whose last byte is missing, in every way in which a file can be sent. */
async function beginSlowly(token: string, name: string): Promise<Line[]> {
  const content = 'x'.repeat(99_999)
  const ask: Ask = (path, init) => server.ask(path, { ...init, headers: { 'x-auth': token, ...init?.headers } })
  server.put({ [`${name}/saved`]: 'as it was', [`${name}/over`]: 'as it was' })
  await tusOf(ask).create(`/${name}/appended`, 100_000)
  const bytes = { 'x-auth': token, 'content-length': 100_000, 'content-type': pieceType }
  const head = `${JSON.stringify({ path: `/${name}/batch`, length: 100_000 })}\n`
  const requests: [head: string, body: string][] = [
    [headOf('POST', `/api/resources/${name}/created`, bytes), content],
    [headOf('POST', `/api/resources/${name}/over?override=true`, bytes), content],
    [headOf('PUT', `/api/resources/${name}/saved`, bytes), content],
    [headOf('PATCH', `/api/tus/${name}/appended`, { ...bytes, 'upload-offset': 0 }), content],
    [headOf('POST', `/api/tus/${name}/begun`, { ...bytes, 'upload-length': 100_000 }), content],
    [headOf('POST', '/api/uploads', { 'x-auth': token, 'content-length': 100_000 + head.length }), head + content],
  ]
  return Promise.all(
    requests.map(async ([head, body]) => {
      const line = await openLine(server.url)
      await line.send(head + body)
      return line
    }),
  )
}

const deleteUser = (admin: Ask, id: number) =>
  admin(`/api/users/${id}`, { method: 'DELETE', body: JSON.stringify({ current_password: password }) })

function takePermissions(admin: Ask, id: number, perm: Record<string, boolean>): Promise<Response> {
  const body = JSON.stringify({ what: 'user', which: ['perm'], current_password: password, data: { id, perm } })
  return admin(`/api/users/${id}`, { method: 'PUT', body })
}

test.each<[what: string, revoke: (admin: Ask, id: number, token: string) => Promise<Response>]>([
  ['the account is gone', deleteUser],
  ['the permissions are gone', (admin, id) => takePermissions(admin, id, { download: true })],
  [
    'the sender has signed out',
    (_, __, token) => server.ask('/api/logout', { method: 'POST', headers: { 'x-auth': token } }),
  ],
])(
  'no file is made of what a slow sender ends after %s',
  async (what, revoke) => {
    const name = what.replaceAll(' ', '-')
    await server.addUser(name)
    const [admin, token] = [await server.as('admin'), await server.signIn(name)]
    const id = (await jsonIn<User[]>(admin('/api/users'))).find(({ username }) => username === name)?.id ?? 0
    const lines = await beginSlowly(token, name)
    expect((await revoke(admin, id, token)).status).toBe(200)
    // What was known a second ago counts.
    await Bun.sleep(1100)
    for (const line of lines) await line.send('x')
    const statuses = await Promise.all(lines.map(({ status }) => status))
    // A batch tells of each of its files.
    expect(statuses.slice(0, -1).every((status) => status === 401 || status === 403)).toBe(true)
    for (const line of lines) line.close()
    const shown = readdirSync(join(server.root, name)).filter((each) => !each.startsWith(draftPrefix))
    expect(shown.sort().join()).toBe('over,saved')
    expect([server.file(`${name}/over`), server.file(`${name}/saved`)]).toEqual(['as it was', 'as it was'])
  },
  60_000,
)

test('a slow sender whose rights stay makes its files, though its token has expired', async () => {
  await server.addUser('slow')
  const lines = await beginSlowly(await server.signIn('slow'), 'slow')
  await Bun.sleep(1100)
  server.clock.now += 7300
  for (const line of lines) await line.send('x')
  expect(await Promise.all(lines.map(({ status }) => status))).toEqual([200, 200, 200, 204, 201, 200])
  for (const line of lines) line.close()
  expect(readdirSync(join(server.root, 'slow')).sort().join()).toBe('appended,batch,begun,created,over,saved')
})

test.each(['the account', 'the permission', 'the link'])(
  'a slow reader of an archive is sent nothing of the next file after %s is gone',
  async (what) => {
    const name = `reader-of-${what.replaceAll(' ', '-')}`
    await server.addUser(name)
    const [admin, token] = [await server.as('admin'), await server.signIn(name)]
    const id = (await jsonIn<User[]>(admin('/api/users'))).find(({ username }) => username === name)?.id ?? 0
    server.put({ [`${name}/first`]: Buffer.alloc(64 << 20), [`${name}/second`]: 'the secret' })
    const shared = await admin(`/api/share/${name}`, { method: 'POST', body: '{}' })
    const { hash } = await jsonIn<{ hash: string }>(Promise.resolve(shared))
    const path = what === 'the link' ? `/api/public/dl/${hash}` : `/api/raw/${name}`
    const line = await openLine(server.url)
    const headers: Record<string, string> = what === 'the link' ? {} : { 'x-auth': token }
    await line.send(headOf('GET', `${path}?algo=tar`, { ...headers, connection: 'close' }))
    expect(await line.status).toBe(200)
    line.socket.pause()
    const gone: Record<string, () => Promise<Response>> = {
      'the account': () => deleteUser(admin, id),
      'the permission': () => takePermissions(admin, id, { download: false }),
      'the link': () => admin(`/api/share/${hash}`, { method: 'DELETE' }),
    }
    expect((await gone[what]?.())?.ok).toBe(true)
    // What was known a second ago counts.
    await Bun.sleep(1100)
    line.socket.resume()
    expect((await line.received).includes('the secret')).toBe(false)
  },
  60_000,
)

test('a slow reader whose rights stay is sent the whole archive', async () => {
  await server.addUser('reader')
  server.put({ 'reader/first': Buffer.alloc(64 << 20), 'reader/second': 'the secret' })
  const line = await openLine(server.url)
  const headers = { 'x-auth': await server.signIn('reader'), connection: 'close' }
  await line.send(headOf('GET', '/api/raw/reader?algo=tar', headers))
  expect(await line.status).toBe(200)
  line.socket.pause()
  await Bun.sleep(1100)
  line.socket.resume()
  expect((await line.received).includes('the secret')).toBe(true)
}, 60_000)
