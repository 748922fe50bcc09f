import { afterAll, expect, test } from 'bun:test'
import { closeSync, mkdirSync, openSync, truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { ShareLink } from '@filestead/contract'
import type { Limits } from '../src/access/limits.ts'
import { type LimitOptions, limitOf } from '../src/concurrency/limit.ts'
import { openBeneath } from '../src/storage/testing/open-files.fixture.ts'
import { jsonIn, statusOf } from './answers.ts'
import { headOf, openLine } from './line.ts'
import { until } from './process.ts'
import { startServer } from './server.ts'

const narrow = (options: Partial<LimitOptions> = {}) =>
  limitOf({ what: 'things', most: 1, mostPerKey: 1, mostWaiting: 100, mostWaitingPerKey: 100, ...options })

const limits: Limits = {
  listings: narrow(),
  texts: narrow({ most: 2, mostPerKey: 2, idleAfter: 200 }),
  checksums: narrow(),
  searches: narrow(),
  archives: narrow({ idleAfter: 200 }),
  rereads: narrow(),
  copies: narrow(),
}
const server = await startServer({ limits })
await server.addUser('alice')
const [alice, token] = [await server.as('alice'), await server.signIn('alice')]
afterAll(() => server.stop())

server.put({ 'long.txt': 'x'.repeat(9_000_000), 'short.txt': 'short', 'big/film.bin': Buffer.alloc(60_000_000, 'x') })
for (let index = 0; index < 1100; index += 1) server.put({ [`many/${index}.txt`]: '' })
const { hash } = await jsonIn<ShareLink>(alice('/api/share/', { method: 'POST', body: '{}' }))

/** Sends a request and reads only the start of its answer. */
async function stall(path: string, headers: Record<string, string> = {}) {
  const line = await openLine(server.url)
  line.socket.once('data', () => line.socket.pause())
  await line.send(headOf('GET', path, { 'x-auth': token, ...headers }))
  return line
}

const works: [what: keyof Limits, path: string, init: RequestInit][] = [
  ['texts', '/api/resources/long.txt', {}],
  ['checksums', '/api/resources/short.txt?checksum=sha256', {}],
  ['searches', '/api/search/?query=short', {}],
  ['searches', '/api/resources/?recursive=true', {}],
  ['archives', '/api/raw/many?algo=zip', {}],
  ['archives', '/api/raw/many?algo=targz', {}],
  ['archives', `/api/public/dl/${hash}/many`, {}],
  ['listings', '/api/resources/many', {}],
  ['listings', `/api/public/share/${hash}/many`, {}],
  ['copies', '/api/resources/short.txt?action=copy&destination=%2Fcopy.txt&rename=true', { method: 'PATCH' }],
]

test.each(works)('%s wait for a free slot: %s', async (what, path, init) => {
  const limit = limits[what]
  const others = [limit.tryEnter('others'), limit.tryEnter('yet others')]
  const answer = alice(path, init)
  await until(() => limit.waiting === 1)
  for (const place of others) place?.[Symbol.dispose]()
  expect(await statusOf(answer)).toBe(200)
  await until(() => limit.running === 0)
})

test.each(works)('%s whose client disconnects in the queue hold no slot: %s', async (what, path, init) => {
  const limit = limits[what]
  const others = [limit.tryEnter('others'), limit.tryEnter('yet others')]
  const stop = new AbortController()
  const answer = alice(path, { ...init, signal: stop.signal }).catch(() => undefined)
  await until(() => limit.waiting === 1)
  stop.abort()
  await answer
  await until(() => limit.waiting === 0)
  await until(() => openBeneath(server.root).length === 0)
  for (const place of others) place?.[Symbol.dispose]()
  expect(limit.running).toBe(0)
})

test.each(['', 'gzip', 'zstd'])(
  'sixty clients that disconnect at once leave no slot and no file open (%s)',
  async (encoding) => {
    const head = headOf('GET', '/api/resources/long.txt', { 'x-auth': token, 'accept-encoding': encoding })
    const lines = await Promise.all(Array.from({ length: 60 }, () => openLine(server.url)))
    await Promise.all(lines.map((line) => line.send(head)))
    await until(() => limits.texts.waiting > 0)
    // Descriptors are closed a moment after their requests have begun to wait.
    await until(() => openBeneath(server.root).length <= 2)
    for (const line of lines) line.reset()
    await until(() => limits.texts.waiting === 0 && limits.texts.running === 0)
    await until(() => openBeneath(server.root).length === 0)
    expect(await statusOf(alice('/api/resources/long.txt'))).toBe(200)
  },
)

test.each([
  ['texts', '/api/resources/long.txt', {}],
  ['archives', '/api/raw/big?algo=tar', {}],
  ['archives', '/api/raw/big?algo=zip', {}],
] as const)(
  '%s whose client stops reading give up their slot to waiting requests (%s)',
  async (what, path, headers) => {
    const body = Bun.hash(await (await alice(path)).arrayBuffer())
    const stalled = await Promise.all([stall(path, headers), stall(path, headers)])
    await until(() => limits[what].running > 0)
    expect(Bun.hash(await (await alice(path)).arrayBuffer())).toBe(body)
    for (const line of stalled) line.reset()
    await until(() => limits[what].running === 0 && openBeneath(server.root).length === 0)
  },
)

test('a request beyond the queue is answered with 503 and retry-after', async () => {
  const full = await startServer({ limits: { archives: narrow({ mostWaiting: 0 }) } })
  try {
    await full.addUser('bob')
    full.put({ 'a/b.txt': 'b' })
    const bob = await full.as('bob')
    const place = full.app.deps.limits.archives.tryEnter('others')
    const refused = await bob('/api/raw/a')
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    place?.[Symbol.dispose]()
    expect(await statusOf(bob('/api/raw/a'))).toBe(200)
  } finally {
    await full.stop()
  }
})

test.each([
  '/api/resources/many',
  '/api/resources/long.txt',
  '/api/search/?query=short',
  '/api/raw/many',
  '/api/resources/?recursive=true',
])('HEAD of %s holds no slot', async (path) => {
  expect(await statusOf(alice(path, { method: 'HEAD' }))).toBe(200)
  expect(Object.values(limits).map(({ running }) => running)).toEqual([0, 0, 0, 0, 0, 0, 0])
})

test('the end of a zip is refused before its start was sent, and sent to continue a download', async () => {
  mkdirSync(join(server.root, 'zip'))
  const past = Date.now() / 1000 - 100
  for (const name of ['a.bin', 'b.bin']) {
    const path = join(server.root, 'zip', name)
    closeSync(openSync(path, 'w'))
    truncateSync(path, 40_000_000)
    utimesSync(path, past, past)
  }
  const ask = async (range: string) => {
    const stop = new AbortController()
    const response = await server.ask(`/api/public/dl/${hash}/zip`, { headers: { range }, signal: stop.signal })
    if (response.status === 206) return [206, (await response.arrayBuffer()).byteLength]
    stop.abort()
    await until(() => limits.archives.running === 0)
    return [response.status]
  }
  expect(await ask('bytes=-1')).toEqual([416])
  expect(await ask('bytes=80000200-')).toEqual([200])
  // A range that continues a download, as after a restart of the server.
  const length = Number((await alice('/api/raw/zip', { method: 'HEAD' })).headers.get('content-length'))
  expect(await ask('bytes=41000000-')).toEqual([206, length - 41_000_000])
  expect(await ask(`bytes=${length - 1}-`)).toEqual([206, 1])
  expect(await ask('bytes=-1')).toEqual([206, 1])
})
