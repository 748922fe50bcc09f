import { afterAll, expect, test } from 'bun:test'
import { saveDocument } from '../src/settings/store.ts'
import { password, startServer } from './server.ts'
import { sendRaw } from './socket.ts'

const server = await startServer()
await server.addUser('alice')
const token = await server.signIn('alice')
server.put({ 'a.txt': 'a' })
afterAll(() => server.stop())

const foreign = { origin: 'https://evil.example', 'access-control-request-method': 'PUT' }
const login = JSON.stringify({ username: 'alice', password })

test.each([
  ['GET', '/', {}],
  ['GET', '/health', {}],
  ['GET', '/api/resources/', { 'x-auth': token }],
  ['GET', '/api/raw/a.txt', { 'x-auth': token }],
  ['GET', '/api/raw/a.txt', { cookie: `auth=${token}` }],
  ['GET', '/api/raw/none', { 'x-auth': token }],
  ['GET', '/api/resources/', {}],
  ['OPTIONS', '/api/resources/', {}],
  ['OPTIONS', '/api/login', {}],
  ['POST', '/api/login', {}],
] as [string, string, Record<string, string>][])(
  '%s %s shares nothing with other origins',
  async (method, path, headers) => {
    const body = method === 'POST' ? login : null
    const response = await server.ask(path, { method, body, headers: { ...headers, ...foreign } })
    const shared = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
    expect(shared).toEqual([])
    if (method === 'OPTIONS') expect(response.status).toBe(405)
    await response.arrayBuffer()
  },
)

const strangers: Record<string, string>[] = [
  { origin: 'https://evil.example', 'content-type': 'text/plain' },
  { origin: 'https://evil.example', 'content-type': 'application/json' },
  { origin: 'null' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site' },
]

test.each(strangers)('sign-in, sign-up and sign-out are refused for a page with %j', async (headers) => {
  for (const path of ['/api/login', '/api/signup', '/api/renew', '/api/logout']) {
    const answer = await server.ask(path, { method: 'POST', body: login, headers: { 'x-auth': token, ...headers } })
    expect([path, answer.status, answer.headers.get('set-cookie')]).toEqual([path, 403, null])
  }
  const renewed = await server.ask('/api/renew', { headers: { cookie: `auth=${token}`, ...headers } })
  expect([renewed.status, renewed.headers.get('set-cookie')]).toEqual([403, null])
  expect((await server.ask('/api/resources/', { headers: { 'x-auth': token } })).status).toBe(200)
})

test('the own page and programs without an origin sign in', async () => {
  const own: Record<string, string>[] = [
    {},
    { origin: server.url },
    { origin: server.url, 'sec-fetch-site': 'same-origin' },
    // Behind a proxy that asks under another name.
    { origin: 'https://files.example.org', 'sec-fetch-site': 'same-origin' },
    { origin: 'https://files.example.org', 'x-forwarded-host': 'files.example.org' },
  ]
  for (const headers of own)
    expect([headers, (await server.ask('/api/login', { method: 'POST', body: login, headers })).status]).toEqual([
      headers,
      200,
    ])
})

test('the cookies of two users in one request are both ignored', async () => {
  await server.addUser('mallory', { scope: '/mallory' })
  const [own, again, foreign] = await Promise.all(['alice', 'alice', 'mallory'].map((name) => server.signIn(name)))
  const status = async (cookie: string) => (await server.ask('/api/raw/a.txt', { headers: { cookie } })).status
  expect(await status(`auth=${foreign}; auth=${own}`)).toBe(401)
  expect(await status(`auth=${own}; auth=${foreign}`)).toBe(401)
  expect(await status(`auth=${own}; auth=${again}`)).toBe(200)
  expect(await status(`auth=a.b.c; auth=${own}`)).toBe(200)
  expect(await status(`auth=${foreign}; __Host-auth=${own}`)).toBe(200)
  expect(await status(`__Host-auth=a.b.c; auth=${own}`)).toBe(401)
  // The server checks only the first few cookies.
  expect(await status(`${'auth=a.b.c; '.repeat(4)}auth=${own}`)).toBe(401)
})

test('over TLS the cookie has a second name that no other host can set, and both end together', async () => {
  const secure = await startServer({ trustedProxies: '127.0.0.1' })
  try {
    await secure.addUser('alice')
    const headers = { 'x-forwarded-proto': 'https' }
    const signedIn = await secure.ask('/api/login', { method: 'POST', body: login, headers })
    const fresh = await signedIn.text()
    const attributes = 'Path=/; Max-Age=7200; HttpOnly; SameSite=Strict; Secure'
    expect(signedIn.headers.getSetCookie()).toEqual([
      `auth=${fresh}; ${attributes}`,
      `__Host-auth=${fresh}; ${attributes}`,
    ])
    const out = await secure.ask('/api/logout', { method: 'POST', headers: { ...headers, 'x-auth': fresh } })
    expect(out.headers.getSetCookie().map((cookie) => cookie.split(';')[0])).toEqual(['auth=', '__Host-auth='])
    const plain = await secure.ask('/api/login', {
      method: 'POST',
      body: login,
      headers: { cookie: `__Host-auth=${fresh}` },
    })
    expect(plain.headers.getSetCookie()[1]).toStartWith('__Host-auth=; Path=/; Max-Age=0;')
  } finally {
    await secure.stop()
  }
})

test('with noauth, a foreign host name that resolves to this machine is refused', async () => {
  const open = await startServer({ settings: { authMethod: 'noauth' }, allowedHosts: '' })
  try {
    await open.addUser('first')
    open.put({ 'private.txt': 'private' })
    const entered = await open.ask('/api/login', { method: 'POST', body: '{}' })
    expect(entered.status).toBe(200)
    const headers = { host: 'evil.example', 'x-auth': await entered.text() }
    for (const [method, path] of [
      ['POST', '/api/login'],
      ['GET', '/api/raw/private.txt'],
      ['GET', '/'],
    ] as const)
      expect([path, (await sendRaw(open.url, method, path, headers)).status]).toEqual([path, 400])
    expect((await sendRaw(open.url, 'GET', '/health', { host: 'localhost' })).status).toBe(200)
  } finally {
    await open.stop()
  }
})

test('a foreign host name is refused as soon as sign-in is switched off', async () => {
  const open = await startServer()
  try {
    await open.addUser('first')
    const { value } = await open.app.deps.db
      .selectFrom('setting')
      .select('value')
      .where('name', '=', 'settings')
      .executeTakeFirstOrThrow()
    await saveDocument(open.app.deps.db, 'settings', { ...JSON.parse(value), authMethod: 'noauth' })
    expect((await sendRaw(open.url, 'POST', '/api/login', { host: 'evil.example' })).status).toBe(400)
  } finally {
    await open.stop()
  }
})

test('a list of allowed hosts applies beside the address of this machine', async () => {
  const named = await startServer({ allowedHosts: 'files.example.org' })
  try {
    const status = async (host: string) => (await sendRaw(named.url, 'GET', '/', { host })).status
    expect([await status('files.example.org'), await status('127.0.0.1'), await status('other')]).toEqual([
      200, 200, 400,
    ])
  } finally {
    await named.stop()
  }
})
