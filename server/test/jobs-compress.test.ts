import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOver, type Job, type PackFormat } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { draftsBelow, treeOf } from './disk.ts'
import { until } from './process.ts'
import { type Ask, startServer } from './server.ts'
import { startTwoMounts } from './two-mounts.ts'

const server = await startServer()
await server.addUser('ann')
const ann = await server.as('ann')
afterAll(() => server.stop())
beforeEach(() => {
  for (const name of readdirSync(server.root)) rmSync(join(server.root, name), { recursive: true, force: true })
})

const start = (ask: Ask, request: Record<string, unknown>, headers: Record<string, string> = {}) =>
  ask('/api/jobs', { method: 'POST', body: JSON.stringify(request), headers })

/** Begins a job and waits for its end, or for its question. */
async function finished(ask: Ask, request: Record<string, unknown>): Promise<Job> {
  const response = await start(ask, request)
  if (![200, 202].includes(response.status)) throw new Error(`${response.status}: ${await response.text()}`)
  return settled(ask, (await response.json()) as Job)
}

async function settled(ask: Ask, begun: Job): Promise<Job> {
  let job = begun
  await until(async () => {
    if (!isOver(job.state) && job.state !== 'asking') job = await jsonIn<Job>(ask(`/api/jobs/${job.id}`))
    return isOver(job.state) || job.state === 'asking'
  }, 120_000)
  return job
}

const change = (ask: Ask, { id }: Job, body: Record<string, unknown>) =>
  jsonIn<Job>(ask(`/api/jobs/${id}`, { method: 'PATCH', body: JSON.stringify(body) }))

/** What unpacks a format into the folder that follows; undefined where that is not installed. */
const unpackers: Readonly<Record<PackFormat, readonly string[]>> = {
  zip: ['unzip', '-q', '$', '-d'],
  'tar.gz': ['tar', '-xzf', '$', '-C'],
  'tar.zst': ['tar', '--zstd', '-xf', '$', '-C'],
}

function unpacked(path: string, format: PackFormat): Record<string, string> | undefined {
  const [tool = '', ...words] = unpackers[format]
  if ([tool, ...(format === 'tar.zst' ? ['zstd'] : [])].some((name) => Bun.which(name) === null)) {
    console.warn(`${format} is not unpacked here: its tool is not installed`)
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), 'filestead-unpacked-'))
  try {
    const command = [tool, ...words.map((word) => (word === '$' ? path : word)), folder]
    const { exitCode, stderr } = Bun.spawnSync(command)
    expect([exitCode, stderr.toString()]).toEqual([0, ''])
    return treeOf(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const files = {
  'box/a.txt': 'a text\n'.repeat(500),
  'box/deep/er/b.txt': 'b',
  'box/empty/': '',
  'box/zero.txt': '',
  'box/naïve ☃.txt': 'snow',
  'lone.txt': 'alone',
}

for (const format of ['zip', 'tar.gz', 'tar.zst'] as const)
  test(`entries are compressed to ${format}, which the tools of the system unpack`, async () => {
    server.put(files)
    const job = await finished(ann, { kind: 'compress', items: ['/box', '/lone.txt'], to: `/new.${format}`, format })
    expect(job).toMatchObject({ kind: 'compress', state: 'done', count: 2, finished: 2, to: `/new.${format}` })
    expect(job).toMatchObject({ done: { files: 5, bytes: 3_510 }, failures: [] })
    const found = unpacked(join(server.root, `new.${format}`), format)
    if (found !== undefined) {
      rmSync(join(server.root, `new.${format}`))
      expect(found).toEqual(treeOf(server.root))
    }
    expect(draftsBelow(server.root)).toEqual([])
  })

test.each(['zip', 'tar.gz', 'tar.zst'] as const)('a %s that was made here is extracted here', async (format) => {
  server.put(files)
  // More than one block of each format, of what can and what cannot be compressed.
  const noise = Buffer.concat(Array.from({ length: 100 }, () => crypto.getRandomValues(Buffer.alloc(65_536))))
  server.put({ 'box/text.log': 'a line that comes again\n'.repeat(300_000), 'box/noise.bin': noise })
  expect(await finished(ann, { kind: 'compress', items: ['/box'], to: '/b', format })).toMatchObject({ state: 'done' })
  expect(await finished(ann, { kind: 'extract', from: '/b', to: '/out' })).toMatchObject({
    state: 'done',
    failures: [],
  })
  expect(treeOf(join(server.root, 'out/box'))).toEqual(treeOf(join(server.root, 'box')))
})

test('an archive may lie in the folder that it packs, and does not hold itself', async () => {
  server.put({ ...files, 'box/box.zip': 'an older archive' })
  const request = { kind: 'compress', items: ['/box'], to: '/box/box.zip', format: 'zip', onConflict: 'replace' }
  expect(await finished(ann, request)).toMatchObject({ state: 'done' })
  const found = unpacked(join(server.root, 'box/box.zip'), 'zip')
  if (found !== undefined) expect(Object.keys(found)).not.toContain('box/box.zip')
})

test('a name that is taken is asked about before anything is written, and each answer is kept to', async () => {
  server.put({ 'a.txt': 'a', 'a.zip': 'old' })
  const request = { kind: 'compress', items: ['/a.txt'], to: '/a.zip', format: 'zip' }
  const asking = await finished(ann, request)
  expect(asking).toMatchObject({ state: 'asking', conflicts: [{ to: '/a.zip', target: { isDir: false, size: 3 } }] })
  expect(draftsBelow(server.root)).toEqual([])
  const answered = await change(ann, asking, { choices: { '/a.zip': 'keep-both' } })
  expect(await settled(ann, answered)).toMatchObject({ state: 'done', renamed: [{ to: '/a(1).zip' }] })
  expect(server.file('a.zip')).toBe('old')
  expect(existsSync(join(server.root, 'a(1).zip'))).toBe(true)
  const skipped = await finished(ann, { ...request, onConflict: 'skip' })
  expect(skipped).toMatchObject({ state: 'done', skipped: 1 })
  expect(server.file('a.zip')).toBe('old')
  expect(await finished(ann, { ...request, onConflict: 'replace' })).toMatchObject({ state: 'done' })
  expect(server.file('a.zip')).toStartWith('PK')
  server.put({ 'folder.zip/': '' })
  const refused = await finished(ann, { ...request, to: '/folder.zip', onConflict: 'replace' })
  expect(refused).toMatchObject({ state: 'failed', problem: { code: 'already-exists' } })
})

test('requests that cannot be carried out are refused at once', async () => {
  server.put({ 'a.txt': 'a' })
  const ask = async (request: Record<string, unknown>, by = ann) =>
    statusOf(start(by, { kind: 'compress', to: '/a.zip', format: 'zip', ...request }))
  expect(await ask({ items: ['/missing'] })).toBe(404)
  expect(await ask({ items: ['/a.txt'], to: '/a.txt' })).toBe(400)
  expect(await ask({ items: [] })).toBe(400)
  await server.addUser('reader', { lacks: ['create'] })
  await server.addUser('writer', { lacks: ['download', 'share'] })
  for (const name of ['reader', 'writer']) expect(await ask({ items: ['/a.txt'] }, await server.as(name))).toBe(403)
  expect(readdirSync(server.root)).toEqual(['a.txt'])
})

test('a name that is no text goes into archives', async () => {
  mkdirSync(join(server.root, 'odd'))
  writeFileSync(Buffer.concat([Buffer.from(`${server.root}/odd/`), Buffer.from([0xe9]), Buffer.from('.txt')]), 'one')
  writeFileSync(Buffer.concat([Buffer.from(`${server.root}/odd/`), Buffer.from([0xe8]), Buffer.from('.txt')]), 'two')
  server.put({ 'odd/back\\slash.txt': 'three' })
  for (const format of ['zip', 'tar.gz'] as const) {
    const request = { kind: 'compress', items: ['/odd'], to: `/odd.${format}`, format }
    expect(await finished(ann, request)).toMatchObject({ state: 'done', done: { files: 3 } })
    const found = unpacked(join(server.root, `odd.${format}`), format)
    if (found === undefined) continue
    expect(found).toMatchObject({ 'odd/%E9.txt': 'one', 'odd/%E8.txt': 'two', 'odd/back_slash.txt': 'three' })
  }
})

test('files that may not be downloaded are left out, and the archive tells which', async () => {
  await using world = await startTwoMounts()
  await world.server.addUser('bob', { scope: '/bob' })
  world.put({ 'open/a.txt': 'a', 'open/closed/secret.txt': 's', 'open/hidden/h.txt': 'h' })
  world.server.put({ 'bob/': '' })
  await world.grant('user:2', '2:/open', ['see', 'download'])
  await world.grant('user:2', '2:/open/closed', ['see'])
  await world.grant('user:2', '2:/open/hidden', [])
  const bob = await world.server.as('bob')
  const home = (await jsonIn<{ items: { name: string }[] }>(bob('/api/resources/'))).items.map(({ name }) => name)
  const own = home.find((name) => name !== 'Photos') ?? ''
  const request = { kind: 'compress', items: ['/Photos/open'], to: `/${own}/open.zip`, format: 'zip' }
  expect(await finished(bob, request)).toMatchObject({ state: 'done' })
  const found = unpacked(join(world.server.root, 'bob/open.zip'), 'zip')
  if (found === undefined) return
  expect(Object.keys(found).sort()).toEqual(
    ['LEFT OUT.txt', 'open/', 'open/a.txt', 'open/closed/'].filter((name) => name in found),
  )
  expect(found['LEFT OUT.txt']).toContain('open/closed/secret.txt')
  expect(JSON.stringify(found)).not.toContain('hidden')
})

test('a job that is cancelled leaves no archive and no draft', async () => {
  server.put({ 'box/a.txt': 'a' })
  writeFileSync(join(server.root, 'box/large'), '')
  truncateSync(join(server.root, 'box/large'), 20 * 2 ** 30)
  const request = { kind: 'compress', items: ['/box'], to: '/box.tar.gz', format: 'tar.gz' }
  const response = await start(ann, request, { prefer: 'respond-async' })
  expect(response.status).toBe(202)
  const job = (await response.json()) as Job
  await until(() => draftsBelow(server.root).length > 0)
  expect(await statusOf(ann(`/api/jobs/${job.id}`, { method: 'DELETE' }))).toBe(204)
  expect((await settled(ann, job)).state).toBe('cancelled')
  await until(() => readdirSync(server.root).length === 1)
  expect(draftsBelow(server.root)).toEqual([])
})

/** Takes a while to read, and no room on the disk. In a zip, sizes have another form from four gigabytes on. */
function putLarge(path: string, gigabytes: number): void {
  writeFileSync(join(server.root, path), '')
  truncateSync(join(server.root, path), gigabytes * 2 ** 30)
}

/** Begins a job, and pauses it once so many bytes are done. */
async function pausedAfter(bytes: number, request: Record<string, unknown>): Promise<Job> {
  const job = (await (await start(ann, request, { prefer: 'respond-async' })).json()) as Job
  const now = () => jsonIn<Job>(ann(`/api/jobs/${job.id}`))
  await until(async () => (await now()).done.bytes > bytes)
  await change(ann, job, { action: 'pause' })
  await until(async () => (await now()).state === 'paused')
  return job
}

for (const [format, gigabytes] of [
  ['zip', 4.25],
  ['tar.gz', 2],
] as const)
  test(`a ${format} of a file of ${gigabytes} GB goes on after a pause`, async () => {
    putLarge('large', gigabytes)
    server.put({ 'a.txt': 'first', 'z.txt': 'last' })
    const to = `/large.${format}`
    const job = await pausedAfter(2 ** 29, { kind: 'compress', items: ['/a.txt', '/large', '/z.txt'], to, format })
    const resumed = await change(ann, job, { action: 'resume' })
    const done = { files: 3, bytes: gigabytes * 2 ** 30 + 9 }
    expect(await settled(ann, resumed)).toMatchObject({ state: 'done', done, total: done })
    const path = join(server.root, to)
    if (Bun.which(listers[format][0] ?? '') === null) return console.warn(`No tool for ${format} here`)
    const { exitCode, stdout } = Bun.spawnSync([...listers[format], path])
    expect([exitCode, stdout.toString()]).toEqual([0, expect.stringContaining(String(gigabytes * 2 ** 30))])
  }, 180_000)

/** What lists an archive with sizes. */
const listers: Readonly<Record<PackFormat, readonly string[]>> = {
  zip: ['unzip', '-l'],
  'tar.gz': ['tar', '-tvzf'],
  'tar.zst': ['tar', '--zstd', '-tvf'],
}

test('a file that became another one while the job was paused is packed as it is now', async () => {
  putLarge('large', 4)
  const request = { kind: 'compress', items: ['/large'], to: '/large.tar.zst', format: 'tar.zst' }
  const job = await pausedAfter(2 ** 29, request)
  rmSync(join(server.root, 'large'))
  writeFileSync(join(server.root, 'large'), 'short by now')
  const resumed = await change(ann, job, { action: 'resume' })
  expect(await settled(ann, resumed)).toMatchObject({ state: 'done', done: { files: 1, bytes: 12 } })
  const found = unpacked(join(server.root, 'large.tar.zst'), 'tar.zst')
  if (found !== undefined) expect(found).toEqual({ large: 'short by now' })
}, 120_000)
