import { afterAll, expect, test } from 'bun:test'
import { parsePath, rootPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { makeHandle, removeFolders } from '../storage/testing/disk.fixture.ts'
import type { Actor } from './actor.ts'
import { scopeOf } from './scope.ts'

const rules = [{ regex: false, allow: false, path: '/box/folder 1/secret', regexp: null }]
const actor = { rules, user: { hideDotfiles: false } } as unknown as Actor
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const compareNames = (one: { name: string }, two: { name: string }) => (one.name < two.name ? -1 : 1)
afterAll(removeFolders)

test('a copy looks for denied entries no further once its client has left', async () => {
  const { storage, fill } = await makeHandle()
  await fill(
    '/box',
    Array.from({ length: 50 }, (_, index) => `folder ${index}/file`),
  )
  const leaving = new AbortController()
  let seen = 0
  const scope = scopeOf(actor, {
    ...storage,
    visitBelow: (folder, visit) =>
      storage.visitBelow(folder, (path) => {
        seen += 1
        if (seen === 3) leaving.abort()
        visit(path)
      }),
  })
  const copying = scope.copy(parsePath('/box'), parsePath('/copy'), { replace: false, signal: leaving.signal })
  expect(await failureOf(copying)).toMatchObject({ name: 'AbortError' })
  expect(seen).toBe(3)
  expect(await failureOf(storage.stat(parsePath('/copy')))).toMatchObject({ code: 'not-found' })
})

test('readFiles reads nothing where the rules hide one of the files, or the place that a link leads to', async () => {
  const { storage, put, link } = await makeHandle()
  await put({ '/box/a': 'A', '/box/folder 1/secret': 'S', '/box/folder 1/b': 'B' })
  await link('box/folder 1', '/link')
  const scope = scopeOf(actor, storage)
  const read = async (folder: string, ...names: string[]) =>
    (await scope.readFiles(parsePath(folder), names, 100)).map((file) => file && Buffer.from(file.bytes).toString())
  expect(await read('/box', 'a', 'none')).toEqual(['A', undefined])
  expect(await read('/box/folder 1', 'b')).toEqual(['B'])
  expect(await read('/link', 'b')).toEqual(['B'])
  for (const folder of ['/box/folder 1', '/link'])
    expect(await read(folder, 'b', 'secret')).toEqual([undefined, undefined])
  expect(await failureOf(read('/box/folder 1/secret', 'a'))).toMatchObject({ code: 'forbidden' })
})

test('readInPlaces reads nothing where the rules hide one of the files, or the place that a link leads to', async () => {
  const { storage, put, link } = await makeHandle()
  await put({ '/box/a': 'A', '/box/folder 1/secret': 'S', '/box/folder 1/b': 'B' })
  await link('box/folder 1', '/link')
  const scope = scopeOf(actor, storage)
  const read = async (folder: string, ...names: string[]) => {
    const entries = await Promise.all(
      names.map((name) =>
        storage.stat(parsePath(`/box/${name}`)).catch(() => storage.stat(parsePath(`/box/folder 1/${name}`))),
      ),
    )
    const places = { names, entries, starts: names.map((_, at) => at), size: names.length }
    const placed = await scope.readInPlaces(parsePath(folder), places)
    return placed && Buffer.from(placed.memory).toString()
  }
  expect(await read('/box', 'a')).toBe('A')
  expect(await read('/box/folder 1', 'b')).toBe('B')
  expect(await read('/link', 'b')).toBe('B')
  for (const folder of ['/box/folder 1', '/link']) expect(await read(folder, 'b', 'secret')).toBeUndefined()
  expect(await failureOf(read('/box/folder 1/secret', 'a'))).toMatchObject({ code: 'forbidden' })
})

test('a listing resolves no further links once its client has left', async () => {
  const { storage } = await makeHandle()
  const { folder } = await storage.list(rootPath)
  const entries = Array.from({ length: 20_000 }, (_, at) => folder.with({ name: `link ${at}`, isLink: true }))
  const scope = scopeOf(actor, { ...storage, list: async () => ({ folder, entries }) })
  expect(await failureOf(scope.list(rootPath, AbortSignal.abort()))).toMatchObject({ name: 'AbortError' })
  expect((await scope.list(rootPath)).entries).toHaveLength(entries.length)
})

test('an outline shows what a listing shows: nothing that is denied, and links as what they lead to', async () => {
  const denied = ['/box/secret.txt', '/hidden'].map((path) => ({ regex: false, allow: false, path, regexp: null }))
  const { storage, put, link } = await makeHandle()
  await put({ '/box/b.txt': 'b', '/box/secret.txt': 's', '/box/deep/x': '', '/hidden': 'h', '/target/y': 'yy' })
  for (const [name, target] of Object.entries({ folder: '../target', gone: 'none', in: '../hidden', file: 'b.txt' }))
    await link(target, `/box/${name}`)
  const scope = scopeOf({ ...actor, rules: denied } as unknown as Actor, storage)
  const told = (entries: readonly Entry[]) =>
    entries.map(({ name, kind, size, isLink }) => ({ name, kind, size, isLink })).sort(compareNames)
  const outline = await scope.outline(parsePath('/box'))
  expect(outline.map(({ name, kind }) => `${name} ${kind}`).sort()).toEqual([
    ...['b.txt file', 'deep folder', 'file file', 'folder folder', 'gone link'],
  ])
  const described = await scope.describe(parsePath('/box'), outline)
  expect(described.map(({ name }) => name)).toEqual(outline.map(({ name }) => name))
  expect(told(described)).toEqual(told((await scope.list(parsePath('/box'))).entries))
})

test('what became a link after the outline is followed, and hidden where that leads to something denied', async () => {
  const denied = [{ regex: false, allow: false, path: '/hidden', regexp: null }]
  const { storage, put, link, remove } = await makeHandle()
  await put({ '/box/a': 'a', '/box/b': 'b', '/hidden': 'hidden', '/open': 'open' })
  const scope = scopeOf({ ...actor, rules: denied } as unknown as Actor, storage)
  const outline = await scope.outline(parsePath('/box'))
  for (const [name, target] of Object.entries({ a: '../hidden', b: '../open' })) {
    await remove(`/box/${name}`)
    await link(target, `/box/${name}`)
  }
  const described = await scope.describe(parsePath('/box'), outline)
  expect(described.map(({ name, size, isLink }) => [name, size, isLink])).toEqual([['b', 4, true]])
})
