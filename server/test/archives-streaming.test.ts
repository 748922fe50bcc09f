import { afterAll, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openBeneath } from '../src/storage/testing/open-files.fixture.ts'
import { bytesIn, statusOf } from './answers.ts'
import { fillFolder } from './disk.ts'
import { bodyIn, headOf, openLine } from './line.ts'
import { until } from './process.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
const alice = await server.as('alice')
afterAll(() => server.stop())

const at = (path: string) => join(server.root, path)

test('a zip download resumes at any offset', async () => {
  const large = Buffer.concat([randomBytes(1_500_000), Buffer.alloc(1_500_000, 'text ')])
  server.put({ 'box/a.txt': 'A', 'box/sub/b é.txt': 'B', 'box/empty/': '', 'box/none': '', 'box/large.bin': large })
  const whole = await bytesIn(alice('/api/raw/box'))
  const head = await alice('/api/raw/box', { method: 'HEAD' })
  expect(head.headers.get('x-archive-length')).toBe(String(whole.length))
  const etag = head.headers.get('etag') ?? ''
  for (const [start, end] of [
    [0, 99],
    [100, 70_000],
    [70_001, 2_000_000],
    [2_000_001, whole.length - 60],
    [whole.length - 59, undefined],
  ] as const) {
    const headers = { range: `bytes=${start}-${end ?? ''}`, 'if-range': etag }
    const response = await alice('/api/raw/box', { headers })
    const last = end ?? whole.length - 1
    expect([response.status, response.headers.get('content-range')]).toEqual([
      206,
      `bytes ${start}-${last}/${whole.length}`,
    ])
    expect(Buffer.from(await response.arrayBuffer()).equals(whole.subarray(start, last + 1))).toBe(true)
  }
  const past = await alice('/api/raw/box', { headers: { range: `bytes=${whole.length}-` } })
  expect([past.status, past.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`])
  expect(await statusOf(alice('/api/raw/box', { headers: { 'if-none-match': etag } }))).toBe(304)
  expect(await statusOf(alice('/api/raw/box', { headers: { range: 'bytes=0-9', 'if-range': '"other"' } }))).toBe(200)
  expect(await statusOf(alice('/api/raw/box?algo=tar', { headers: { range: 'bytes=0-9' } }))).toBe(200)
})

/** The content of a body that came in chunks. */
function chunksIn(body: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const start = body.indexOf('\r\n', at) + 2
    const length = Number.parseInt(body.toString('latin1', at, start), 16)
    chunks.push(body.subarray(start, start + length))
    at = start + length + 2
  }
  return Buffer.concat(chunks)
}

// The memory that a file is read into is filled again while the answer is sent.
test('a zip arrives whole at clients that read it in fits and starts', async () => {
  const content = randomBytes(12_000_000)
  const small = Array.from({ length: 300 }, (_, index) => [`fits/small/${index}`, randomBytes(10_000)] as const)
  server.put({ 'fits/large.bin': content, ...Object.fromEntries(small) })
  const head = headOf('GET', '/api/raw/fits', { 'x-auth': await server.signIn('alice'), connection: 'close' })
  const arrived = await Promise.all(
    [0, 1, 7].map(async (pause) => {
      const line = await openLine(server.url)
      line.socket.on('data', () => {
        if (pause === 0 || Math.random() > 0.1) return
        line.socket.pause()
        setTimeout(() => line.socket.resume(), pause)
      })
      await line.send(head)
      return chunksIn(bodyIn(await line.received))
    }),
  )
  const whole = await bytesIn(alice('/api/raw/fits'))
  const isIn = (zip: Buffer) => zip.includes(content) && small.every(([, bytes]) => zip.includes(bytes))
  expect(arrived.map((zip) => [zip.length, zip.equals(whole), isIn(zip)])).toEqual(
    arrived.map(() => [whole.length, true, true]),
  )
})

test('the ETag of a zip changes with the content of its folder', async () => {
  server.put({ 'versions/a.txt': 'one', 'versions/sub/b.txt': 'two' })
  const version = async () => (await alice('/api/raw/versions', { method: 'HEAD' })).headers.get('etag')
  const seen = [await version()]
  expect(await version()).toBe(seen[0] as string)
  const changes = [
    () => server.put({ 'versions/a.txt': 'six' }),
    () => server.put({ 'versions/sub/c.txt': '' }),
    () => chmodSync(at('versions/sub/b.txt'), 0o600),
    () => utimesSync(at('versions/sub/b.txt'), 5, 5),
  ]
  for (const change of changes) {
    change()
    seen.push(await version())
  }
  expect(new Set(seen).size).toBe(seen.length)
})

test('a zip holds more than 65,535 entries', async () => {
  const names = Array.from({ length: 70_000 }, (_, index) => `n${index}`)
  fillFolder(at('many'), names)
  const bytes = Buffer.from(await bytesIn(alice('/api/raw/many')))
  // The old field is full; the zip64 one, which a locator before it points to, has room.
  const end = bytes.length - 22
  expect([bytes.readUInt16LE(end + 10), bytes.readBigUInt64LE(end - 20 - 56 + 32)]).toEqual([65_535, 70_000n])
  if (Bun.which('unzip') === null) return
  writeFileSync(join(server.root, '../many.zip'), bytes)
  expect(execFileSync('unzip', ['-Z', '-h', join(server.root, '../many.zip')]).toString()).toContain(
    'number of entries: 70000',
  )
})

const openBelow = () => openBeneath(server.root)

/** Waits until the process uses no processor time: the block or chunk in work may be finished first. */
async function isCalmSoon(): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    const before = process.cpuUsage()
    await Bun.sleep(100)
    if (process.cpuUsage(before).user < 30_000) return true
  }
  return false
}

test('an archive whose client disconnects stops and closes its files', async () => {
  mkdirSync(at('tree'))
  for (let index = 0; index < 3; index += 1)
    writeFileSync(at(`tree/${index}.bin`), Buffer.alloc(100_000_000, `${index} text `))
  for (const algo of ['zip', 'tar', 'targz', 'tarbz2', 'tarxz', 'tarlz4', 'tarsz', 'tarbr', 'tarzst']) {
    const leaving = new AbortController()
    const response = await alice(`/api/raw/tree?algo=${algo}`, { signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()
    server.logged.length = 0
    // Between two of its files an archive has none open, so only a calm server tells that it has stopped.
    expect([algo, await isCalmSoon()]).toEqual([algo, true])
    await until(() => openBelow().length === 0)
    expect([algo, server.logged]).toEqual([algo, []])
  }
}, 120_000)

test('an archive download is cut when one of its files gets shorter', async () => {
  for (const algo of ['zip', 'tar', 'tarzst', 'tarsz', 'tarlz4']) {
    server.logged.length = 0
    server.put({ 'shrinking/a.bin': '' })
    // Sparse, and so large that the server has read only a part of it when the first bytes arrive.
    truncateSync(at('shrinking/a.bin'), 50_000_000_000)
    const response = await alice(`/api/raw/shrinking?algo=${algo}`)
    const reader = response.body?.getReader()
    // The head of the answer and the header of the format are sent before the size of the file is known.
    for (let taken = 0; taken < 2000; ) taken += (await reader?.read())?.value?.length ?? 2000
    truncateSync(at('shrinking/a.bin'), 1000)
    const rest = async () => {
      while (!(await reader?.read())?.done);
    }
    expect([
      algo,
      await rest().then(
        () => 'ended',
        () => 'broke',
      ),
    ]).toEqual([algo, 'broke'])
    expect(server.logged.filter((entry) => JSON.stringify(entry).includes('broke off'))).toEqual([
      [
        expect.objectContaining({ method: 'GET', path: '/api/raw/shrinking', address: '127.0.0.1' }),
        'The answer broke off: "a.bin" has become shorter while it was packed',
      ],
    ])
  }
})

test.if(Bun.which('curl') !== null)(
  'an archive of a large tree needs little memory when its client reads slowly',
  async () => {
    const token = await server.signIn('alice')
    for (const [algo, rate] of [
      ['zip', '1G'],
      ['zip', '20M'],
      ['tar', '20M'],
      ['tarlz4', '1G'],
    ] as const) {
      const target = `${server.url}/api/raw/tree?algo=${algo}`
      const limits = ['--limit-rate', rate, '--max-time', '1']
      Bun.gc(true)
      const before = process.memoryUsage().rss
      const client = Bun.spawn(['curl', '-s', '-o', '/dev/null', ...limits, '-H', `x-auth: ${token}`, target])
      let most = 0
      while (client.exitCode === null) {
        most = Math.max(most, process.memoryUsage().rss)
        await Bun.sleep(5)
      }
      // At full speed, garbage of some hundred pieces waits for its collection; the tree itself is three times as large.
      expect([algo, rate, (most - before) / 1e6 < (rate === '1G' ? 180 : 100)]).toEqual([algo, rate, true])
    }
  },
)
