import { afterAll, expect, test } from 'bun:test'
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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

/** A page is what any address outside the API gets; it says nothing about files. */
const isPage = (headers: Headers) => headers.get('content-type') === 'text/html; charset=utf-8'

test('the spellings that are meant to fail would work if they were honest', async () => {
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
  'no spelling of a way up gets past %s',
  async (prefix) => {
    for (const spelling of spellings) {
      const answer = await sendRaw(server.url, 'GET', prefix + spelling, { 'x-auth': token })
      expect(answer.body).not.toContain('CANARY')
      if (answer.status === 200) expect([spelling, isPage(answer.headers)]).toEqual([spelling, true])
      else if (![400, 403, 404].includes(answer.status)) expect([spelling, answer.status]).toEqual([spelling, 404])
    }
  },
)

/** A way up, and what is no UTF-8, is refused. All other spellings are names like any other, inside of the scope. */
function isName(spelling: string, { decodings }: { decodings: number }): boolean {
  let path = spelling
  try {
    for (let times = 0; times < decodings; times += 1) path = decodeURIComponent(path)
  } catch {
    return false
  }
  return !path.includes('\0') && !path.split('/').includes('..')
}

test.each([
  ['POST', 200],
  ['PUT', 200],
  ['DELETE', 204],
  ['PATCH', 404],
])('no spelling of a way up lets %s change anything; a mere name answers %i', async (method, statusOfName) => {
  const before = elsewhere()
  const send = (method: string, spelling: string, query = '') =>
    sendRaw(server.url, method, `/api/resources/${spelling}${query}`, { 'x-auth': token, 'content-length': '0' })
  for (const spelling of fewerSpellings) {
    // A backslash that is not encoded is taken for a slash by some proxies.
    const isFree = !spelling.includes('\\') && isName(spelling, { decodings: 1 })
    if (isFree && (method === 'PUT' || method === 'DELETE')) await send('POST', spelling)
    const query = method === 'PATCH' ? '?action=rename&destination=%2Ftaken.txt' : '?override=true'
    const { status } = await send(method, spelling, query)
    expect([spelling, status]).toEqual([spelling, isFree ? statusOfName : 400])
    if (status === 200) await send('DELETE', spelling)
  }
  expect(elsewhere()).toEqual(before)
})

test.each(['copy', 'rename'])('no spelling of a destination lets %s leave', async (action) => {
  const before = elsewhere()
  for (const spelling of fewerSpellings) {
    for (const destination of [spelling, encodeURIComponent(encodeURIComponent(spelling))]) {
      server.put({ 'home/alice/own.txt': 'own' })
      const query = `action=${action}&override=true&destination=/${destination}`
      const { status } = await sendRaw(server.url, 'PATCH', `/api/resources/own.txt?${query}`, { 'x-auth': token })
      expect([destination, status]).toEqual([destination, isName(destination, { decodings: 2 }) ? 200 : 400])
    }
  }
  expect(elsewhere()).toEqual(before)
  server.put({ 'home/alice/own.txt': 'own' })
})

test.each(['..', 'box/..', '../alice/own.txt', '../bob', 'box/../own.txt', '/..'])(
  'a path that holds ".." is refused, even %s',
  async (path) => {
    const encoded = path.replaceAll('/', '%2f')
    const answer = await sendRaw(server.url, 'GET', `/api/resources/%2f${encoded}`, { 'x-auth': token })
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining('..')])
    const moved = `/api/resources/own.txt?action=copy&destination=${encodeURIComponent(`/${path}`)}`
    expect(await statusOf(alice(moved, { method: 'PATCH' }))).toBe(400)
  },
)

test('an address is decoded once and no more', async () => {
  server.put({ 'home/alice/odd/%2e%2e': 'odd name', 'home/alice/odd/a%2fb': 'no slash' })
  expect(await (await alice('/api/raw/odd/%252e%252e')).text()).toBe('odd name')
  expect(await (await alice('/api/raw/odd/a%252fb')).text()).toBe('no slash')
})

test('paths in answers begin where the scope does and tell nothing of the way there', async () => {
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

test('a scope that climbs ends at the root, and one that is missing is not found', async () => {
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

test("the server's own database is not among the files, under any name", async () => {
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
