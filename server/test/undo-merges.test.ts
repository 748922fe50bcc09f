import { afterAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Trash } from '@filestead/contract'
import { zipOf } from '../src/archives/reading/archives.fixture.ts'
import type { Change } from '../src/changes/change.ts'
import type { BeginOptions } from '../src/changes/operations.ts'
import { lookIn } from '../src/history/operations/look.ts'
import { operationsIn } from '../src/history/operations/operations.ts'
import type { Location } from '../src/mounts/location.ts'
import { operationsOf, startJob, treeIn } from './random-changes.ts'
import { type Ask, startServer, type TestServer } from './server.ts'

const server = await startServer({ history: { trash: 'on', versions: true } })
afterAll(() => server.stop())
await server.addUser('ada')
const ada = await server.as('ada')
const tree = () => treeIn({ '': server.root })

/** Takes back the last so many acts, the last one first, and answers with the ids of what took them back. */
async function takeBack(ask: Ask, count: number): Promise<string[]> {
  const acts = (await operationsOf(ask)).slice(0, count)
  const ids: string[] = []
  for (const { id } of acts) ids.push(await undo(ask, id))
  return ids
}

async function undo(ask: Ask, operation: string): Promise<string> {
  const { id, state, failures, message } = await startJob(ask, { kind: 'undo', operation })
  expect([message, failures, state]).toEqual([undefined, [], 'done'])
  return id
}

async function redo(ask: Ask, ids: readonly string[]): Promise<string[]> {
  const again: string[] = []
  for (const id of ids.toReversed()) again.push(await undo(ask, id))
  return again
}

/** The same time, so that both look like the same file. */
function sameTime({ root }: TestServer, ...paths: string[]): void {
  for (const path of paths) utimesSync(join(root, path), 1_700_000_000, 1_700_000_000)
}

describe('a restore that is merged with a folder', () => {
  async function restored(name: string) {
    const files = {
      'a.txt': 'old a',
      'b.txt': 'b',
      'in/c.txt': 'old c',
      'in/d.txt': 'd',
      'whole/e.txt': 'e',
      'same.txt': '=',
    }
    const put = (all: Record<string, string>) =>
      server.put(Object.fromEntries(Object.entries(all).map(([path, text]) => [`${name}/${path}`, text])))
    put({ ...files, 'none/': '', 'in/none/': '' })
    sameTime(server, `${name}/same.txt`)
    const states = [tree()]
    await ada(`/api/resources/${name}`, { method: 'DELETE' })
    states.push(tree())
    for (const path of ['a.txt', 'in/c.txt', 'f.txt'])
      await ada(`/api/resources/${name}/${path}`, { method: 'POST', body: `new ${path}` })
    await ada(`/api/resources/${name}/none/`, { method: 'POST' })
    put({ 'same.txt': '=' })
    sameTime(server, `${name}/same.txt`)
    states.push(tree())
    const { items } = (await (await ada('/api/trash')).json()) as Trash
    const { past, path } = items.find(({ path }) => path === `/${name}`) ?? { past: '', path: '' }
    const request = { kind: 'restore', items: [{ past, from: path, to: path }], onConflict: 'replace' }
    expect((await startJob(ada, request)).state).toBe('done')
    states.push(tree())
    return states
  }

  test('is taken back, with what was there before it, and redone', async () => {
    const [, , before, after] = await restored('box')
    expect(after?.['/box/b.txt']).toBeDefined()
    const ids = await takeBack(ada, 1)
    expect(tree()).toEqual(before as Record<string, string>)
    const again = await redo(ada, ids)
    expect(tree()).toEqual(after as Record<string, string>)
    await redo(ada, again)
    expect(tree()).toEqual(before as Record<string, string>)
  })

  test('leaves what came before it to be taken back: the folder that was removed comes back whole', async () => {
    const [first, removed, , after] = await restored('case')
    const ids = await takeBack(ada, 5)
    rmSync(join(server.root, 'case/same.txt'))
    rmSync(join(server.root, 'case'), { recursive: true })
    expect(tree()).toEqual(removed as Record<string, string>)
    const [removal] = (await operationsOf(ada)).filter(({ kind, canUndo }) => kind === 'remove' && canUndo)
    const undone = await undo(ada, removal?.id ?? '')
    expect(tree()).toEqual(first as Record<string, string>)
    await undo(ada, undone)
    expect(tree()).toEqual(removed as Record<string, string>)
    server.put({ 'case/same.txt': '=' })
    sameTime(server, 'case/same.txt')
    await redo(ada, ids)
    expect(tree()).toEqual(after as Record<string, string>)
  })
})

test('what is merged through a symlink is taken back once, whether it was moved or extracted', async () => {
  server.put({
    'l1/a': 'a',
    'l1/in/b': 'b',
    'l3/l2/in/x': 'x',
    'l3/l2/c': 'old',
    'l.zip': zipOf([{ name: 'c', content: 'new' }]),
  })
  symlinkSync('l3', join(server.root, 'l4'))
  symlinkSync('l2', join(server.root, 'l3/l5'))
  const before = tree()
  for (const job of [
    { kind: 'move', items: [{ from: '/l1', to: '/l4/l2' }], onConflict: 'replace' },
    { kind: 'extract', from: '/l.zip', to: '/l3/l5', onConflict: 'replace' },
  ])
    expect(await startJob(ada, job)).toMatchObject({ state: 'done', failures: [] })
  expect(tree()).not.toEqual(before)
  await takeBack(ada, 2)
  expect(tree()).toEqual(before)
})

describe('a folder whose merge was killed in the middle', () => {
  const ids = operationsIn({
    db: server.app.deps.db,
    isOneOfSeveral: false,
    clock: server.app.deps.clock,
    node: { id: 'a dead one', isAlive: (id) => id !== 'a dead one' },
    log: { warn: () => {} },
    look: lookIn(server.app.deps.storageAt),
  })
  const account = async () =>
    server.app.deps.db
      .selectFrom('user')
      .select(['id', 'username'])
      .where('username', '=', 'ada')
      .executeTakeFirstOrThrow()

  /** Begins what a server would, does a part of it as the storage would, and looks at it as the next server does. */
  async function killed(
    { from, to, kind, ...options }: Pick<Change, 'kind'> & { from?: string; to: string } & BeginOptions,
    part: (begunAt: number) => void,
  ) {
    const { id, username } = await account()
    batches += 1
    const batch = `killed-${to.slice(1)}-${kind}-${batches}`
    const actor = { id, name: username }
    const ends = { ...(from !== undefined && { from: from as Location }), to: to as Location }
    await ids.begin({ kind, actor, door: 'web', ...ends, batch }, options)
    const row = server.app.deps.db.selectFrom('operation').select('at').where('batch', '=', batch)
    part((await row.executeTakeFirstOrThrow()).at)
    await ids.recover()
    return batch
  }
  let batches = 0
  const at = (path: string) => join(server.root, path)

  test('by a move comes back as far as it had gone', async () => {
    server.put({
      'm1/a': 'a',
      'm1/in/b': 'b',
      'm1/in/c': 'c',
      'm1/out/d': 'd',
      'm1/e': 'e',
      'm2/in/x': 'x',
      'm2/e': 'old e',
    })
    const before = tree()
    const act = await killed({ kind: 'move', from: '/m1', to: '/m2' }, () => {
      for (const path of ['a', 'in/b', 'in/c', 'out']) renameSync(at(`m1/${path}`), at(`m2/${path}`))
      rmSync(at('m1/in'), { recursive: true })
    })
    expect(tree()).not.toEqual(before)
    const undone = await undo(ada, act)
    expect(tree()).toEqual(before)
    await undo(ada, undone)
    expect(tree()).not.toEqual(before)
  })

  test('by a copy is removed as far as it had come, and nothing else', async () => {
    server.put({ 'c1/a': 'a', 'c1/in/b': 'b', 'c1/in/c': 'c', 'c1/new/d': 'd', 'c2/in/x': 'x', 'c2/in/c': 'another c' })
    for (const path of ['c1/a', 'c1/in/b', 'c1/in/c', 'c1/new/d', 'c1/new']) sameTime(server, path)
    const before = tree()
    const act = await killed({ kind: 'copy', from: '/c1', to: '/c2' }, () => {
      for (const path of ['a', 'in/b', 'new'])
        cpSync(at(`c1/${path}`), at(`c2/${path}`), { recursive: true, preserveTimestamps: true })
      sameTime(server, 'c2/new')
    })
    await undo(ada, act)
    expect(tree()).toEqual(before)
  })

  test('by a copy that keeps both is removed under the numbers that it got, and what had such a number stays', async () => {
    server.put({ 'b1/a.txt': 'new', 'b1/in/c.txt': 'c', 'b1/in/d.txt': 'd' })
    server.put({ 'b2/a.txt': 'old', 'b2/a(1).txt': 'new', 'b2/in/c.txt': 'old', 'b2/in/d.txt': 'old' })
    sameTime(server, 'b1/a.txt', 'b2/a(1).txt', 'b1/in/c.txt', 'b1/in/d.txt')
    const before = tree()
    const act = await killed({ kind: 'copy', from: '/b1', to: '/b2' }, () => {
      cpSync(at('b1/a.txt'), at('b2/a(2).txt'), { preserveTimestamps: true })
      cpSync(at('b1/in/c.txt'), at('b2/in/c(1).txt'), { preserveTimestamps: true })
    })
    await undo(ada, act)
    expect(tree()).toEqual(before)
  })

  test.each([
    ['extract', 'in its target', 'x-in/.filestead-draft-job.0'],
    ['extract', 'beside its target', '.filestead-draft-job.0'],
    ['restore', 'in its target', 'x-past/.filestead-draft-job.0'],
  ] as const)('by what lay hidden (%s, %s) is removed as far as each go had come', async (kind, _, hidden) => {
    const to = hidden.includes('/') ? dirname(hidden) : 'x-beside'
    const [tree1, tree2] = [hidden, `${hidden}.parts/tree`]
    const files = {
      'a.txt': 'a',
      'b.txt': 'new b',
      'in/c.txt': 'c',
      'in/d.txt': 'd',
      'whole/e.txt': 'e',
      'last.txt': '',
    }
    server.put({ [`${to}/b.txt`]: 'b', [`${to}/in/d.txt`]: 'old d', [`${to}/mine.txt`]: 'mine' })
    const before = tree()
    server.put(Object.fromEntries(Object.entries(files).map(([path, text]) => [`${hidden}/${path}`, text])))
    const change = { kind, to: `/${to}`, hidden: { id: 'job.0', inside: hidden.includes('/') } }
    const place = (path: string, name = path) => renameSync(at(`${tree2}/${path}`), at(`${to}/${name}`))
    const first = await killed(change, () => {
      mkdirSync(at(`${hidden}.parts`))
      renameSync(at(tree1), at(tree2))
      place('a.txt')
      place('b.txt', 'b(1).txt')
      place('in/c.txt')
    })
    const second = await killed(change, () => {
      place('whole')
      place('in/d.txt', 'in/d(1).txt')
    })
    const third = await killed(change, () => {
      place('last.txt')
      rmSync(at(`${hidden}.parts`), { recursive: true })
    })
    const nothing = await killed(change, () => {})
    expect((await operationsOf(ada)).map(({ id }) => id)).not.toContain(nothing)
    for (const act of [third, second, first]) await undo(ada, act)
    expect(tree()).toEqual(before)
  })

  test('through a symlink is taken back as far as it had come', async () => {
    server.put({
      's1/a': 'a',
      's1/in/b': 'b',
      's1/in/c': 'c',
      'real/s2/in/x': 'x',
      'real/s2/.filestead-draft-j.0/d': 'd',
    })
    symlinkSync('real', at('link'))
    symlinkSync('s2', at('real/link'))
    const before = shown()
    const moved = await killed({ kind: 'move', from: '/s1', to: '/link/s2' }, () => {
      for (const path of ['a', 'in/b']) renameSync(at(`s1/${path}`), at(`real/s2/${path}`))
    })
    const hidden = { id: 'j.0', inside: true }
    const extracted = await killed({ kind: 'extract', to: '/real/link', hidden }, () =>
      renameSync(at('real/s2/.filestead-draft-j.0/d'), at('real/s2/d')),
    )
    expect(shown()).not.toEqual(before)
    for (const act of [extracted, moved]) await undo(ada, act)
    expect(shown()).toEqual(before)
  })
  const shown = () => Object.entries(tree()).filter(([path]) => !path.includes('.filestead-draft'))

  test('by a move to another disk, whose sources had not gone yet, leaves these', async () => {
    server.put({ 'x1/a': 'a', 'x1/b': 'b', 'x2/c': 'c' })
    for (const path of ['x1/a', 'x1/b']) sameTime(server, path)
    const before = tree()
    const act = await killed({ kind: 'move', from: '/x1', to: '/x2' }, () =>
      cpSync(at('x1/a'), at('x2/a'), { preserveTimestamps: true }),
    )
    await undo(ada, act)
    expect(tree()).toEqual(before)
  })

  test.each([
    ['a time long ago', 1_700_000_000],
    ['the time of a clock that goes in steps', undefined],
  ])('by uploads of new files goes, a folder that was made for them as well: with %s', async (name, time) => {
    const [folder, first, second] = [`up ${name}`, `up ${name}/a.txt`, `up ${name}/b.txt`]
    const before = tree()
    const made = await killed({ kind: 'create-folder', to: `/${folder}` }, (begunAt) => {
      mkdirSync(at(folder))
      utimesSync(at(folder), new Date(begunAt - 5), new Date(begunAt - 5))
    })
    const uploaded = async (path: string) => {
      const fresh = { size: 3, modified: time === undefined ? undefined : time * 1000 }
      return killed({ kind: 'upload', to: `/${path}`, fresh }, (begunAt) => {
        server.put({ [path]: 'new' })
        const written = new Date(fresh.modified ?? begunAt - 5)
        utimesSync(at(path), written, written)
      })
    }
    const acts = [made, await uploaded(first), await uploaded(second)]
    for (const act of acts.toReversed()) await undo(ada, act)
    expect(tree()).toEqual(before)
  })

  test('by an upload that may have replaced something, and is as old as what was there, stays', async () => {
    server.put({ 'old.txt': 'old' })
    sameTime(server, 'old.txt')
    const act = await killed({ kind: 'upload', to: '/old.txt' }, () => {})
    expect((await operationsOf(ada)).map(({ id }) => id)).not.toContain(act)
  })

  test('of which nothing had happened is forgotten', async () => {
    server.put({ 'n1/a': 'a', 'n2/b': 'b' })
    const act = await killed({ kind: 'move', from: '/n1', to: '/n2' }, () => {})
    expect((await operationsOf(ada)).map(({ id }) => id)).not.toContain(act)
  })

  test('and of which a part cannot be found says that it is not known', async () => {
    server.put({ 'u1/a': 'a', 'u1/b': 'b', 'u2/c': 'c' })
    const act = await killed({ kind: 'move', from: '/u1', to: '/u2' }, () => rmSync(at('u1/a')))
    expect((await operationsOf(ada)).find(({ id }) => id === act)).toMatchObject({ canUndo: false, why: 'unfinished' })
  })
})

const other = mkdtempSync(join(tmpdir(), 'filestead-other-disk-'))
const isTwoDisks = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', other], {
  stderr: 'ignore',
}).success
afterAll(() => {
  if (isTwoDisks) Bun.spawnSync(['umount', other])
  rmSync(other, { recursive: true, force: true })
})

describe.skipIf(!isTwoDisks)(`a move to another disk${isTwoDisks ? '' : ' (needs to mount a tmpfs)'}`, () => {
  test.each([
    ['a folder', true],
    ['a file', false],
  ])('that meets the same files there is taken back: %s', async (_, isFolder) => {
    const name = isFolder ? 'far' : 'far.txt'
    const point = join(server.root, `disk-${name}`)
    mkdirSync(point)
    expect(Bun.spawnSync(['mount', '--bind', other, point]).success).toBe(true)
    try {
      const inside = isFolder ? ['/same', '/in/same', '/new', '/in/other'] : ['']
      for (const path of inside) server.put({ [`${name}${path}`]: `here ${path}` })
      for (const path of inside.filter((path) => !path.endsWith('new')))
        server.put({ [`disk-${name}/${name}${path}`]: path.endsWith('other') ? 'another' : `here ${path}` })
      sameTime(server, ...inside.map((path) => `${name}${path}`))
      sameTime(server, ...inside.filter((path) => !/new|other/.test(path)).map((path) => `disk-${name}/${name}${path}`))
      const before = tree()
      const move = { kind: 'move', items: [{ from: `/${name}`, to: `/disk-${name}/${name}` }], onConflict: 'replace' }
      expect((await startJob(ada, move)).state).toBe('done')
      const after = tree()
      expect(after[`/${name}${inside[0]}`]).toBeUndefined()
      const undone = await takeBack(ada, 1)
      expect(tree()).toEqual(before)
      if (!isFolder) expect(statSync(join(server.root, name)).mtimeMs).toBe(1_700_000_000_000)
      await redo(ada, undone)
      expect(tree()).toEqual(after)
    } finally {
      Bun.spawnSync(['umount', point])
    }
  })
})
