import { afterAll, afterEach, expect, test } from 'bun:test'
import { failureCodes } from '@filestead/contract'
import { type Ask, password, startServer } from './server.ts'
import { sendRaw } from './socket.ts'

const server = await startServer({ settings: { signup: true } })
await server.addUser('admin', { isAdmin: true })
const token = await server.signIn('admin')
const admin = await server.as('admin')
server.put({ 'a.txt': 'a', 'box/in.txt': 'in' })
afterAll(() => server.stop())

afterEach(async () => {
  expect((await server.ask('/health')).status).toBe(200)
  expect(server.file('a.txt')).toBe('a')
  expect(server.logged.filter((entry) => JSON.stringify(entry).includes('Unexpected'))).toEqual([])
})

/** A refusal is a 4xx that says so in text, or in JSON where that is accepted, and names no place on the disk. */
async function expectRefusal(ask: Ask, path: string, init: RequestInit, what: string): Promise<void> {
  const plain = await ask(path, init)
  const text = await plain.text()
  expect([what, plain.status >= 400 && plain.status < 500, plain.status]).toEqual([what, true, plain.status])
  expect(text).toMatch(new RegExp(`^${plain.status} [A-Z][\\w ]+( \\([^\\n]+\\))?\\n$`))
  const detailed = await ask(path, { ...init, headers: { ...init.headers, accept: 'application/json' } })
  const problem = (await detailed.json()) as { code: string; message: string }
  expect([detailed.status, detailed.headers.get('content-type')]).toEqual([plain.status, 'application/json'])
  expect(Object.keys(problem)).toEqual(['code', 'message'])
  expect(failureCodes as readonly string[]).toContain(problem.code)
  expect(text + problem.message).not.toContain(server.root)
}

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const junkBodies: [string, string | Uint8Array][] = [
  ['nothing', ''],
  ['a brace', '{'],
  ['a half object', '{"username":"admin","password":'],
  ['null', 'null'],
  ['a number', '12'],
  ['a text', '"text"'],
  ['a list', '[]'],
  ['another notation', "{'username': 'admin'}"],
  ['a form', 'username=admin&password=x'],
  ['something after the end', '{} {}'],
  ['brackets in great depth', '['.repeat(200_000)],
  ['objects in great depth', `[${nested(100_000)}]`],
  ['bytes that are no text', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])],
  ['a NUL', '{"username":"a\0"}'],
]
const jsonDoors: [string, string][] = [
  ['POST', '/api/login'],
  ['POST', '/api/signup'],
  ['POST', '/api/users'],
  ['PUT', '/api/users/1'],
  ['DELETE', '/api/users/1'],
  ['PUT', '/api/settings'],
]

test.each(jsonDoors)('%s %s refuses a body that is not JSON', async (method, path) => {
  for (const [what, body] of junkBodies) await expectRefusal(admin, path, { method, body }, what)
})

test.each<[string, string, unknown[]]>([
  [
    'POST',
    '/api/login',
    [
      {},
      { username: 'admin' },
      { password: 'x' },
      { username: 1, password: 2 },
      { username: null, password: null },
      { username: ['admin'], password: ['x'] },
      { username: { $ne: '' }, password: { $ne: '' } },
      { username: 'a'.repeat(100_000), password: 'x' },
      { username: 'admin', password: 'x'.repeat(500_000) },
      { username: 'a\0b', password: 'a\0b' },
    ],
  ],
  [
    'POST',
    '/api/signup',
    [{}, { username: '', password: '' }, { username: 7, password: {} }, { username: 'x'.repeat(5000), password: 'y' }],
  ],
  [
    'POST',
    '/api/users',
    [
      {},
      { what: 'user' },
      { what: 'share', which: [], data: {} },
      { what: 'user', which: 'all', data: {} },
      { what: 'user', which: [], data: null },
      { what: 'user', which: [], data: [] },
      { what: 'user', which: [], current_password: 1, data: {} },
      { what: 'user', which: [], data: { id: -1 } },
      { what: 'user', which: [], data: { id: 1.5 } },
      { what: 'user', which: [], data: { username: 'x', perm: 'all' } },
      { what: 'user', which: [], data: { username: 'x', sorting: 'name' } },
      { what: 'user', which: [], data: { username: 'x', rules: [1] } },
      { what: 'user', which: [], data: { username: 'x', commands: 'ls' } },
    ],
  ],
  [
    'PUT',
    '/api/users/1',
    [
      { what: 'user', which: ['locale'] },
      { what: 'user', which: ['locale'], data: { id: 2 } },
      { what: 'user', which: ['locale'], data: { id: '1', locale: 'en' } },
      { what: 'user', which: [null], data: { id: 1 } },
      { what: 'user', which: ['__proto__'], data: { id: 1 } },
      { what: 'user', which: ['id'], data: { id: 1 } },
    ],
  ],
  [
    'PUT',
    '/api/settings',
    [
      { signup: 'yes' },
      { minimumPasswordLength: -1 },
      { minimumPasswordLength: 1.5 },
      { minimumPasswordLength: 1e300 },
      { tus: { chunkSize: -5 } },
      { tus: { chunkSize: 1e300 } },
      { tus: { retryCount: 65_536 } },
      { branding: { theme: 'blue' } },
      { branding: [] },
      { rules: {} },
      { shell: 'sh' },
      { commands: [] },
      { authMethod: 'none at all' },
    ],
  ],
])('%s %s refuses values of the wrong type', async (method, path, bodies) => {
  for (const body of bodies) {
    const text = JSON.stringify(body)
    await expectRefusal(admin, path, { method, body: text }, text.slice(0, 200))
  }
})

test('a field that is null counts as left out', async () => {
  for (const [method, path, body] of [
    ['POST', '/api/login', { username: 'admin', password, recaptcha: null }],
    ['POST', '/api/share/a.txt', { password: null, expires: null, unit: null }],
    [
      'PUT',
      '/api/users/1',
      { what: 'user', which: ['locale'], current_password: null, data: { id: 1, locale: 'en', sorting: null } },
    ],
  ] as const) {
    const response = await admin(path, { method, body: JSON.stringify(body) })
    expect([path, response.status]).toEqual([path, 200])
  }
})

test.each<[string, string, string | null, string]>([
  ['PUT', '/api/users/1', '{"what":"group","which":[],"data":{"id":1}}', 'invalid data type'],
  ['PATCH', '/api/resources/a.txt?action=fly&destination=%2Fb', null, 'unsupported action fly: invalid request params'],
  [
    ...(['PATCH', '/api/resources/a.txt?action=copy&destination=%2F50%25', null] as const),
    'the destination is not valid percent-encoded UTF-8; it is decoded twice, so % is %2525',
  ],
])('%s %s is refused with the message that File Browser clients show', async (method, path, body, reason) => {
  expect(await (await admin(path, { method, body })).text()).toBe(`400 Bad Request (${reason})\n`)
})

test('numbers out of range are refused', async () => {
  for (const number of ['1e999', '-1e999', '99999999999999999999999', '-0.5']) {
    const body = `{"what":"user","which":["locale"],"data":{"id":${number},"locale":"en"}}`
    await expectRefusal(admin, '/api/users/1', { method: 'PUT', body }, number)
    const settings = `{"minimumPasswordLength":${number}}`
    await expectRefusal(admin, '/api/settings', { method: 'PUT', body: settings }, number)
  }
  for (const id of ['99999999999999999999', '9007199254740993', '00000000000000000000000000009'])
    await expectRefusal(admin, `/api/users/${id}`, {}, id)
})

test('a body over the limit is refused before it is read', async () => {
  const body = JSON.stringify({ username: 'admin', password: 'x'.repeat(3_000_000) })
  for (const [method, path] of jsonDoors) {
    const response = await admin(path, { method, body })
    expect([path, response.status, await response.text()]).toEqual([path, 413, '413 Payload Too Large\n'])
  }
})

test('somebody who is not known yet sends no more than a name and a password', async () => {
  const body = JSON.stringify(
    Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field${index}`, index])),
  )
  for (const path of ['/api/login', '/api/signup'])
    expect([path, (await server.ask(path, { method: 'POST', body })).status]).toEqual([path, 413])
})

const badPaths: [string, string][] = [
  ['a NUL', 'a%00b'],
  ['a NUL at the end', 'a.txt%00.png'],
  ['a lone percent sign', 'a%'],
  ['half an escape', 'a%2'],
  ['no escape at all', 'a%zz'],
  ['bytes that are no UTF-8', '%ff%fe'],
  ['half a character', '%c3'],
  ['an overlong slash', '%c0%af'],
  ['a surrogate', '%ed%a0%80'],
  ['a way up', 'box%2f..%2fa.txt'],
  ['5,000 characters', 'n'.repeat(5000)],
  ['5,000 folders', `${'d/'.repeat(2500)}x`],
]

test.each(badPaths)('a path with %s is refused by every route', async (what, path) => {
  for (const [method, address] of [
    ['GET', `/api/resources/${path}`],
    ['GET', `/api/resources/recursive/${path}`],
    ['GET', `/api/resources/${path}?recursive=true`],
    ['GET', `/api/raw/${path}`],
    ['GET', `/api/usage/${path}`],
    ['PUT', `/api/resources/${path}`],
    ['DELETE', `/api/resources/${path}`],
    ['PATCH', `/api/resources/${path}?action=copy&destination=%2Fx`],
  ] as const)
    await expectRefusal(
      admin,
      address,
      { method, body: method === 'PUT' ? 'x' : null },
      `${what}: ${method} ${address}`,
    )
  if (!path.startsWith('d/'))
    await expectRefusal(admin, `/api/resources/${path}`, { method: 'POST', body: 'x' }, `${what}: POST`)
  // Only the raw socket sends what no client would.
  const { status } = await sendRaw(server.url, 'GET', `/api/raw/${path}`, { 'x-auth': token })
  expect(status).toBeOneOf([400, 404])
})

test('a long, repeated or unknown query parameter does not break a request', async () => {
  for (const query of [
    'x'.repeat(8192),
    'a=1&'.repeat(2000),
    '=&&&==',
    '%',
    '%zz=%ff',
    'checksum[]=md5',
    'checksum=',
    '__proto__=1&constructor=2',
    'inline=true&inline=false',
    'recursive=true%00',
  ]) {
    const { status } = await admin(`/api/resources/a.txt?${query}`)
    expect([query.slice(0, 40), status]).toEqual([query.slice(0, 40), 200])
  }
  await expectRefusal(admin, '/api/resources/a.txt?checksum=%00', {}, 'checksum')
  for (const query of ['action=copy&destination=%00', 'action=copy&destination=%25ff', 'action=%ff&destination=x'])
    await expectRefusal(admin, `/api/resources/a.txt?${query}`, { method: 'PATCH' }, query)
})

test('long, repeated or malformed headers do not break a request', async () => {
  const odd: Record<string, string>[] = [
    { range: `bytes=${'0-1,'.repeat(1500)}2-3` },
    { range: 'bytes=99999999999999999999999-' },
    { 'if-modified-since': 'Tue, 99 Nov 999999 25:61:61 GMT' },
    { 'if-none-match': '"'.repeat(5000) },
    { 'accept-encoding': ',;q=,,gzip;q=x;;' },
    { cookie: 'auth=%%%; auth; =; auth=a.b.c; ;;' },
    { accept: '*/*;q=x,,,' },
    { 'x-encoding': '\u00ff' },
    { 'user-agent': 'x'.repeat(5000) },
  ]
  for (const headers of odd) {
    const { status } = await admin('/api/raw/a.txt', { headers })
    expect([Object.keys(headers), status]).toEqual([
      Object.keys(headers),
      'range' in headers && status === 416 ? 416 : 200,
    ])
  }
  for (const junk of ['...', '. .', '\u00e9.\u00e9.\u00e9', `${'a'.repeat(4000)}.b.c`])
    expect((await server.ask('/api/raw/a.txt', { headers: { 'x-auth': junk } })).status).toBe(401)
})

test.each([
  ['GET', '/api/login'],
  ['PUT', '/api/login'],
  ['GET', '/api/signup'],
  ['PUT', '/api/renew'],
  ['GET', '/api/logout'],
  ['PUT', '/api/raw/a.txt'],
  ['DELETE', '/api/raw/a.txt'],
  ['POST', '/api/usage/'],
  ['POST', '/api/settings'],
  ['DELETE', '/api/settings'],
  ['PATCH', '/api/users'],
  ['POST', '/api/users/1'],
  ['POST', '/api/sessions'],
  ['OPTIONS', '/api/resources/'],
  ['POST', '/static/x.js'],
])('%s %s is refused with 405', async (method, path) => {
  await expectRefusal(admin, path, { method }, path)
  const response = await admin(path, { method })
  const allowed = response.headers.get('allow')?.split(', ') ?? []
  expect([response.status, allowed.includes(method), allowed.includes('GET') === allowed.includes('HEAD')]).toEqual([
    405,
    false,
    true,
  ])
  expect(allowed.length).toBeGreaterThan(0)
})

test.each([
  '/api',
  '/api/',
  '/api/nothing',
  '/api/nothing/at/all',
  '/api/users/abc',
  '/api/users/1/x',
  '/api/settings/',
  '/api/resourcesx',
  '/api//',
])('%s is not found, with any method', async (path) => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
    await expectRefusal(admin, path, { method }, path)
    expect([method, (await admin(path, { method })).status]).toEqual([method, 404])
  }
  expect((await admin(path, { method: 'HEAD' })).status).toBe(404)
})
