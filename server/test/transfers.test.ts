import { afterAll, beforeEach, expect, test } from 'bun:test'
import { chmodSync, linkSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { treeOf } from './disk.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
await server.addUser('careful', { lacks: ['modify'] })
const [alice, careful] = [await server.as('alice'), await server.as('careful')]
afterAll(() => server.stop())

beforeEach(() => {
  rmSync(server.root, { recursive: true, force: true })
  server.put({ 'a.txt': 'a', 'b.txt': 'b', 'box/in.txt': 'in', 'box/deep/er.txt': 'er' })
})

type Flags = { override?: boolean; rename?: boolean }
const actions = ['copy', 'rename'] as const
const at = (path: string) => join(server.root, path)
const tree = () => treeOf(server.root)

const patch = async (source: string, query: string, ask = alice) => {
  const response = await ask(`/api/resources${source}?${query}`, { method: 'PATCH' })
  return { status: response.status, text: await response.text() }
}
const transfer = async (action: string, from: string, to: string, flags: Flags = {}, ask = alice) => {
  const destination = encodeURIComponent(encodeURIComponent(to))
  const words = Object.entries(flags).map(([name, value]) => `&${name}=${value}`)
  return (await patch(from, `action=${action}&destination=${destination}${words.join('')}`, ask)).status
}

/** The files of the tree after a copy or a move. */
const after = (action: string, before: Record<string, string>, gone: string[], added: Record<string, string>) => {
  const kept = Object.entries(before).filter(([path]) => action === 'copy' || !gone.includes(path))
  return { ...Object.fromEntries(kept), ...added }
}

test.each(actions)('%s gives a file or a folder another name or folder', async (action) => {
  const before = tree()
  expect(await patch('/a.txt', `action=${action}&destination=/c.txt`)).toEqual({ status: 200, text: '200 OK\n' })
  expect(await transfer(action, '/box', '/far/away/box2')).toBe(200)
  expect(tree()).toEqual(
    after(action, before, ['a.txt', 'box/', 'box/in.txt', 'box/deep/', 'box/deep/er.txt'], {
      'c.txt': 'a',
      'far/': '',
      'far/away/': '',
      'far/away/box2/': '',
      'far/away/box2/in.txt': 'in',
      'far/away/box2/deep/': '',
      'far/away/box2/deep/er.txt': 'er',
    }),
  )
})

test.each(actions)('%s ignores a slash at the end of a folder', async (action) => {
  expect(await transfer(action, '/box/', '/other/')).toBe(200)
  expect(server.file('other/in.txt')).toBe('in')
})

test.each([
  ['once', encodeURIComponent('/plain name.txt'), 'plain name.txt'],
  ['twice', encodeURIComponent(encodeURIComponent('/50% + a&b.txt')), '50% + a&b.txt'],
  ['once with a plus sign, which means a space', encodeURIComponent('/a+b.txt'), 'a b.txt'],
  ['twice with a plus sign', encodeURIComponent(encodeURIComponent('/a+b.txt')), 'a+b.txt'],
  ['not at all', '/a+b.txt', 'a b.txt'],
  ['three times, of which the last stays', '%25252F.txt', '%2F.txt'],
  ['without a leading slash', 'rooted.txt', 'rooted.txt'],
])('the destination is decoded when it is encoded %s', async (_how, destination, name) => {
  expect((await patch('/a.txt', `action=copy&destination=${destination}`)).status).toBe(200)
  expect(Object.keys(tree())).toContain(name)
})

test.each(['%25', '%25zz', '/x%25ff', '%', '%zz.txt'])(
  'the invalid destination %s is refused or creates one entry',
  async (destination) => {
    const before = tree()
    const { status } = await patch('/a.txt', `action=copy&destination=${destination}`)
    // A lone percent sign may also pass for itself, as long as nothing but the new name appears.
    if (status === 200) expect(Object.keys(tree()).length).toBe(Object.keys(before).length + 1)
    else expect([status, tree()]).toEqual([400, before])
  },
)

test.each(actions)('%s onto a taken name is refused, and nothing changes', async (action) => {
  const before = tree()
  for (const [from, to] of [
    ['/a.txt', '/b.txt'],
    ['/a.txt', '/box'],
    ['/box', '/a.txt'],
    ['/box/deep', '/box'],
    ['/box/in.txt', '/b.txt'],
  ] as const)
    expect([from, to, await transfer(action, from, to)]).toEqual([from, to, 409])
  expect(await patch('/a.txt', `action=${action}&destination=/b.txt&override=1&rename=yes`)).toMatchObject({
    status: 409,
  })
  expect(tree()).toEqual(before)
})

test.each(actions)('%s with override replaces a file', async (action) => {
  const before = tree()
  expect(await transfer(action, '/a.txt', '/box/in.txt', { override: true })).toBe(200)
  expect(tree()).toEqual(after(action, before, ['a.txt'], { 'box/in.txt': 'a' }))
})

test.each(actions)('%s with override merges folders', async (action) => {
  server.put({ 'from/in.txt': 'newer', 'from/new.txt': 'new', 'from/deep/more/x.txt': 'x' })
  const before = tree()
  expect(await transfer(action, '/from', '/box', { override: true })).toBe(200)
  const source = Object.keys(before).filter((path) => path.startsWith('from/'))
  expect(tree()).toEqual(
    after(action, before, source, {
      'box/in.txt': 'newer',
      'box/new.txt': 'new',
      'box/deep/more/': '',
      'box/deep/more/x.txt': 'x',
    }),
  )
})

test.each(actions)('%s with override does not replace a folder by a file or a file by a folder', async (action) => {
  server.put({ 'from/a.txt': 'a', 'from/deep': 'a file', 'from/in.txt/x': '' })
  const before = tree()
  for (const [from, to] of [
    ['/a.txt', '/box'],
    ['/box', '/a.txt'],
    ['/from', '/box'],
    ['/box', '/from'],
  ] as const)
    expect([from, to, await transfer(action, from, to, { override: true })]).toEqual([from, to, 409])
  expect(tree()).toEqual(before)
})

test.each([
  ['/c.tar.gz', '/box/c.tar.gz', ['box/c.tar(1).gz', 'box/c.tar(2).gz']],
  ['/README', '/box/README', ['box/README(1)', 'box/README(2)']],
  ['/.bashrc', '/box/.bashrc', ['box/(1).bashrc', 'box/(2).bashrc']],
  ['/d', '/box/d', ['box/d(1)', 'box/d(2)']],
  ['/v1.2', '/box/v1.2', ['box/v1(1).2', 'box/v1(2).2']],
])('with rename, %s gets a free name', async (from, to, expected) => {
  const make = (path: string, text: string) =>
    server.put(from === '/d' || from === '/v1.2' ? { [`${path.slice(1)}/x`]: text } : { [path.slice(1)]: text })
  make(from, 'new')
  make(to, 'old')
  expect(await transfer('copy', from, to, { rename: true })).toBe(200)
  expect(await transfer('rename', from, to, { rename: true, override: true })).toBe(200)
  const contentOf = (path: string) => tree()[path] ?? tree()[`${path}/x`]
  expect([contentOf(to.slice(1)), ...expected.map(contentOf), contentOf(from.slice(1))]).toEqual([
    'old',
    'new',
    'new',
    undefined,
  ])
})

test('a free name is taken unchanged, with override and with rename', async () => {
  expect(await transfer('copy', '/a.txt', '/c.txt', { rename: true })).toBe(200)
  expect(await transfer('copy', '/a.txt', '/d.txt', { override: true })).toBe(200)
  expect([server.file('c.txt'), server.file('d.txt')]).toEqual(['a', 'a'])
})

test('moving an entry to its own path changes nothing', async () => {
  const before = tree()
  for (const flags of [{}, { override: true }, { rename: true }])
    for (const path of ['/a.txt', '/box']) expect(await transfer('rename', path, path, flags)).toBe(200)
  expect(tree()).toEqual(before)
})

test('copying an entry onto itself changes nothing, and with rename makes a second one', async () => {
  const before = tree()
  for (const path of ['/a.txt', '/box']) {
    expect(await transfer('copy', path, path)).toBe(409)
    expect(await transfer('copy', path, path, { override: true })).toBe(200)
    expect(tree()).toEqual(before)
  }
  expect(await transfer('copy', '/a.txt', '/a.txt', { rename: true })).toBe(200)
  expect(await transfer('copy', '/box', '/box', { rename: true })).toBe(200)
  expect(tree()).toMatchObject({ ...before, 'a(1).txt': 'a', 'box(1)/in.txt': 'in', 'box(1)/deep/er.txt': 'er' })
})

test.each(actions)('%s of a folder into itself is refused', async (action) => {
  const before = tree()
  for (const to of ['/box/inner', '/box/deep/inner', '/box/deep']) {
    const { status, text } = await patch('/box', `action=${action}&destination=${to}`)
    expect([to, status, text]).toEqual([to, 400, '400 Bad Request (source is parent)\n'])
  }
  expect(tree()).toEqual(before)
  expect(await transfer(action, '/box', '/boxer')).toBe(200)
})

test.each(actions)('%s of a folder into itself through a symlink is refused', async (action) => {
  server.link('box/deep', 'door')
  const before = tree()
  expect(await transfer(action, '/box', '/door/inner')).toBe(400)
  expect(tree()).toEqual(before)
})

test.each(actions)('%s of the root is refused', async (action) => {
  const before = tree()
  expect(await transfer(action, '/', '/x')).toBe(403)
  for (const to of ['/', '//', '.', ''])
    for (const flags of [{}, { override: true }, { rename: true }])
      expect([to, await transfer(action, '/a.txt', to, flags)]).toEqual([to, 403])
  expect((await patch('/a.txt', `action=${action}`)).status).toBe(403)
  expect(tree()).toEqual(before)
})

test.each(actions)('%s of a missing entry is not found and creates no folders', async (action) => {
  const before = tree()
  for (const from of ['/none', '/none/deep', '/a.txt/below'])
    expect([from, await transfer(action, from, '/p/q/r.txt')]).toEqual([from, 404])
  expect(tree()).toEqual(before)
})

test.each(actions)('%s below a file is refused', async (action) => {
  const before = tree()
  for (const to of ['/b.txt/x', '/b.txt/x/y']) expect(await transfer(action, '/a.txt', to)).toBe(404)
  expect(tree()).toEqual(before)
})

test.each(actions)('%s keeps times and modes', async (action) => {
  chmodSync(at('a.txt'), 0o604)
  chmodSync(at('box'), 0o705)
  for (const path of ['a.txt', 'box/in.txt', 'box/deep', 'box']) utimesSync(at(path), 1_600_000_000, 1_600_000_000)
  expect(await transfer(action, '/a.txt', '/new/a.txt')).toBe(200)
  expect(await transfer(action, '/box', '/new/box')).toBe(200)
  for (const path of ['new/a.txt', 'new/box/in.txt', 'new/box/deep', 'new/box'])
    expect([path, statSync(at(path)).mtimeMs]).toEqual([path, 1_600_000_000_000])
  expect([statSync(at('new/a.txt')).mode & 0o777, statSync(at('new/box')).mode & 0o777]).toEqual([0o604, 0o705])
})

test.each(actions)(
  '%s replaces only with the permission to modify, and finds a free name without it',
  async (action) => {
    const before = tree()
    for (const [from, to] of [
      ['/a.txt', '/b.txt'],
      ['/box/deep', '/box'],
    ] as const)
      expect(await transfer(action, from, to, { override: true }, careful)).toBe(403)
    expect(await transfer(action, '/a.txt', '/b.txt', {}, careful)).toBe(409)
    expect(tree()).toEqual(before)
    expect(await transfer(action, '/a.txt', '/b.txt', { rename: true }, careful)).toBe(200)
    expect([server.file('b.txt'), server.file('b(1).txt')]).toEqual(['b', 'a'])
  },
)

test('a copy of a file with several hard links is a separate file', async () => {
  linkSync(at('a.txt'), at('same.txt'))
  expect(await transfer('copy', '/a.txt', '/copy.txt')).toBe(200)
  expect([statSync(at('copy.txt')).nlink, statSync(at('a.txt')).nlink]).toEqual([1, 2])
  expect(await transfer('copy', '/b.txt', '/same.txt', { override: true })).toBe(200)
  expect([server.file('same.txt'), server.file('copy.txt'), server.file('b.txt')]).toEqual(['b', 'a', 'b'])
})

test('one hard link of a file moved onto another leaves one name and the content', async () => {
  linkSync(at('a.txt'), at('same.txt'))
  expect(await transfer('rename', '/a.txt', '/same.txt')).toBe(409)
  expect(await transfer('rename', '/a.txt', '/same.txt', { override: true })).toBe(200)
  expect(tree()).not.toHaveProperty('a.txt')
  expect([server.file('same.txt'), statSync(at('same.txt')).nlink]).toEqual(['a', 1])
})

test('a rename can change only the letter case', async () => {
  expect(await transfer('rename', '/a.txt', '/A.txt')).toBe(200)
  expect(await transfer('rename', '/box', '/Box')).toBe(200)
  expect(Object.keys(tree())).toEqual(['A.txt', 'Box/', 'Box/deep/', 'Box/deep/er.txt', 'Box/in.txt', 'b.txt'])
})

test('a deep and a wide folder are copied completely', async () => {
  const deep = Array.from({ length: 60 }, (_, index) => `d${index}`).join('/')
  server.put({ [`tree/${deep}/leaf.txt`]: 'leaf' })
  for (let number = 0; number < 300; number += 1) server.put({ [`tree/wide/${number}.txt`]: String(number) })
  expect(await transfer('copy', '/tree', '/copy')).toBe(200)
  expect(treeOf(at('copy'))).toEqual(treeOf(at('tree')))
})
