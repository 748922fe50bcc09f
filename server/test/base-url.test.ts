import { afterAll, expect, test } from 'bun:test'
import type { StartSettings } from '@filestead/contract'
import { password, startServer } from './server.ts'
import { sendRaw } from './socket.ts'

const server = await startServer({ baseURL: '/fb' })
await server.addUser('alice')
const alice = await server.as('alice')
server.put({ 'a.txt': 'a', 'fb/b.txt': 'b' })
afterAll(() => server.stop())

const { origin } = new URL(server.url)
const get = (path: string) => fetch(origin + path, { redirect: 'manual' })

test('the base URL without a slash redirects to the page', async () => {
  for (const path of ['/fb', '/fb?x=1']) {
    const response = await get(path)
    expect([path, response.status, response.headers.get('location')]).toEqual([path, 301, '/fb/'])
  }
})

test('the page below a base URL refers to addresses below it', async () => {
  for (const path of ['/fb/', '/fb/files/a.txt', '/fb/login']) {
    const html = await (await get(path)).text()
    const [, json = '{}'] = /window\.FileBrowser = (.*?);<\/script>/s.exec(html) ?? []
    expect(JSON.parse(json) as StartSettings).toMatchObject({ BaseURL: '/fb', StaticURL: '/fb/static' })
    const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address ?? '')
    expect(addresses.length).toBeGreaterThan(1)
    for (const address of addresses) {
      expect(address).toStartWith('/fb/static/')
      expect([address, (await get(address)).status]).toEqual([address, 200])
    }
  }
})

test('the API answers below the base URL', async () => {
  expect((await get('/fb/health')).status).toBe(200)
  expect((await get('/fb/api/resources/')).status).toBe(401)
  expect(await (await alice('/api/raw/a.txt')).text()).toBe('a')
  expect(await (await alice('/api/raw/fb/b.txt')).text()).toBe('b')
  expect((await get('/fb/api/nothing')).status).toBe(404)
  const made = await alice('/api/resources/new/c.txt', { method: 'POST', body: 'c' })
  expect([made.status, server.file('new/c.txt')]).toEqual([200, 'c'])
})

test.each([
  '/',
  '/fbx',
  '/fbx/',
  '/fb2/api/resources/',
  '/FB/',
  '/health',
  '/static/img/logo.svg',
  '/api/resources/',
  '/files/',
  '/x/fb/',
  '//fb/',
])('%s is outside of the base URL and not found', async (path) => {
  const { status, body } = await sendRaw(server.url, 'GET', path)
  expect([status, body]).toEqual([404, '404 Not Found\n'])
})

test.each([
  ['GET', '/fb//health', 301, '/fb/health'],
  ['GET', '/fb//api/resources/a.txt?x=//y', 301, '/fb/api/resources/a.txt?x=//y'],
  ['GET', '/fb///api//raw//a.txt', 301, '/fb/api/raw//a.txt'],
  ['POST', '/fb/api//login', 308, '/fb/api/login'],
  ['PUT', '/fb//api/resources/a.txt', 308, '/fb/api/resources/a.txt'],
  ['POST', '/fb/api/share%2Ffb%2Fb%20c.txt?x=%2F', 308, '/fb/api/share/fb%2Fb%20c.txt?x=%2F'],
  ['GET', '/fb/api/public/dl%2f%2Fabc', 301, '/fb/api/public/dl/abc'],
])(
  '%s %s, as scripts join it with doubled or encoded slashes, is redirected to the right address',
  async (method, path, status, location) => {
    const answer = await sendRaw(server.url, method, path)
    expect([answer.status, answer.headers.get('location')]).toEqual([status, location])
  },
)

test.each([
  '/fb//evil.example/',
  '/fb//evil.example/api/x',
  '/fb//apix',
  '/fb//api',
  '/fb//api//',
  '/fb//healthy',
  '/fb/api/users%2F1',
  '/fb/api/raw%2F..%2Fb.txt',
  '/fb/api/raw%2f%2F%2e.%2Fb.txt',
  '/fb/api/raw/..//b.txt',
  '/fb/api/raw/fb%2Fb.txt',
])('%s is not redirected', async (path) => {
  expect((await sendRaw(server.url, 'GET', path)).headers.get('location')).toBeNull()
})

test('a request outside of the base URL is logged once, without secrets', async () => {
  const other = await startServer({ baseURL: '/fb' })
  for (const path of ['/api/raw/a?token=secret', '/health']) await fetch(new URL(other.url).origin + path)
  await other.stop()
  const told = other.logged.map((entry) => JSON.stringify(entry)).filter((text) => text.includes('must not cut it off'))
  expect(told).toHaveLength(1)
  expect(told[0]).toContain('"path":"/api/raw/a"')
  expect(told[0]).not.toContain('secret')
})

test('a sign-in outside of the base URL is refused', async () => {
  const body = JSON.stringify({ username: 'alice', password })
  expect((await fetch(`${origin}/api/login`, { method: 'POST', body })).status).toBe(404)
})

test('dot segments do not leave the base URL and enter it again', async () => {
  for (const path of ['/fb/../api/resources/', '/x/../api/resources/'])
    expect((await sendRaw(server.url, 'GET', path)).status).toBe(404)
  // No address of the API, so it gets the page.
  const page = await sendRaw(server.url, 'GET', '/fb/..%2fapi/resources/')
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const climbed = await sendRaw(server.url, 'GET', '/fb/../health')
  expect([climbed.status, climbed.body]).toEqual([404, '404 Not Found\n'])
})

test('slashes at the end of the base URL are ignored, and it may have several segments', async () => {
  const deep = await startServer({ baseURL: '/a/b//' })
  try {
    const { origin } = new URL(deep.url)
    expect((await fetch(`${origin}/a/b/health`)).status).toBe(200)
    expect((await fetch(`${origin}/a/b`, { redirect: 'manual' })).headers.get('location')).toBe('/a/b/')
    expect((await fetch(`${origin}/a/health`)).status).toBe(404)
  } finally {
    await deep.stop()
  }
})
