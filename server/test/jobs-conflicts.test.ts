import { afterAll, beforeEach, expect, test } from 'bun:test'
import { rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { ConflictChoice, Conflicts, Job } from '@filestead/contract'
import { insertJob } from '../src/jobs/store.ts'
import { jsonIn } from './answers.ts'
import { treeOf } from './disk.ts'
import { copying, heldStorage, jobsOf, moving } from './jobs.ts'
import { until } from './process.ts'
import { startServer } from './server.ts'

const held = heldStorage()
const server = await startServer({ wrapStorage: held.wrapStorage })
afterAll(() => server.stop())
await server.addUser('ann')
const deny = (path: string) => ({ regex: false, allow: false, path, regexp: { raw: '' } })
await server.addUser('eve', { rules: [deny('/there/box/secret.txt')] })
await server.addUser('dan', { lacks: ['download', 'share'] })
const [asAnn, asEve, asDan] = [await server.as('ann'), await server.as('eve'), await server.as('dan')]
const [ann, dan] = [jobsOf(asAnn), jobsOf(asDan)]

const [old, recent] = [1_600_000_000, 1_700_000_000]

/** One file that differs in /box and /there/box, one that is the same, one that is older, and one in each alone. */
beforeEach(() => {
  for (const name of ['box', 'there', 'a.txt']) rmSync(join(server.root, name), { recursive: true, force: true })
  server.put({
    'box/differs.txt': 'mine',
    'box/same.txt': 'same',
    'box/sub/older.txt': 'old',
    'box/only-here.txt': 'here',
    'there/box/differs.txt': 'theirs, and longer',
    'there/box/same.txt': 'same',
    'there/box/sub/older.txt': 'newer there',
    'there/box/only-there.txt': 'there',
    'there/box/secret.txt': 'secret',
    'a.txt': 'a',
    'there/a.txt': 'another a',
  })
  const at = (path: string, time: number) => utimesSync(join(server.root, path), time, time)
  for (const path of ['box/same.txt', 'there/box/same.txt', 'box/sub/older.txt', 'there/a.txt']) at(path, old)
  for (const path of ['there/box/sub/older.txt', 'box/differs.txt', 'a.txt']) at(path, recent)
  at('there/box/differs.txt', old)
})

const there = () => treeOf(join(server.root, 'there'))
const askConflicts = (ask: typeof asAnn, items: object[]) =>
  jsonIn<Conflicts>(ask('/api/conflicts', { method: 'POST', body: JSON.stringify({ items }) }))

test('the question which names are taken tells folders that meet, files below that differ, and how many are the same', async () => {
  const found = await askConflicts(asAnn, [
    { from: '/box', to: '/there/box' },
    { from: '/a.txt', to: '/there/a.txt' },
    { from: '/a.txt', to: '/there/free.txt' },
    { from: '/missing', to: '/there/box' },
  ])
  expect(found.conflicts.map(({ to }) => to)).toEqual([
    '/there/box',
    '/there/box/differs.txt',
    '/there/box/sub/older.txt',
    '/there/a.txt',
  ])
  expect([found.identical, found.isCut]).toEqual([1, false])
  expect(found.conflicts[1]).toEqual({
    from: '/box/differs.txt',
    to: '/there/box/differs.txt',
    source: { isDir: false, size: 4, modified: new Date(recent * 1000).toISOString() },
    target: { isDir: false, size: 18, modified: new Date(old * 1000).toISOString() },
  })
  expect(found.conflicts[0]?.source.isDir).toBe(true)
})

test('a name that the caller may not see is not told', async () => {
  server.put({ 'box/secret.txt': 'mine' })
  const paths = async (ask: typeof asAnn) =>
    (await askConflicts(ask, [{ from: '/box', to: '/there/box' }])).conflicts.map(({ to }) => to)
  expect(await paths(asAnn)).toContain('/there/box/secret.txt')
  expect(await paths(asEve)).not.toContain('/there/box/secret.txt')
  expect((await askConflicts(asEve, [{ from: '/a.txt', to: '/there/box/secret.txt' }])).conflicts).toEqual([])
})

test('an account that may not download does not learn whether a guess at the contents is right', async () => {
  server.put({ 'pin.txt': '4711', 'right.txt': '4711', 'wrong.txt': '4712' })
  for (const name of ['pin.txt', 'right.txt', 'wrong.txt']) utimesSync(join(server.root, name), old, old)
  const guesses = ['right', 'wrong'].map((name) => ({ from: `/${name}.txt`, to: '/pin.txt' }))
  const told = async (item: object) => {
    const { identical, conflicts } = await askConflicts(asDan, [item])
    return [identical, conflicts.length]
  }
  expect(await Promise.all(guesses.map(told))).toEqual([
    [0, 1],
    [0, 1],
  ])
  for (const kind of ['copy', 'move'])
    for (const item of guesses) {
      const { state, skipped } = await dan.run({ kind, items: [item], onConflict: 'skip' })
      expect([kind, state, skipped]).toEqual([kind, 'done', 1])
      const asking = await dan.run({ kind, items: [item] })
      expect([kind, asking.state]).toEqual([kind, 'asking'])
      await dan.remove(asking.id)
    }
})

test('more conflicts than can be told one by one are cut', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 1100 }, (_, index) => [
      [`box/many/${index}.txt`, 'x'],
      [`there/box/many/${index}.txt`, 'yy'],
    ]).flat(),
  )
  server.put(files)
  const found = await askConflicts(asAnn, [{ from: '/box', to: '/there/box' }])
  expect([found.conflicts.length, found.isCut]).toEqual([1000, true])
})

const merged = {
  'box/': '',
  'box/only-here.txt': 'here',
  'box/only-there.txt': 'there',
  'box/same.txt': 'same',
  'box/secret.txt': 'secret',
  'box/sub/': '',
}
const [mine, theirs] = [{ 'box/differs.txt': 'mine' }, { 'box/differs.txt': 'theirs, and longer' }]
const [older, newer] = [{ 'box/sub/older.txt': 'old' }, { 'box/sub/older.txt': 'newer there' }]

/** With the choice 'replace' for the folder itself. */
const nested: [ConflictChoice, Record<string, string>][] = [
  ['skip', { ...merged, ...theirs, ...newer }],
  ['replace', { ...merged, ...mine, ...older }],
  ['newer', { ...merged, ...mine, ...newer }],
  ['keep-both', { ...merged, ...theirs, ...newer, 'box/differs(1).txt': 'mine', 'box/sub/older(1).txt': 'old' }],
]

test.each(nested)('files below a folder that is merged are treated as chosen: %s', async (choice, expected) => {
  const choices = { '/there/box': 'replace' }
  const job = await ann.run(copying('/box', '/there/box', { onConflict: choice, choices }))
  expect(job).toMatchObject({ state: 'done', failures: [] })
  expect(there()).toEqual({ ...expected, 'a.txt': 'another a' })
  expect(treeOf(join(server.root, 'box'))['differs.txt']).toBe('mine')
})

const top: [ConflictChoice, Record<string, string>, Partial<Job>][] = [
  ['skip', { 'a.txt': 'another a' }, { skipped: 1 }],
  ['replace', { 'a.txt': 'a' }, { skipped: 0 }],
  ['newer', { 'a.txt': 'a' }, { skipped: 0 }],
  ['keep-both', { 'a.txt': 'another a', 'a(1).txt': 'a' }, { renamed: [{ from: '/a.txt', to: '/there/a(1).txt' }] }],
]

test.each(top)('a file whose own name is taken is treated as chosen: %s', async (choice, expected, facts) => {
  for (const kind of [copying, moving]) {
    server.put({ 'a.txt': 'a', 'there/a.txt': 'another a' })
    rmSync(join(server.root, 'there/a(1).txt'), { force: true })
    utimesSync(join(server.root, 'a.txt'), recent, recent)
    utimesSync(join(server.root, 'there/a.txt'), old, old)
    expect(await ann.run(kind('/a.txt', '/there/a.txt', { onConflict: choice }))).toMatchObject({
      state: 'done',
      ...facts,
    })
    const files = Object.fromEntries(Object.entries(there()).filter(([path]) => /^a/.test(path)))
    expect(files).toEqual(expected)
    const isLeft = 'a.txt' in treeOf(server.root)
    expect(isLeft).toBe(kind === copying || choice === 'skip')
  }
})

test('an older file does not take the place of a newer one with the choice newer', async () => {
  const job = await ann.run(moving('/box/sub/older.txt', '/there/box/sub/older.txt', { onConflict: 'newer' }))
  expect(job).toMatchObject({ state: 'done', skipped: 1 })
  expect(there()['box/sub/older.txt']).toBe('newer there')
  expect(treeOf(server.root)['box/sub/older.txt']).toBe('old')
})

test('a folder whose name is taken is left out, or kept beside the other one as a whole', async () => {
  await ann.run(copying('/box', '/there/box', { onConflict: 'skip' }))
  expect(there()['box/only-here.txt']).toBeUndefined()
  const job = await ann.run(moving('/box', '/there/box', { onConflict: 'keep-both' }))
  expect(job.renamed).toEqual([{ from: '/box', to: '/there/box(1)' }])
  expect(there()).toMatchObject({ 'box(1)/differs.txt': 'mine', 'box/differs.txt': 'theirs, and longer' })
  expect(treeOf(server.root)['box/differs.txt']).toBeUndefined()
})

test('what a merge by a move leaves out stays in the source', async () => {
  const more = { onConflict: 'skip', choices: { '/there/box': 'replace', '/there/box/differs.txt': 'replace' } }
  expect(await ann.run(moving('/box', '/there/box', more))).toMatchObject({ state: 'done' })
  expect(there()).toMatchObject({ ...merged, ...mine, ...newer })
  expect(treeOf(join(server.root, 'box'))).toEqual({ 'sub/': '', 'sub/older.txt': 'old' })
})

test('a file that is the same at the target is not copied, and a move takes it from its source', async () => {
  const copy = await ann.run(copying('/box/same.txt', '/there/box/same.txt'))
  expect(copy).toMatchObject({ state: 'done', skipped: 1, conflicts: [] })
  expect(await ann.run(moving('/box/same.txt', '/there/box/same.txt'))).toMatchObject({ state: 'done', conflicts: [] })
  expect([treeOf(server.root)['box/same.txt'], there()['box/same.txt']]).toEqual([undefined, 'same'])
})

test('a file of the same size and time with other content is asked about before a move', async () => {
  server.put({ 'box/same.txt': 'emas' })
  utimesSync(join(server.root, 'box/same.txt'), old, old)
  const job = await ann.run(moving('/box/same.txt', '/there/box/same.txt'))
  expect(job).toMatchObject({ state: 'asking', conflicts: [{ to: '/there/box/same.txt' }] })
  expect(await ann.remove(job.id)).toBe(204)
  expect([treeOf(server.root)['box/same.txt'], there()['box/same.txt']]).toEqual(['emas', 'same'])
})

test('a job asks about names that are taken when all else is done, and goes on with each answer', async () => {
  server.put({ 'free.txt': 'free' })
  const items = [
    { from: '/a.txt', to: '/there/a.txt' },
    { from: '/box', to: '/there/box' },
    { from: '/free.txt', to: '/there/free.txt' },
  ]
  const asked = await ann.run({ kind: 'copy', items })
  expect(asked).toMatchObject({ state: 'asking', finished: 1, count: 3 })
  expect(asked.conflicts.map(({ to }) => to)).toEqual([
    '/there/a.txt',
    '/there/box',
    '/there/box/differs.txt',
    '/there/box/sub/older.txt',
  ])
  expect(there()['free.txt']).toBe('free')
  await ann.change(asked.id, { choices: { '/there/a.txt': 'replace' } })
  await until(async () => (await ann.find(asked.id)).finished === 2)
  expect(there()['a.txt']).toBe('a')
  expect((await ann.until(asked.id, 'asking')).conflicts).toHaveLength(3)
  await ann.change(asked.id, { choices: { '/there/box': 'replace', '/there/box/differs.txt': 'keep-both' } })
  expect((await ann.until(asked.id, 'asking')).conflicts.map(({ to }) => to)).toEqual(['/there/box/sub/older.txt'])
  await ann.change(asked.id, { forAll: 'skip' })
  expect(await ann.until(asked.id, 'done')).toMatchObject({ finished: 3, conflicts: [] })
  expect(there()).toMatchObject({ ...merged, ...theirs, ...newer, 'box/differs(1).txt': 'mine' })
})

test('a list of jobs tells the conflicts that wait for an answer, as each job does', async () => {
  const items = ['/a.txt', '/box/differs.txt'].map((from) => ({ from, to: `/there${from}` }))
  const { id } = await ann.run({ kind: 'copy', items })
  await ann.change(id, { action: 'pause' })
  await ann.change(id, { choices: { '/there/a.txt': 'skip' } })
  const listed = (await ann.list()).find((job) => job.id === id)
  expect(listed?.conflicts.map(({ to }) => to)).toEqual(['/there/box/differs.txt'])
  expect(listed).toEqual(await ann.find(id))
  await ann.remove(id)
})

test('a name that is taken while the job runs makes one entry wait, and the others go on', async () => {
  server.put({ 'one.txt': '1', 'two.txt': '2' })
  held.hold()
  const items = ['one', 'two'].map((name) => ({ from: `/${name}.txt`, to: `/there/late-${name}.txt` }))
  const begun = held.begun
  const { id } = await ann.begin({ kind: 'move', items })
  await until(() => held.begun > begun)
  server.put({ 'there/late-one.txt': 'came first' })
  held.release()
  const asked = await ann.until(id, 'asking')
  expect(asked).toMatchObject({ finished: 1, conflicts: [{ to: '/there/late-one.txt' }] })
  expect(treeOf(server.root)).toMatchObject({ 'one.txt': '1', 'there/late-two.txt': '2' })
  await ann.change(id, { choices: { '/there/late-one.txt': 'keep-both' } })
  expect(await ann.until(id, 'done')).toMatchObject({ renamed: [{ to: '/there/late-one(1).txt' }] })
  expect(there()).toMatchObject({ 'late-one.txt': 'came first', 'late-one(1).txt': '1' })
})

/** Two files of one size and time with other contents, as two programs write them in one moment. */
function putAlike(mine: string, theirs: string): void {
  server.put({ [mine]: 'one', [theirs]: 'eno' })
  for (const path of [mine, theirs]) utimesSync(join(server.root, path), old, old)
}

test('what only looks the same is told before the first byte', async () => {
  putAlike('box/alike.txt', 'there/box/alike.txt')
  putAlike('b.txt', 'there/b.txt')
  const found = await askConflicts(asAnn, [
    { from: '/box', to: '/there/box' },
    { from: '/b.txt', to: '/there/b.txt' },
  ])
  const told = found.conflicts.map(({ to }) => to)
  expect(told).toEqual(expect.arrayContaining(['/there/box/alike.txt', '/there/b.txt']))
  expect(found.identical).toBe(1)
})

test.each([copying, moving])('what only looks the same is replaced where that was chosen (%p)', async (request) => {
  putAlike('box/alike.txt', 'there/box/alike.txt')
  putAlike('b.txt', 'there/b.txt')
  expect((await ann.run(request('/box', '/there/box', { onConflict: 'replace' }))).state).toBe('done')
  expect((await ann.run(request('/b.txt', '/there/b.txt', { onConflict: 'replace' }))).state).toBe('done')
  expect(there()).toMatchObject({ 'box/alike.txt': 'one', 'b.txt': 'one' })
})

test.each([copying, moving])('what only looks the same is asked about (%p)', async (request) => {
  putAlike('box/alike.txt', 'there/box/alike.txt')
  const choices = { '/there/box': 'replace', '/there/box/differs.txt': 'skip', '/there/box/sub/older.txt': 'skip' }
  const job = await ann.run(request('/box', '/there/box', { onConflict: 'ask', choices }))
  expect([job.state, job.conflicts.map(({ to }) => to)]).toEqual(['asking', ['/there/box/alike.txt']])
  expect(there()['box/alike.txt']).toBe('eno')
  await ann.change(job.id, { choices: { '/there/box/alike.txt': 'replace' } })
  await ann.until(job.id, 'done')
  expect(there()['box/alike.txt']).toBe('one')
})

test.each(['', 'respond-async'])('a copy that may overwrite replaces what only looks the same (%p)', async (prefer) => {
  putAlike('c.txt', 'there/c.txt')
  const url = '/api/resources/c.txt?action=copy&destination=/there/c.txt&override=true'
  expect((await asAnn(url, { method: 'PATCH', headers: { prefer } })).status).toBe(200)
  expect(there()['c.txt']).toBe('one')
})

test('a list of many jobs tells some conflicts of each, and all of them are told by a job itself', async () => {
  const { db } = server.app.deps
  const side = { isDir: false, size: 1, modified: '2026-01-01T00:00:00Z' }
  const conflicts = Array.from({ length: 1000 }, (_, index) => ({
    ...{ index, from: `/a/${index}`, to: `/b/${index}`, source: side, target: side },
  }))
  const notes = { kind: {}, failures: [], alsoFailed: [], conflicts, renamed: [], skipped: 0 }
  const ids = Array.from({ length: 25 }, (_, index) => `many-${String(index).padStart(2, '0')}`)
  for (const id of ids) {
    const row = {
      ...{ id, user_id: 1, kind: 'copy', state: 'failed', choices: '{"forAll":"ask","by":{}}', cursor: 1000 },
      ...{
        summary: JSON.stringify({ asked: id, names: ['a'], count: 1000 }),
        notes: JSON.stringify(notes),
        plan: '{}',
      },
      ...{ files_done: 0, bytes_done: 0, files_total: null, bytes_total: null, problem: null, message: null },
      ...{ node: null, created_at: 1, started_at: 1, ended_at: 1 },
    }
    await insertJob(db, row, undefined)
  }
  const told = (await ann.list()).filter(({ id }) => id.startsWith('many-'))
  expect(told.map(({ id }) => id)).toEqual(ids.toReversed())
  const counts = told.map((job) => job.conflicts.length)
  expect(Math.min(...counts)).toBeGreaterThan(0)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThan(6000)
  expect((await ann.find('many-00')).conflicts).toHaveLength(1000)
})
