import { afterAll, describe, expect, test } from 'bun:test'
import { type Ends, transferBetween } from '../between/between.ts'
import { parsePath } from '../path.ts'
import { LinkInTheWay, type Storage } from '../port.ts'
import type { TransferOptions } from '../transfer-options.ts'
import { onDisk, removeFolders } from './disk.fixture.ts'
import { likeAnObjectStore, memoryRoot, memoryStorage } from './memory.ts'
import { type Handle, handle, piecesOf, refusalOf, type Subject } from './subject.fixture.ts'

afterAll(removeFolders)

function inMemory(storage = memoryStorage()): Subject {
  const link = async (target: string, path: string) => storage.putLink(target, parsePath(path))
  return { storage, root: memoryRoot, link, async fill() {} }
}

const makers: Record<string, () => Promise<Handle>> = {
  memory: async () => handle(inMemory()),
  'an object store': async () => handle(inMemory(memoryStorage(likeAnObjectStore))),
  disk: async () => handle(await onDisk()),
}

const copyBetween = (ends: Ends, options: TransferOptions) => transferBetween('copy', ends, options)
const moveBetween = (ends: Ends, options: TransferOptions) => transferBetween('move', ends, options)
const verbs = { copy: copyBetween, move: moveBetween }

const pairs = [
  ['memory', 'disk'],
  ['disk', 'memory'],
  ['an object store', 'disk'],
  ['disk', 'an object store'],
] as const

describe.each(pairs)('from %s to %s', (one, other) => {
  async function make() {
    const [from, to] = [
      await (makers[one] as () => Promise<Handle>)(),
      await (makers[other] as () => Promise<Handle>)(),
    ]
    const ends = (source: string, target: string, storage: Partial<Storage> = {}) => ({
      from: { ...from.storage, ...storage },
      source: parsePath(source),
      to: to.storage,
      target: parsePath(target),
    })
    return { from, to, ends }
  }

  test.each(Object.keys(verbs) as (keyof typeof verbs)[])(
    'a %s takes a tree along, with the times of its files',
    async (verb) => {
      const { from, to, ends } = await make()
      await from.put({ '/box/a': '1', '/box/deep/empty': '', '/other': '2' })
      await from.write('/box/old', 'x'.repeat(3 << 20), { modified: 1_500_000_000_123 })
      await from.createFolder('/box/none')
      const before = await from.tree()
      await verbs[verb](ends('/box', '/p/copy'), { replace: false })
      expect(await to.tree()).toEqual({
        '/p/': '',
        '/p/copy/': '',
        '/p/copy/a': '1',
        '/p/copy/deep/': '',
        '/p/copy/deep/empty': '',
        '/p/copy/none/': '',
        '/p/copy/old': 'x'.repeat(3 << 20),
      })
      expect(await to.stat('/p/copy/old')).toMatchObject({ seconds: 1_500_000_000, nanoseconds: 123_000_000 })
      expect(await from.tree()).toEqual(verb === 'copy' ? before : { '/other': '2' })
    },
  )

  test.each(Object.values(verbs))('a taken name is refused, or merged where that is wanted', async (verb) => {
    const { from, to, ends } = await make()
    await from.put({ '/box/same': 'new', '/box/only': '1' })
    await to.put({ '/box/same': 'old', '/box/kept': '2', '/clash/same/x': '3' })
    const before = [await from.tree(), await to.tree()]
    expect(await refusalOf(verb(ends('/box', '/box'), { replace: false }))).toMatchObject({ code: 'already-exists' })
    expect(await refusalOf(verb(ends('/box', '/clash'), { replace: true }))).toMatchObject({ code: 'already-exists' })
    expect(await refusalOf(verb(ends('/', '/p'), { replace: false }))).toMatchObject({ code: 'forbidden' })
    expect(await refusalOf(verb(ends('/none', '/p'), { replace: false }))).toMatchObject({ code: 'not-found' })
    expect([await from.tree(), await to.tree()]).toEqual(before)
    await verb(ends('/box', '/box'), { replace: true })
    expect(await to.tree()).toMatchObject({ '/box/same': 'new', '/box/only': '1', '/box/kept': '2' })
  })

  test.each(Object.values(verbs))('one that is cancelled halfway leaves no copy, and every original', async (verb) => {
    const { from, to, ends } = await make()
    await from.put({ '/box/a': '1', '/box/b': '2', '/box/deep/c': '3' })
    await to.put({ '/kept/x': '4' })
    const [before, kept] = [await from.tree(), await to.tree()]
    const leaving = new AbortController()
    let opened = 0
    const open: Storage['open'] = (path) => {
      opened += 1
      if (opened === 2) leaving.abort()
      return from.storage.open(path)
    }
    const options: TransferOptions = { replace: true, signal: leaving.signal }
    expect(await refusalOf(verb(ends('/box', '/kept/box', { open }), options))).toMatchObject({ name: 'AbortError' })
    expect([await from.tree(), await to.tree()]).toEqual([before, kept])
  })

  test('what is written into a folder while it is moved stays, and the rest goes', async () => {
    const { from, to, ends } = await make()
    await from.put({ '/box/a': '1', '/box/b': '2', '/box/deep/c': '3' })
    let isWritten = false
    const remove: Storage['remove'] = async (path, options) => {
      if (!isWritten) {
        isWritten = true
        await from.storage.write(parsePath('/box/a'), piecesOf('changed'), { precondition: 'any' })
        await from.storage.write(parsePath('/box/deep/new'), piecesOf('new'), { precondition: 'absent' })
      }
      return from.storage.remove(path, options)
    }
    await moveBetween(ends('/box', '/box', { remove }), { replace: false })
    expect(await to.tree()).toMatchObject({ '/box/a': '1', '/box/b': '2', '/box/deep/c': '3' })
    expect(await from.tree()).toEqual({ '/box/': '', '/box/a': 'changed', '/box/deep/': '', '/box/deep/new': 'new' })
  })

  test('a copy that is changed before the original goes keeps the original', async () => {
    const { from, to, ends } = await make()
    await from.put({ '/a': 'original' })
    const there = ends('/a', '/a')
    const write: Storage['write'] = async (path, bytes, options) => {
      const entry = await to.storage.write(path, bytes, options)
      await to.storage.write(path, piecesOf('theirs'), { precondition: 'any' })
      return entry
    }
    const moving = moveBetween({ ...there, to: { ...to.storage, write } }, { replace: false })
    expect(await refusalOf(moving)).toMatchObject({ code: 'changed-meanwhile' })
    expect([await from.tree(), await to.tree()]).toEqual([{ '/a': 'original' }, { '/a': 'theirs' }])
  })
})

test('a symlink is neither copied nor moved: its target is another one there', async () => {
  const [from, to] = [await onDisk(), inMemory()]
  const { put, link, tree } = handle(from)
  await put({ '/box/a': '1' })
  await link('a', '/box/link')
  const ends = (source: string) => ({
    from: from.storage,
    source: parsePath(source),
    to: to.storage,
    target: parsePath('/box'),
  })
  expect(await refusalOf(copyBetween(ends('/box/link'), { replace: false }))).toBeInstanceOf(LinkInTheWay)
  expect(await refusalOf(moveBetween(ends('/box'), { replace: false }))).toMatchObject({ code: 'forbidden' })
  await copyBetween(ends('/box'), { replace: false })
  expect(await handle(to).tree()).toEqual({ '/box/': '', '/box/a': '1' })
  expect(await tree()).toEqual({ '/box/': '', '/box/a': '1', '/box/link@': '' })
})
