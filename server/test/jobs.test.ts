import { afterAll, afterEach, expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '@filestead/contract'
import { Failure } from '../src/failure.ts'
import { draftsBelow } from './disk.ts'
import { copying, heldStorage, jobsOf, moving } from './jobs.ts'
import { until } from './process.ts'
import { startServer } from './server.ts'

const held = heldStorage()
const server = await startServer({ wrapStorage: held.wrapStorage })
afterAll(() => server.stop())
afterEach(() => {
  held.release()
  held.failWith(undefined)
})
await server.addUser('ann')
await server.addUser('bob')
await server.addUser('carl')
await server.addUser('root', { isAdmin: true })
const [asAnn, asBob, asCarl, asRoot] = [
  await server.as('ann'),
  await server.as('bob'),
  await server.as('carl'),
  await server.as('root'),
]
const [ann, bob, carl, root] = [jobsOf(asAnn), jobsOf(asBob), jobsOf(asCarl), jobsOf(asRoot)]
const isThere = (path: string) => existsSync(join(server.root, path))

test('a removal that is over within its request answers 200 with the job, and is not listed', async () => {
  server.put({ 'gone/a.txt': 'a', 'gone/b/c.txt': 'c', 'gone.txt': 'x' })
  const response = await ann.start({ kind: 'delete', items: ['/gone', '/gone.txt'] })
  expect(response.status).toBe(200)
  const job = (await response.json()) as Job
  expect(job).toMatchObject({ kind: 'delete', state: 'done', count: 2, finished: 2, from: '/', failures: [] })
  expect([isThere('gone'), isThere('gone.txt')]).toEqual([false, false])
  expect(await ann.list()).toEqual([])
  expect((await ann.find(job.id)).state).toBe('done')
})

test('ten thousand entries with long paths are one job', async () => {
  const folder = 'a folder with a long name '.repeat(8)
  server.put({ [`${folder}/kept.txt`]: 'kept' })
  const items = Array.from({ length: 10_000 }, (_, index) => `/${folder}/missing ${index}`)
  const response = await ann.start({ kind: 'delete', items }, 0)
  expect(response.status).toBe(202)
  const job = (await response.json()) as Job
  expect(job.count).toBe(10_000)
  await asAnn(`/api/jobs/${job.id}`, { method: 'DELETE' })
  await ann.until(job.id, 'cancelled')
  await asAnn(`/api/jobs/${job.id}`, { method: 'DELETE' })
  expect(isThere(`${folder}/kept.txt`)).toBe(true)
})

test('a copy that takes longer than its request answers 202, tells where it is, and ends by itself', async () => {
  server.put({ 'long/a.txt': 'hello', 'long/b/c.txt': 'c' })
  held.hold()
  const response = await ann.start(copying('/long', '/longer'), 0)
  expect(response.status).toBe(202)
  const { id } = (await response.json()) as Job
  expect(response.headers.get('location')).toBe(`/api/jobs/${id}`)
  await until(async () => (await ann.find(id)).done.bytes === 5)
  expect(await ann.find(id)).toMatchObject({
    ...{ kind: 'copy', state: 'running', names: ['long'], count: 1, from: '/', to: '/', finished: 0 },
    ...{ current: '/long/at-work.txt', done: { files: 1, bytes: 5 } },
  })
  expect((await ann.list()).map((job) => job.id)).toEqual([id])
  await until(async () => (await ann.find(id)).total !== undefined)
  expect((await ann.find(id)).total).toEqual({ files: 2, bytes: 6 })
  expect(isThere('longer')).toBe(false)
  held.release()
  expect(await ann.until(id, 'done')).toMatchObject({ finished: 1, failures: [], renamed: [] })
  expect(server.file('longer/b/c.txt')).toBe('c')
  expect(draftsBelow(server.root)).toEqual([])
  expect(await ann.remove(id)).toBe(204)
  expect(await ann.list()).toEqual([])
})

test('a job of another account is not there, but for administrators', async () => {
  server.put({ 'mine.txt': 'mine' })
  held.hold()
  const { id } = await ann.begin(copying('/mine.txt', '/mine2.txt'))
  expect((await asBob(`/api/jobs/${id}`)).status).toBe(404)
  const pause = { method: 'PATCH', body: '{"action":"pause"}' }
  expect((await asBob(`/api/jobs/${id}`, pause)).status).toBe(404)
  expect((await asBob(`/api/jobs/${id}`, { method: 'DELETE' })).status).toBe(404)
  expect(await bob.list()).toEqual([])
  expect((await asBob('/api/jobs?all=true')).status).toBe(403)
  expect(await root.list()).toEqual([])
  expect(await root.list('?all=true')).toMatchObject([{ id, owner: { id: 1, name: 'ann' }, state: 'running' }])
  expect(await root.remove(id)).toBe(204)
  await ann.until(id, 'cancelled')
  await ann.remove(id)
})

test('a job that is paused goes on where it was told to, and one that is cancelled leaves the source of a move', async () => {
  server.put({ 'walk/a.txt': 'a', 'walk/b.txt': 'b' })
  held.hold()
  const { id } = await ann.begin(moving('/walk', '/ran'))
  await until(() => isBegun(id))
  expect((await ann.change(id, { action: 'pause' })).state).toBe('paused')
  const begun = held.begun
  held.release()
  expect((await ann.find(id)).state).toBe('paused')
  expect([isThere('walk/a.txt'), isThere('ran')]).toEqual([true, false])
  expect(held.begun).toBe(begun)
  held.hold()
  await ann.change(id, { action: 'resume' })
  await until(() => held.begun > begun)
  expect((await ann.change(id, { action: 'cancel' })).state).toBe('cancelled')
  held.release()
  await until(() => draftsBelow(server.root).length === 0)
  expect([isThere('walk/a.txt'), isThere('ran')]).toEqual([true, false])
  const again = await asAnn(`/api/jobs/${id}`, { method: 'PATCH', body: '{"action":"resume"}' })
  expect(again.status).toBe(412)
  await ann.remove(id)
})

const isBegun = async (id: string): Promise<boolean> => (await ann.find(id)).done.files > 0

test('what is whole of a copy stays when it is cancelled, and not when it failed and is taken off the list', async () => {
  server.put({ 'part/a.txt': 'a' })
  held.hold()
  const { id } = await ann.begin(copying('/part', '/partly'))
  await until(() => isBegun(id))
  held.unstaged.splice(0)
  await ann.remove(id)
  await until(() => held.unstaged.includes('published'))
  await ann.remove(id)
  held.release()
  held.failWith(new Failure('no-space', 'The disk is full'))
  const failed = await ann.run(copying('/part', '/partly'))
  expect(failed.state).toBe('failed')
  held.unstaged.splice(0)
  await ann.remove(failed.id)
  expect(new Set(held.unstaged)).toEqual(new Set(['dropped']))
})

test('a job goes on with its other entries when one fails, and retry does that one alone again', async () => {
  server.put({ 'set/one.txt': '1', 'set/three.txt': '3', 'to/': '' })
  const items = ['one', 'two', 'three'].map((name) => ({ from: `/set/${name}.txt`, to: `/to/${name}.txt` }))
  const job = await ann.run({ kind: 'copy', items })
  expect(job).toMatchObject({ state: 'failed', finished: 2, count: 3, problem: { code: 'not-found' } })
  expect(job.failures).toMatchObject([{ path: '/set/two.txt', code: 'not-found' }])
  const written = statSync(join(server.root, 'to/one.txt')).ino
  server.put({ 'set/two.txt': '2' })
  await ann.change(job.id, { action: 'retry' })
  expect(await ann.until(job.id, 'done')).toMatchObject({ finished: 3, failures: [] })
  expect(readdirSync(join(server.root, 'to')).sort()).toEqual(['one.txt', 'three.txt', 'two.txt'])
  expect(statSync(join(server.root, 'to/one.txt')).ino).toBe(written)
  await ann.remove(job.id)
})

test('nothing is put aside for a job that has failed within its request', async () => {
  server.put({ 'soon/a.txt': 'a' })
  held.failWith(new Failure('no-space', 'The disk is full'))
  held.unstaged.splice(0)
  const failed = await ann.run(copying('/soon', '/sooner'))
  expect([failed.state, held.unstaged.includes('dropped')]).toEqual(['failed', true])
  await ann.remove(failed.id)
})

test('a full disk stops the job with its reason, and retry goes on', async () => {
  server.put({ 'full/a.txt': 'a', 'full/b.txt': 'b' })
  held.failWith(new Failure('no-space', 'The disk is full'))
  const items = ['a', 'b'].map((name) => ({ from: `/full/${name}.txt`, to: `/${name}-copied.txt` }))
  const job = await ann.run({ kind: 'copy', items })
  expect(job).toMatchObject({ state: 'failed', finished: 0, problem: { code: 'no-space' }, failures: [] })
  held.failWith(undefined)
  await ann.change(job.id, { action: 'retry' })
  expect(await ann.until(job.id, 'done')).toMatchObject({ finished: 2 })
  expect(server.file('b-copied.txt')).toBe('b')
  await ann.remove(job.id)
})

test('something else under the name of a folder is neither moved nor removed', async () => {
  server.put({ 'meant/a.txt': 'a', 'first.txt': '1' })
  held.hold()
  const items = ['/first.txt', '/meant']
  const { id } = await ann.begin({ kind: 'delete', items })
  await until(() => held.begun > 0)
  await asBob('/api/resources/meant?action=rename&destination=%2Felsewhere', { method: 'PATCH' })
  server.put({ 'meant/other.txt': 'other' })
  held.release()
  const job = await ann.until(id, 'failed')
  expect(job.failures).toMatchObject([{ path: '/meant', code: 'changed-meanwhile' }])
  expect([isThere('meant/other.txt'), isThere('elsewhere/a.txt'), isThere('first.txt')]).toEqual([true, true, false])
  await ann.remove(id)
})

test('a request that is sent again with its id begins nothing twice', async () => {
  server.put({ 'once.txt': 'once' })
  const request = copying('/once.txt', '/once-copied.txt', { id: crypto.randomUUID(), onConflict: 'keep-both' })
  const answers = await Promise.all([ann.run(request), ann.run(request)])
  const third = await ann.run(request)
  expect(new Set([...answers, third].map(({ id }) => id)).size).toBe(1)
  expect(isThere('once-copied (1).txt') || isThere('once-copied(1).txt')).toBe(false)
  expect((await bob.run({ ...request, items: [{ from: '/once.txt', to: '/bobs.txt' }] })).id).not.toBe(third.id)
})

test('a removal and a rename do not wait behind copies', async () => {
  server.put({ 'busy/a.txt': 'a', 'quick.txt': 'q', 'named.txt': 'n' })
  held.hold()
  const copies = await Promise.all([1, 2, 3].map((number) => carl.begin(copying('/busy', `/busy-${number}`))))
  await until(async () => (await carl.list()).filter(({ state }) => state === 'running').length === 2)
  expect((await carl.list()).map(({ state }) => state).sort()).toEqual(['queued', 'running', 'running'])
  const begun = held.begun
  const move = await carl.begin(moving('/named.txt', '/named2.txt'))
  await until(() => held.begun > begun)
  expect((await carl.find(move.id)).state).toBe('running')
  held.release()
  for (const { id } of [...copies, move]) await carl.until(id, 'done')
  expect([1, 2, 3].every((number) => isThere(`busy-${number}/a.txt`))).toBe(true)
  for (const { id } of copies) await carl.remove(id)
})

test('each entry that a job has changed is a line of the log', async () => {
  server.put({ 'told.txt': 't' })
  server.logged.splice(0)
  await ann.run(moving('/told.txt', '/retold.txt'))
  expect(JSON.stringify(server.logged)).toContain('"event":"move","door":"web","user":"ann"')
  expect(JSON.stringify(server.logged)).toContain('"path":"/told.txt","to":"/retold.txt"')
})

const world = await startServer()
afterAll(() => world.stop())
await world.addUser('ann')
const ask = await world.as('ann')

test.each([
  ['a copy', '/a.txt?action=copy&destination=%2Fnew.txt'],
  ['a move', '/a.txt?action=rename&destination=%2Fnew.txt'],
  ['a copy under a taken name', '/a.txt?action=copy&destination=%2Ftaken.txt'],
  ['a copy under a free name', '/a.txt?action=copy&destination=%2Ftaken.txt&rename=true'],
  ['a copy over another file', '/a.txt?action=copy&destination=%2Ftaken.txt&override=true'],
  ['a copy of what is not there', '/missing.txt?action=copy&destination=%2Fnew.txt'],
  ['a folder into itself', '/box?action=rename&destination=%2Fbox%2Fin'],
  ['a move onto itself', '/a.txt?action=rename&destination=%2Fa.txt'],
  ['a copy onto itself', '/a.txt?action=copy&destination=%2Fa.txt'],
  ['a copy onto itself under a free name', '/a.txt?action=copy&destination=%2Fa.txt&rename=true'],
  ['a file over a folder', '/a.txt?action=copy&destination=%2Fbox&override=true'],
  ['a merge', '/box?action=copy&destination=%2Fother&override=true'],
  ['the root', '/?action=rename&destination=%2Fx'],
  ['a removal', '/a.txt'],
  ['a removal of what is not there', '/missing.txt'],
  ['a removal of the root', '/'],
])('%s is answered alike with and without Prefer: respond-async', async (_, address) => {
  const prepare = () => {
    Bun.spawnSync(['sh', '-c', 'rm -rf ./*'], { cwd: world.root })
    world.put({ 'a.txt': 'a', 'taken.txt': 'taken', 'box/x.txt': 'x', 'other/x.txt': 'y', 'other/z.txt': 'z' })
  }
  const answers = []
  for (const prefer of ['', 'respond-async, wait=20']) {
    prepare()
    const method = address.includes('?') ? 'PATCH' : 'DELETE'
    const response = await ask(`/api/resources${address}`, { method, headers: { prefer } })
    const kept = [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id').sort()
    const files = Bun.spawnSync(['sh', '-c', 'find . -type f | sort | xargs -r grep -H .'], { cwd: world.root }).stdout
    answers.push([response.status, kept, await response.text(), files.toString()])
  }
  expect(answers[1]).toEqual(answers[0] ?? [])
  expect(await jobsOf(ask).list()).toEqual([])
})
