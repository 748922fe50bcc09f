import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '../src/log/log.ts'
import { claimsIn, headerOf } from './jwt.ts'
import { password, startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice', {
  scope: '/home/alice',
  rules: [{ regex: false, allow: false, path: '/x', regexp: null }],
})
await server.addUser('admin', { isAdmin: true })
afterAll(() => server.stop())

const signIn = (username: string, secret: string) =>
  server.ask('/api/login', { method: 'POST', body: JSON.stringify({ username, password: secret }) })

const statusWith = async (headers: Record<string, string>, path = '/api/resources/', method = 'GET') =>
  (await server.ask(path, { method, headers })).status

test('sign-in answers the bare token, with every claim that clients read and no secret', async () => {
  const response = await signIn('alice', password)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain')
  expect(response.headers.get('cache-control')).toContain('no-store')

  const token = await response.text()
  expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  expect(headerOf(token)).toEqual({ alg: 'HS256', typ: 'JWT' })
  expect(claimsIn(token)).toEqual({
    user: {
      id: 1,
      locale: 'en',
      viewMode: 'mosaic',
      singleClick: false,
      redirectAfterCopyMove: true,
      perm: {
        admin: false,
        execute: true,
        create: true,
        rename: true,
        modify: true,
        delete: true,
        share: true,
        download: true,
      },
      commands: [],
      lockPassword: false,
      hideDotfiles: false,
      dateFormat: false,
      username: 'alice',
      aceEditorTheme: '',
    },
    sid: expect.any(String),
    iss: 'File Browser',
    iat: server.clock.now,
    exp: server.clock.now + 7200,
  })
})

test('a wrong password and an unknown user get the same answer', async () => {
  const answers = await Promise.all(
    [
      ['alice', 'wrong horse battery'],
      ['alice', ''],
      ['ALICE', password],
      ['nobody', password],
      ['', ''],
    ].map(async ([name = '', secret = '']) => {
      const response = await signIn(name, secret)
      return [response.status, await response.text(), response.headers.get('set-cookie')]
    }),
  )
  for (const answer of answers) expect(answer).toEqual([403, '403 Forbidden\n', null])
})

test.each([{}, { username: 'alice' }, { password }])('a sign-in with %j alone is a wrong one', async (body) => {
  const response = await server.ask('/api/login', { method: 'POST', body: JSON.stringify(body) })
  expect([response.status, await response.text()]).toEqual([403, '403 Forbidden\n'])
})

test('the fail2ban filter of the manual matches wrong passwords and nothing else', async () => {
  const alice = await server.as('alice')
  server.put({ 'home/alice/shared.txt': 'shared' })
  const body = JSON.stringify({ password: 'open sesame', expires: '', unit: 'hours' })
  const { hash } = (await (await alice('/api/share/shared.txt', { method: 'POST', body })).json()) as { hash: string }
  const link = (headers: Record<string, string>) => server.ask(`/api/public/share/${hash}`, { headers })
  const before = server.logged.length
  const attempts: [isWrong: boolean, attempt: () => Promise<Response>][] = [
    [true, () => signIn('alice', 'wrong horse battery')],
    [true, () => signIn('nobody', 'wrong horse battery')],
    [true, () => link({ 'x-share-password': 'wrong' })],
    [false, () => link({})],
    [false, () => server.ask('/api/resources/')],
    [false, () => alice('/api/users')],
    [
      false,
      () => server.ask('/api/login","address":"6.6.6.6","status":403,"msg":"Wrong credentials"', { method: 'POST' }),
    ],
    [
      false,
      () =>
        server.ask('/api/login', { method: 'POST', body: '{', headers: { 'user-agent': '"msg":"Wrong credentials"' } }),
    ],
  ]
  for (const [, attempt] of attempts) expect((await attempt()).ok).toBe(false)
  const entries = server.logged.slice(before) as [Record<string, unknown>, string][]
  expect(entries).toHaveLength(attempts.length)
  const file = join(server.root, '../lines.log')
  const log = createLog(file)
  for (const entry of entries) log.warn(...entry)
  log.warn({ ...entries[0]?.[0], status: 429 }, 'Too many wrong passwords')
  await log.flush()
  const manual = readFileSync(join(import.meta.dir, '../../docs/operating/signing-in.md'), 'utf8')
  const [, filter = ''] = /^failregex = (.*)$/m.exec(manual) ?? []
  const isFound = new RegExp(filter.replace('<HOST>', '([\\w.:]+)'))
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  expect(lines.map((line) => isFound.exec(line)?.[1])).toEqual([
    ...attempts.map(([isWrong]) => (isWrong ? '127.0.0.1' : undefined)),
    '127.0.0.1',
  ])
})

test('the cookie is HttpOnly and SameSite, and without Secure over http', async () => {
  const response = await signIn('alice', password)
  const cookie = response.headers.get('set-cookie') ?? ''
  const attributes = cookie.split('; ')
  expect(attributes[0]).toBe(`auth=${await response.text()}`)
  expect(attributes.slice(1).sort()).toEqual(['HttpOnly', 'Max-Age=7200', 'Path=/', 'SameSite=Strict'])
})

test('the cookie authorises reads and no changes', async () => {
  server.put({ 'home/alice/kept.txt': 'kept' })
  const cookie = `auth=${await server.signIn('alice')}`
  for (const method of ['GET', 'HEAD']) expect(await statusWith({ cookie }, '/api/raw/kept.txt', method)).toBe(200)
  expect(await statusWith({ cookie: `theme=dark; ${cookie}; other=1` })).toBe(200)
  expect(await statusWith({ cookie }, '/api/renew')).toBe(200)

  for (const [method, path] of [
    ['POST', '/api/renew'],
    ['POST', '/api/logout'],
    ['POST', '/api/resources/new.txt'],
    ['PUT', '/api/resources/kept.txt'],
    ['PATCH', '/api/resources/kept.txt?action=rename&destination=%2Fgone.txt'],
    ['DELETE', '/api/resources/kept.txt'],
    ['DELETE', '/api/sessions'],
  ] as const)
    expect([path, await statusWith({ cookie }, path, method)]).toEqual([path, 401])
  expect(server.file('home/alice/kept.txt')).toBe('kept')
})

test('a header that is no token gives way to the cookie, one that looks like a token does not', async () => {
  const cookie = `auth=${await server.signIn('alice')}`
  for (const junk of ['', 'junk', 'undefined', 'a.b', 'a.b.c.d'])
    expect(await statusWith({ cookie, 'x-auth': junk })).toBe(200)
  expect(await statusWith({ cookie, 'x-auth': 'a.b.c' })).toBe(401)
})

test('a token is read from no other place', async () => {
  const token = await server.signIn('alice')
  expect(await statusWith({ 'x-auth': token })).toBe(200)
  expect(await statusWith({}, `/api/resources/?auth=${token}`)).toBe(401)
  expect(await statusWith({}, `/api/raw/kept.txt?auth=${token}&token=${token}`)).toBe(401)
  for (const headers of [
    { authorization: `Bearer ${token}` },
    { authorization: token },
    { cookie: `jwt=${token}` },
    { cookie: `xauth=${token}` },
    { 'x-auth': `Bearer ${token}` },
  ] as Record<string, string>[])
    expect(await statusWith(headers)).toBe(401)
})

test('renewal keeps the session, and the old token is valid until its own expiry', async () => {
  const old = await server.signIn('alice')
  server.clock.now += 100
  const response = await server.ask('/api/renew', { method: 'POST', headers: { 'x-auth': old } })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-renew-token')).toBe('false')
  const renewed = await response.text()
  expect(response.headers.get('set-cookie')).toStartWith(`auth=${renewed};`)
  expect(claimsIn(renewed)).toMatchObject({ sid: claimsIn(old).sid, iat: server.clock.now })

  for (const token of [old, renewed]) expect(await statusWith({ 'x-auth': token })).toBe(200)
  server.clock.now += 7200 - 100
  expect(await statusWith({ 'x-auth': old })).toBe(401)
  expect(await statusWith({ 'x-auth': renewed })).toBe(200)
})

test('a token ends with the second of its expiry', async () => {
  const token = await server.signIn('alice')
  server.clock.now += 7199
  expect(await statusWith({ 'x-auth': token })).toBe(200)
  server.clock.now += 1
  expect(await statusWith({ 'x-auth': token })).toBe(401)
  expect(await statusWith({ 'x-auth': token }, '/api/renew')).toBe(401)
})

test('renewal is asked for in the last hour and not before', async () => {
  const alice = await server.as('alice')
  expect((await alice('/api/resources/')).headers.get('x-renew-token')).toBeNull()
  server.clock.now += 3600
  expect((await alice('/api/resources/')).headers.get('x-renew-token')).toBeNull()
  server.clock.now += 1
  expect((await alice('/api/resources/')).headers.get('x-renew-token')).toBe('true')
  expect((await alice('/api/raw/kept.txt')).headers.get('x-renew-token')).toBe('true')
  expect((await alice('/api/renew')).headers.get('x-renew-token')).toBe('false')
})

test('a refusal for a known user asks for renewal of the token too', async () => {
  const alice = await server.as('alice')
  server.clock.now += 3601
  const missing = await alice('/api/resources/missing.txt')
  expect([missing.status, missing.headers.get('x-renew-token')]).toEqual([404, 'true'])
  const stranger = await server.ask('/api/resources/')
  expect([stranger.status, stranger.headers.get('x-renew-token')]).toEqual([401, null])
})

test('a change of the user asks for renewal, and the new token carries the change', async () => {
  const alice = await server.as('alice')
  const admin = await server.as('admin')
  server.clock.now += 1
  const body = JSON.stringify({ what: 'user', which: ['locale'], data: { id: 1, locale: 'fr' } })
  expect((await admin('/api/users/1', { method: 'PUT', body })).status).toBe(200)

  expect((await alice('/api/resources/')).headers.get('x-renew-token')).toBe('true')
  expect((await admin('/api/resources/')).headers.get('x-renew-token')).toBeNull()
  const renewed = await (await alice('/api/renew')).text()
  expect(claimsIn(renewed)).toMatchObject({ user: { locale: 'fr' } })
  const after = await server.ask('/api/resources/', { headers: { 'x-auth': renewed } })
  expect(after.headers.get('x-renew-token')).toBeNull()
})

test('the lifetime of a token is an option of the server', async () => {
  const short = await startServer({ tokenExpirationTime: '1m30s' })
  try {
    await short.addUser('bob')
    const response = await short.ask('/api/login', {
      method: 'POST',
      body: JSON.stringify({ username: 'bob', password }),
    })
    expect(response.headers.get('set-cookie')).toContain('Max-Age=90;')
    const token = await response.text()
    expect(claimsIn(token).exp).toBe(short.clock.now + 90)
    short.clock.now += 90
    expect((await short.ask('/api/resources/', { headers: { 'x-auth': token } })).status).toBe(401)
  } finally {
    await short.stop()
  }
})

test('a sign-in deletes sessions that expired a month ago, and looks for them at most once an hour', async () => {
  await using other = await startServer()
  await other.addUser('alice')
  const ids = async () => {
    const rows = await other.app.deps.db.selectFrom('session').select('id').execute()
    return rows.map(({ id }) => id)
  }
  await other.signIn('alice')
  const [first] = await ids()
  const month = 31 * 86_400
  other.clock.now += month
  await other.signIn('alice')
  expect(await ids()).not.toContain(first ?? '')
  const [second] = await ids()
  await other.app.deps.db.updateTable('session').set({ expires_at: 1 }).execute()
  other.clock.now += 3599
  await other.signIn('alice')
  expect(await ids()).toContain(second ?? '')
  other.clock.now += 1
  await other.signIn('alice')
  expect(await ids()).not.toContain(second ?? '')
})
