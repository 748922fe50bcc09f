import { afterAll, expect, test } from 'bun:test'
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Keep, KeepStores } from '../keeping.ts'
import { Errno } from '../linux/errno.ts'
import { linuxKernel } from '../linux/kernel.ts'
import { parsePath } from '../path.ts'
import { storeNames } from '../store-names.ts'
import { makeDisk, makeHandle, removeFolders } from '../testing/disk.fixture.ts'
import { bothStores, keepFor, keepingParts } from '../testing/keeping.fixture.ts'
import type { Disk } from './disk.ts'

afterAll(removeFolders)

async function makeKeeping(stores: KeepStores = bothStores, disk: Partial<Disk> = {}) {
  const parts = keepingParts(stores)
  const to = await makeHandle(makeDisk({ ...parts, ...disk }))
  const { storage, root } = to
  const save = (path: string, text: string, cause: Keep['cause'] = 'save') =>
    storage.write(parsePath(path), bytes(text), { precondition: 'any', length: text.length, keep: keepFor(cause) })
  const transfer = (verb: 'copy' | 'rename', from: string, target: string, options = {}) =>
    storage[verb](parsePath(from), parsePath(target), {
      replace: true,
      keep: keepFor(verb === 'copy' ? 'copy' : 'move'),
      ...options,
    })
  /** What the stores hold, by what their infos say. */
  const kept = () =>
    parts.told.flatMap((effect) =>
      effect.kind === 'kept'
        ? [`${effect.kept.store} ${effect.kept.at}: ${readFileSync(join(root, effect.kept.place), 'utf8')}`]
        : [],
    )
  const others = () => parts.told.filter(({ kind }) => kind !== 'kept')
  return { ...to, ...parts, save, transfer, kept, others }
}

async function* bytes(text: string) {
  yield Buffer.from(text)
}

const storeOf = (root: string, store: keyof typeof storeNames) => ({
  files: readdirSync(join(root, storeNames[store], 'files')),
  info: readdirSync(join(root, storeNames[store], 'info')),
})

test('a save keeps the old file itself as a version, and a first one keeps nothing', async () => {
  const { save, kept, root, told, read } = await makeKeeping()
  await save('/docs/a.txt', '1')
  expect(told).toEqual([{ kind: 'parent', at: parsePath('/docs') }])
  const { ino, mtimeMs } = statSync(join(root, 'docs/a.txt'))
  await save('/docs/a.txt', '2')
  await save('/docs/a.txt', '3')
  expect(kept()).toEqual(['versions /docs/a.txt: 1', 'versions /docs/a.txt: 2'])
  const [, first] = told
  const place = first?.kind === 'kept' ? first.kept.place : ''
  expect(statSync(join(root, place))).toMatchObject({ ino, mtimeMs, nlink: 1 })
  expect(await read('/docs/a.txt')).toBe('3')
  expect(storeOf(root, 'versions').info).toHaveLength(2)
})

test('what a copy and a move replace goes into the trash', async () => {
  const { put, transfer, kept, others, tree } = await makeKeeping()
  await put({ '/a': 'new', '/b': 'old', '/c': 'older' })
  await transfer('copy', '/a', '/b')
  await transfer('rename', '/b', '/c')
  expect(kept()).toEqual(['trash /b: old', 'trash /c: older'])
  expect(others()).toEqual([])
  expect(await tree()).toEqual({ '/a': 'new', '/c': 'new' })
})

test('where the store is off, what is replaced is told as lost', async () => {
  const { put, save, told } = await makeKeeping({ trash: true, versions: false })
  await put({ '/a': 'old' })
  await save('/a', 'new')
  expect(told).toEqual([{ kind: 'lost', at: parsePath('/a') }])
})

test.each([
  ['there are no second names', 'EPERM'],
  ['a file has too many of them', 'EMLINK'],
])('where %s, the old file is renamed into the store', async (_, code) => {
  const kernel = linuxKernel()
  const link = () => {
    throw new Errno(code, 'linkat')
  }
  const { save, kept, read, root } = await makeKeeping(bothStores, { kernel: { ...kernel, link } })
  await save('/a', '1')
  const { ino } = statSync(join(root, 'a'))
  await save('/a', '2')
  expect(kept()).toEqual(['versions /a: 1'])
  expect(statSync(join(root, storeNames.versions, 'files', storeOf(root, 'versions').files[0] ?? '')).ino).toBe(ino)
  expect(await read('/a')).toBe('2')
})

test('without second names, another program that takes the name at that moment loses nothing', async () => {
  const kernel = linuxKernel()
  let isRaced = false
  const { save, kept, read, root } = await makeKeeping(bothStores, {
    kernel: {
      ...kernel,
      link() {
        throw new Errno('EPERM', 'linkat')
      },
      renameToFree(from, name, to, newName) {
        kernel.renameToFree(from, name, to, newName)
        if (name === 'a' && isRaced) writeFileSync(join(root, 'a'), 'other')
      },
    },
  })
  await save('/a', '1')
  isRaced = true
  await save('/a', '2').catch((error: unknown) => expect(error).toMatchObject({ code: 'already-exists' }))
  expect(await read('/a')).toBe('other')
  expect(kept()).toEqual(['versions /a: 1'])
})

test('a save that fails in its last step leaves the file and no trace in the store', async () => {
  const kernel = linuxKernel()
  let isBroken = false
  const rename: typeof kernel.rename = (...names) => {
    if (isBroken) throw new Errno('EIO', 'rename')
    kernel.rename(...names)
  }
  const { save, told, read, root } = await makeKeeping(bothStores, { kernel: { ...kernel, rename } })
  await save('/a', '1')
  isBroken = true
  await save('/a', '2').catch(() => {})
  expect(await read('/a')).toBe('1')
  expect(told).toEqual([])
  expect(storeOf(root, 'versions')).toEqual({ files: [], info: [] })
  expect(statSync(join(root, 'a')).nlink).toBe(1)
})

test('a file with several names is overwritten, and its old content copied with its looks', async () => {
  const { save, kept, root, told } = await makeKeeping()
  await save('/a', 'old')
  linkSync(join(root, 'a'), join(root, 'b'))
  utimesSync(join(root, 'a'), 1_600_000_000, 1_600_000_000)
  await save('/a', 'newer')
  expect(kept()).toEqual(['versions /a: old'])
  expect(readFileSync(join(root, 'b'), 'utf8')).toBe('newer')
  const place = told[0]?.kind === 'kept' ? told[0].kept.place : ''
  expect(statSync(join(root, place))).toMatchObject({ mode: statSync(join(root, 'b')).mode, nlink: 1 })
  expect(Math.floor(statSync(join(root, place)).mtimeMs / 1000)).toBe(1_600_000_000)
})

test('a merge by a move tells what came where, what was emptied, and keeps what is dropped', async () => {
  const { put, transfer, kept, others, tree, root } = await makeKeeping()
  await put({
    '/from/same': 'alike',
    '/from/old': 'new',
    '/from/sub/only': '1',
    '/from/both/x': '2',
    '/to/same': 'alike',
    '/to/old': 'old',
    '/to/both/y': '3',
  })
  for (const path of ['from/same', 'to/same']) utimesSync(join(root, path), 1_600_000_000, 1_600_000_000)
  await transfer('rename', '/from', '/to', { taken: { default: 'replace' } })
  expect(kept().sort()).toEqual(['trash /from/same: alike', 'trash /to/old: old'])
  expect(new Set(others().map((effect) => JSON.stringify(effect)))).toEqual(
    new Set(
      [
        { kind: 'placed', from: '/from/old', at: '/to/old' },
        { kind: 'placed', from: '/from/sub', at: '/to/sub' },
        { kind: 'placed', from: '/from/both/x', at: '/to/both/x' },
        { kind: 'emptied', at: '/from/both' },
        { kind: 'emptied', at: '/from' },
      ].map((effect) => JSON.stringify(effect)),
    ),
  )
  expect(Object.keys(await tree()).sort()).toEqual(
    ['/to/', '/to/both/', '/to/both/x', '/to/both/y', '/to/old', '/to/same', '/to/sub/', '/to/sub/only'].sort(),
  )
})

test('a merge by a copy tells what came where, under the names that it got', async () => {
  const { put, transfer, kept, others } = await makeKeeping()
  await put({ '/from/a': '1', '/from/b': '2', '/to/a': 'old', '/to/b': 'old' })
  const taken = { default: 'replace', by: { b: 'keep-both' } } as const
  await transfer('copy', '/from', '/to', { taken, staged: 'job.1' })
  expect(kept()).toEqual(['trash /to/a: old'])
  const placed = others().map((effect) => (effect.kind === 'placed' ? `${effect.at} ${effect.from}` : effect.kind))
  expect(placed.sort()).toEqual(['/to/a undefined', '/to/b(1) undefined'])
})

test('a tree that holds a folder with the name of a store is not merged, and nothing changes', async () => {
  const { put, transfer, root } = await makeKeeping()
  await put({ '/from/a': '1', '/to/b': '2' })
  mkdirSync(join(root, 'from', storeNames.versions))
  await transfer('rename', '/from', '/to').catch((error: unknown) => expect(error).toMatchObject({ code: 'forbidden' }))
  expect(readdirSync(join(root, 'to'))).toEqual(['b'])
})
