import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodePath, type KeptItem, type Resource, type Timeline, type Trash } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { snapshot } from './disk.ts'
import { openEvents } from './event-stream.ts'
import { copying, jobsOf, moving } from './jobs.ts'
import { until } from './process.ts'
import { operationsOf } from './random-changes.ts'
import { farServers, startFar, type World } from './remote-world.ts'
import type { Ask } from './server.ts'
import { tusOf } from './tus.ts'

const servers = await farServers()

const save = async (ask: Ask, path: string, body: string, headers: Record<string, string> = {}) =>
  (await ask(`/api/resources${path}`, { method: 'PUT', body, headers })).status
const make = async (ask: Ask, path: string, body: string | Uint8Array<ArrayBuffer>) => {
  const response = await ask(`/api/resources${encodePath(path)}`, { method: 'POST', body })
  expect([path, response.status, await response.text()]).toEqual([path, 200, expect.anything()])
}
const read = async (ask: Ask, path: string) => {
  const response = await ask(`/api/raw${encodePath(path)}`)
  return response.status === 200 ? response.text() : `status ${response.status}`
}
const namesIn = async (ask: Ask, folder: string) =>
  (await jsonIn<{ items: Resource[] }>(ask(`/api/resources${folder}`))).items.map(({ name }) => name).sort()
const itemAt = async (ask: Ask, path: string): Promise<KeptItem> => {
  const { items } = await jsonIn<Trash>(ask('/api/trash'))
  const found = items.find((item) => item.path === path)
  if (found === undefined) throw new Error(`${path} is not in the trash: ${items.map((item) => item.path)}`)
  return found
}

describe.each(Object.entries(servers))('in a mount that is %s', (_name, begin) => {
  let world: World
  afterAll(() => world[Symbol.asyncDispose]())

  test('files are written, read, listed, found, packed and replaced by their version', async () => {
    world = await startFar(await begin())
    const { ask } = world
    await make(ask, '/Far/box/a.txt', 'hello far world')
    await make(ask, '/Far/box/in/ünï 100%?.txt', 'deep')
    await make(ask, '/Far/empty/', '')
    expect(await namesIn(ask, '/Far/')).toEqual(['box', 'empty'])
    expect(await namesIn(ask, '/Far/box')).toEqual(['a.txt', 'in'])
    expect(await read(ask, '/Far/box/a.txt')).toBe('hello far world')
    const part = await ask('/api/raw/Far/box/a.txt', { headers: { range: 'bytes=6-8' } })
    expect([part.status, await part.text()]).toEqual([206, 'far'])
    expect(await read(ask, '/Far/box/in/ünï 100%?.txt')).toBe('deep')

    const search = await ask('/api/search/Far/?query=100')
    expect(await search.text()).toContain('ünï 100%?.txt')
    const zip = new Uint8Array(await (await ask('/api/raw/Far/box?algo=zip')).arrayBuffer())
    expect(Buffer.from(zip).toString('latin1')).toContain('hello far world')

    const shown = await ask('/api/resources/Far/box/a.txt')
    const etag = shown.headers.get('etag') ?? ''
    expect(etag).not.toBe('')
    expect(await save(ask, '/Far/box/a.txt', 'saved', { 'if-match': etag })).toBe(200)
    expect(await save(ask, '/Far/box/a.txt', 'lost', { 'if-match': etag })).toBe(412)
    expect(await read(ask, '/Far/box/a.txt')).toBe('saved')
    expect((await ask('/api/usage/Far/')).status).toBe(200)
  })

  test('what was replaced is a version, what was deleted is in the trash, and both come back', async () => {
    const { ask } = world
    const jobs = jobsOf(ask)
    const { moments } = await jsonIn<Timeline>(ask('/api/timeline/Far/box/a.txt'))
    expect(moments.length).toBeGreaterThan(0)
    expect((await ask('/api/resources/Far/box', { method: 'DELETE' })).status).toBe(204)
    expect(await namesIn(ask, '/Far/')).toEqual(['empty'])
    const { past, path } = await itemAt(ask, '/Far/box')
    const restored = await jobs.run({ kind: 'restore', items: [{ past, from: path, to: path }] })
    expect(restored).toMatchObject({ state: 'done', finished: 1 })
    expect(await namesIn(ask, '/Far/box')).toEqual(['a.txt', 'in'])
    expect(await read(ask, '/Far/box/a.txt')).toBe('saved')
  })

  test('a rename is taken back', async () => {
    const { ask } = world
    const rename = await ask('/api/resources/Far/box?action=rename&destination=/Far/crate', { method: 'PATCH' })
    expect([rename.status, rename.headers.get('x-destination')]).toEqual([200, '/Far/crate'])
    expect(await namesIn(ask, '/Far/')).toEqual(['crate', 'empty'])
    const [operation] = await operationsOf(ask)
    const undone = await jobsOf(ask).run({ kind: 'undo', operation: operation?.id })
    expect(undone).toMatchObject({ state: 'done', failures: [] })
    expect(await namesIn(ask, '/Far/')).toEqual(['box', 'empty'])
  })

  test('jobs copy and move between the disk and the other server, with all that is in a folder', async () => {
    const { ask, program } = world
    const jobs = jobsOf(ask)
    mkdirSync(join(program.root, 'from/in'), { recursive: true })
    writeFileSync(join(program.root, 'from/a.bin'), Buffer.alloc(300_000, 'a'))
    writeFileSync(join(program.root, 'from/in/b.txt'), 'b')
    expect(await jobs.run(copying('/Files/from', '/Far/copied'))).toMatchObject({ state: 'done', finished: 1 })
    expect((await read(ask, '/Far/copied/a.bin')).length).toBe(300_000)
    expect(await jobs.run(moving('/Far/copied', '/Files/back'))).toMatchObject({ state: 'done', finished: 1 })
    expect(snapshot(join(program.root, 'back'))).toEqual(snapshot(join(program.root, 'from')))
    expect(await namesIn(ask, '/Far/')).not.toContain('copied')
    expect(await jobs.run(moving('/Files/back', '/Far/moved'))).toMatchObject({ state: 'done' })
    expect(await namesIn(ask, '/Far/moved')).toEqual(['a.bin', 'in'])
    expect(await jobs.run(moving('/Far/moved', '/Far/box/moved'))).toMatchObject({ state: 'done' })
    expect(await read(ask, '/Far/box/moved/in/b.txt')).toBe('b')
  })

  test('symlinks that a folder holds are left out of a copy, which names them', async () => {
    const { ask, program } = world
    const jobs = jobsOf(ask)
    mkdirSync(join(program.root, 'linked/in'), { recursive: true })
    writeFileSync(join(program.root, 'linked/a.txt'), 'a')
    symlinkSync('a.txt', join(program.root, 'linked/b.txt'))
    symlinkSync('../a.txt', join(program.root, 'linked/in/c.txt'))
    const paths = expect.arrayContaining(['/Files/linked/b.txt', '/Files/linked/in/c.txt'])
    const copied = await jobs.run(copying('/Files/linked', '/Far/linked'))
    expect(copied).toMatchObject({ state: 'done', failures: [], leftOut: { count: 2, paths } })
    // Merged with what is there, it is told again.
    const merged = await jobs.run(copying('/Files/linked', '/Far/linked', { onConflict: 'replace' }))
    expect(merged).toMatchObject({ state: 'done', failures: [], leftOut: { count: 2, paths } })
    expect(await namesIn(ask, '/Far/linked')).toEqual(['a.txt', 'in'])
    expect(await jobs.run(moving('/Files/linked', '/Far/other'))).toMatchObject({ failures: [{ code: 'forbidden' }] })
  })

  test('a move that meets the same files is taken back, with those that it met', async () => {
    const { ask, program } = world
    const jobs = jobsOf(ask)
    mkdirSync(join(program.root, 'met'))
    for (const name of ['same', 'new']) {
      writeFileSync(join(program.root, 'met', name), name)
      utimesSync(join(program.root, 'met', name), 1_700_000_000, 1_700_000_000)
    }
    expect(await jobs.run(copying('/Files/met/same', '/Far/met/same'))).toMatchObject({ state: 'done' })
    for (const [from, to] of [
      ['/Files/met', '/Far/met'],
      ['/Far/met', '/Files/met'],
    ] as const) {
      const before = [await namesIn(ask, from), await namesIn(ask, to)]
      expect(await jobs.run(moving(from, to, { onConflict: 'replace' }))).toMatchObject({ state: 'done', failures: [] })
      expect((await ask(`/api/resources${from}`)).status).toBe(404)
      const [operation] = await operationsOf(ask)
      expect(await jobs.run({ kind: 'undo', operation: operation?.id })).toMatchObject({ state: 'done', failures: [] })
      expect([await namesIn(ask, from), await namesIn(ask, to)]).toEqual(before)
    }
  })

  test('a single file that is moved onto the same one is taken back', async () => {
    const { ask, program } = world
    const jobs = jobsOf(ask)
    writeFileSync(join(program.root, 'twin'), 'twin')
    utimesSync(join(program.root, 'twin'), 1_700_000_000, 1_700_000_000)
    expect(await jobs.run(copying('/Files/twin', '/Far/twin'))).toMatchObject({ state: 'done' })
    for (const [from, to] of [
      ['/Files/twin', '/Far/twin'],
      ['/Far/twin', '/Files/twin'],
    ] as const) {
      expect(await jobs.run(moving(from, to, { onConflict: 'replace' }))).toMatchObject({ state: 'done', failures: [] })
      expect(await read(ask, from)).toBe('status 404')
      const [operation] = await operationsOf(ask)
      expect(await jobs.run({ kind: 'undo', operation: operation?.id })).toMatchObject({ state: 'done', failures: [] })
      expect([await read(ask, from), await read(ask, to)]).toEqual(['twin', 'twin'])
    }
  })

  test('an upload goes on after the server was killed', async () => {
    const { ask, program } = world
    const tus = tusOf(ask)
    const bytes = Buffer.alloc(7_000_000, 0).map((_, at) => at % 251)
    expect((await tus.create('/Far/up.bin', bytes.length)).status).toBe(201)
    expect((await tus.append('/Far/up.bin', 0, bytes.subarray(0, 6_000_000))).status).toBe(204)
    expect(await namesIn(ask, '/Far/')).not.toContain('up.bin')
    await program.kill()
    await program.start()
    await until(async () => (await ask('/api/resources/Far/')).status === 200)
    const offset = Number(await tus.offset('/Far/up.bin'))
    expect(offset).toBeGreaterThan(5_000_000)
    expect((await tus.append('/Far/up.bin', offset, bytes.subarray(offset))).status).toBe(204)
    const back = Buffer.from(await (await ask('/api/raw/Far/up.bin')).arrayBuffer())
    expect(Bun.hash(back)).toBe(Bun.hash(bytes))
  })

  test('a link shows its file and follows it', async () => {
    const { ask, program } = world
    const { hash } = await jsonIn<{ hash: string }>(ask('/api/share/Far/box', { method: 'POST', body: '{}' }))
    const shared = (path: string) =>
      fetch(`${program.url}/api/public/dl/${hash}${path}`).then((answer) => answer.text())
    expect(await shared('/a.txt')).toBe('saved')
    const rename = '/api/resources/Far/box?action=rename&destination=/Far/follows'
    expect((await ask(rename, { method: 'PATCH' })).status).toBe(200)
    expect(await shared('/a.txt')).toBe('saved')
  })

  test('pictures have previews', async () => {
    const { ask } = world
    const sharp = (await import('sharp')).default
    const picture = await sharp({ create: { width: 300, height: 200, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    await make(ask, '/Far/red.png', new Uint8Array(picture))
    const preview = await ask('/api/preview/thumb/Far/red.png')
    expect([preview.status, preview.headers.get('content-type')?.startsWith('image/')]).toEqual([200, true])
  })

  test('rights hold in it as in every mount', async () => {
    const { ask, addUser } = world
    await make(ask, '/Far/open/a.txt', 'a')
    const [everybody] = await jsonIn<{ id: number }[]>(ask('/api/grants?mount=2'))
    expect((await ask(`/api/grants/${everybody?.id}`, { method: 'DELETE' })).status).toBe(204)
    await addUser('ann')
    await addUser('bob')
    await world.grant('user:2', '/open', ['see', 'download'])
    const [ann, bob] = [await world.as('ann'), await world.as('bob')]
    expect(await read(ann, '/Far/open/a.txt')).toBe('a')
    expect(await save(ann, '/Far/open/a.txt', 'b')).toBe(403)
    expect(await read(ann, '/Far/follows/a.txt')).toBeOneOf(['status 403', 'status 404'])
    expect(await read(bob, '/Far/open/a.txt')).toBe('status 404')
    expect(await jobsOf(bob).start(copying('/Far/open', '/Files/stolen'))).toMatchObject({ status: 404 })
    await world.grant('everybody', '/')
  })

  test('changes are told', async () => {
    const { ask } = world
    await using events = await openEvents(ask, '?folder=/Far/')
    await make(ask, '/Far/told.txt', 'x')
    await events.until('folder', ({ put }) => put.some(({ name }) => name === 'told.txt'))
  })
})
