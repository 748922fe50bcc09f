import { afterAll, expect, test } from 'bun:test'
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FolderResource, RecursiveEntry } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { treeOf } from './disk.ts'
import { startServer } from './server.ts'
import { sendRaw } from './socket.ts'

const server = await startServer()
await server.addUser('alice', { scope: '/home/alice' })
await server.addUser('everything')
const token = await server.signIn('alice')
const alice = await server.as('alice')
afterAll(() => server.stop())

const above = join(server.root, '..')
server.put({
  'home/alice/own.txt': 'own',
  'home/alice/box/deep.txt': 'deep',
  'home/alicex/secret.txt': 'CANARY',
  'home/bob/secret.txt': 'CANARY',
  'secret.txt': 'CANARY',
})
writeFileSync(join(above, 'secret.txt'), 'CANARY')

/** Every way to write "one folder up", as it goes over the wire. */
const ups = [
  '..',
  '%2e%2e',
  '%2E%2e',
  '.%2e',
  '%2e.',
  '..;',
  '..%00',
  '%2e%2e%00',
  '..%5c',
  '..\\',
  '%5c..%5c',
  '%252e%252e',
  '%25252e%25252e',
  '%c0%ae%c0%ae',
  '%e0%80%ae%e0%80%ae',
  '%uff0e%uff0e',
  '%EF%BC%8E%EF%BC%8E',
  '....',
  '.%20.',
  '..%20',
  '..%0a',
  '..%09',
  '..%ff',
]
const slashes = ['/', '%2f', '%2F', '//', '/./', '%5c', '\\', '%c0%af', '%252f']
const spelled = (slashes: string[]) =>
  ups.flatMap((up) =>
    slashes.flatMap((slash) => [`${up}${slash}bob${slash}secret.txt`, `x${slash}${up}${slash}${up}${slash}secret.txt`]),
  )
const spellings = spelled(slashes)
const fewerSpellings = spelled(['/', '%2f', '\\'])

const elsewhere = () =>
  Object.fromEntries(
    Object.entries(treeOf(above)).filter(
      ([path]) => !path.startsWith('root/home/alice/') && !path.startsWith('filestead.db'),
    ),
  )

/** Every address outside the API answers the page, which shows nothing of the files. */
const isPage = (headers: Headers) => headers.get('content-type') === 'text/html; charset=utf-8'

test('the test requests succeed with valid paths', async () => {
  for (const spelling of [
    'own.txt',
    'box/deep.txt',
    'box%2fdeep.txt',
    'box//deep.txt',
    'box/./deep.txt',
    './own.txt',
  ]) {
    const { status } = await sendRaw(server.url, 'GET', `/api/raw/${spelling}`, { 'x-auth': token })
    expect([spelling, status]).toEqual([spelling, 200])
  }
})

test.each(['/api/raw/', '/api/resources/', '/api/resources/recursive/', '/api/usage/'])(
  'no spelling of a parent folder passes %s',
  async (prefix) => {
    for (const spelling of spellings) {
      const answer = await sendRaw(server.url, 'GET', prefix + spelling, { 'x-auth': token })
      expect(answer.body).not.toContain('CANARY')
      if (answer.status === 200) expect([spelling, isPage(answer.headers)]).toEqual([spelling, true])
      else if (![400, 403, 404].includes(answer.status)) expect([spelling, answer.status]).toEqual([spelling, 404])
    }
  },
)

/** The path that a spelling means after so many decodings, or undefined where it climbs or means none. */
function meaningOf(spelling: string, decodings: number): string | undefined {
  let path = spelling
  try {
    for (let count = 0; count < decodings; count += 1) path = decodeURIComponent(path)
  } catch {
    return undefined
  }
  return path.includes('\0') || path.split('/').includes('..') ? undefined : path
}

const inHome = (path: string) => join(server.root, 'home/alice', path)

test.each([
  ['POST', 200],
  ['PUT', 200],
  ['DELETE', 204],
  ['PATCH', 200],
])('%s refuses every spelling of a parent folder with 400, and takes other paths as names', async (method, success) => {
  const before = elsewhere()
  for (const spelling of fewerSpellings) {
    // An address that holds a backslash is malformed.
    const path = spelling.includes('\\') ? undefined : meaningOf(spelling, 1)
    rmSync(inHome('taken.txt'), { force: true })
    if (path !== undefined) server.put({ [`home/alice/${path}`]: 'before' })
    const query = method === 'PATCH' ? '?action=rename&destination=%2Ftaken.txt' : '?override=true'
    const { status } = await sendRaw(server.url, method, `/api/resources/${spelling}${query}`, {
      'x-auth': token,
      'content-length': '0',
    })
    expect([spelling, status]).toEqual([spelling, path === undefined ? 400 : success])
    if (path !== undefined)
      expect([spelling, existsSync(inHome(path))]).toEqual([spelling, success === 200 && method !== 'PATCH'])
  }
  expect(elsewhere()).toEqual(before)
})

test.each(['copy', 'rename'])(
  '%s refuses a destination with a parent folder with 400, and takes other paths as names',
  async (action) => {
    const before = elsewhere()
    for (const spelling of fewerSpellings) {
      for (const destination of [spelling, encodeURIComponent(encodeURIComponent(spelling))]) {
        server.put({ 'home/alice/own.txt': 'own' })
        // Clients encode it twice: once as a path, once as a part of the query.
        const path = meaningOf(destination, 2)
        if (path !== undefined) rmSync(inHome(path), { force: true })
        const query = `action=${action}&override=true&destination=/${destination}`
        const { status } = await sendRaw(server.url, 'PATCH', `/api/resources/own.txt?${query}`, { 'x-auth': token })
        expect([destination, status]).toEqual([destination, path === undefined ? 400 : 200])
        if (path !== undefined) expect([destination, readFileSync(inHome(path), 'utf8')]).toEqual([destination, 'own'])
      }
    }
    expect(elsewhere()).toEqual(before)
    server.put({ 'home/alice/own.txt': 'own' })
  },
)

test.each(['..', 'box/..', '../alice/own.txt', '../bob', 'box/../own.txt', '/..'])(
  'a path with ".." is refused, even %s',
  async (path) => {
    const encoded = path.replaceAll('/', '%2f')
    const answer = await sendRaw(server.url, 'GET', `/api/resources/%2f${encoded}`, { 'x-auth': token })
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('..')])
    const moved = `/api/resources/own.txt?action=copy&destination=${encodeURIComponent(`/${path}`)}`
    expect(await statusOf(alice(moved, { method: 'PATCH' }))).toBe(400)
  },
)

test('an address is decoded exactly once', async () => {
  server.put({ 'home/alice/odd/%2e%2e': 'odd name', 'home/alice/odd/a%2fb': 'no slash' })
  expect(await (await alice('/api/raw/odd/%252e%252e')).text()).toBe('odd name')
  expect(await (await alice('/api/raw/odd/a%252fb')).text()).toBe('no slash')
})

test('paths in answers start at the scope and do not show the folders above it', async () => {
  for (const path of [
    '/api/resources/',
    '/api/resources/box',
    '/api/resources/?recursive=true',
    '/api/resources/own.txt',
  ]) {
    const text = await (await alice(path)).text()
    expect(text).not.toContain('home')
    expect(text).not.toContain('alicex')
    expect(text).not.toContain(server.root)
  }
  expect((await jsonIn<FolderResource>(alice('/api/resources/box'))).items[0]?.path).toBe('/box/deep.txt')
})

test('a scope with parent folders ends at the root, and a missing one is not found', async () => {
  await server.addUser('climber', { scope: '/../../..' })
  const climber = await server.as('climber')
  expect(await (await climber('/api/raw/home/alice/own.txt')).text()).toBe('own')
  await server.addUser('homeless', { scope: '/home/homeless' })
  const homeless = await server.as('homeless')
  expect(await statusOf(homeless('/api/resources/'))).toBe(200)
  rmSync(join(server.root, 'home/homeless'), { recursive: true })
  for (const path of ['/api/resources/', '/api/raw/x', '/api/usage/'])
    expect([path, await statusOf(homeless(path))]).toEqual([path, 404])
})

test('the database of the server is not among the files, under any name', async () => {
  const root = mkdtempSync(join(tmpdir(), 'filestead-test-'))
  mkdirSync(join(root, 'data'))
  const inner = await startServer({ root, database: join(root, 'data/mine.db') } as Parameters<typeof startServer>[0])
  try {
    await inner.addUser('admin', { isAdmin: true })
    const admin = await inner.as('admin')
    writeFileSync(join(root, 'plain.txt'), 'plain')
    writeFileSync(join(root, 'data/other.txt'), 'other')
    linkSync(join(root, 'data/mine.db'), join(root, 'hard.db'))
    symlinkSync('data/mine.db', join(root, 'soft.db'))

    const flat = await jsonIn<RecursiveEntry[]>(admin('/api/resources/?recursive=true'))
    const seen = flat.map(({ path }) => path).filter((path) => path !== '/soft.db')
    expect(seen).toEqual(['/data', '/data/other.txt', '/plain.txt'])
    for (const path of [
      'data/mine.db',
      'data/mine.db-wal',
      'data/mine.db-drafts',
      'data/mine.db-drafts/x',
      'hard.db',
      'soft.db',
    ]) {
      for (const [method, address] of [
        ['GET', `/api/raw/${path}`],
        ['GET', `/api/resources/${path}?checksum=md5`],
        ['PUT', `/api/resources/${path}`],
        ['POST', `/api/resources/${path}?override=true`],
        ['PATCH', `/api/resources/${path}?action=copy&destination=%2Fstolen.db`],
        ['PATCH', `/api/resources/plain.txt?action=copy&override=true&destination=%2F${encodeURIComponent(path)}`],
      ] as const) {
        if (path === 'soft.db' && address.includes('plain.txt')) continue
        const status = await statusOf(admin(address, { method, body: method === 'GET' ? null : 'x' }))
        if (![403, 404, 409].includes(status)) expect([method, address, status]).toEqual([method, address, 404])
      }
    }
    expect(await statusOf(admin('/api/resources/data/mine.db', { method: 'DELETE' }))).toBe(404)
    expect(await statusOf(admin('/api/resources/data', { method: 'DELETE' }))).toBe(403)
    expect(await statusOf(admin('/api/resources/data?action=rename&destination=%2Fgone', { method: 'PATCH' }))).toBe(
      403,
    )
    expect(Object.keys(treeOf(root))).toContain('data/mine.db')
    expect(await statusOf(admin('/api/users'))).toBe(200)
  } finally {
    await inner.stop()
    rmSync(root, { recursive: true, force: true })
  }
})
