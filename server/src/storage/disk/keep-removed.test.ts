import { afterAll, expect, test } from 'bun:test'
import { chownSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keptPath, parsePath } from '../path.ts'
import { storeNames } from '../store-names.ts'
import { filesIn, makeDisk, makeHandle, removeFolders } from '../testing/disk.fixture.ts'
import { keepFor, keepingParts } from '../testing/keeping.fixture.ts'

afterAll(removeFolders)

async function makeKeeping(stores = { trash: true, versions: true }) {
  const parts = keepingParts(stores)
  const to = await makeHandle(makeDisk(parts))
  const removeKept = async (path: string, options = {}) => {
    const keep = keepFor('remove')
    const keptAt = await to.storage.keepPlace(parsePath(path), keep)
    await to.storage.remove(parsePath(path), { keptAt, keep, ...options })
    return { keep, keptAt }
  }
  return { ...to, ...parts, removeKept }
}

test('a removed file, folder and symlink lie in the trash, with infos, and are told', async () => {
  const { root, put, removeKept, told, tree } = await makeKeeping()
  await put({ '/docs/a b.txt': '1', '/box/deep/x': '2' })
  symlinkSync('nowhere', join(root, 'link'))
  const inode = statSync(join(root, 'docs/a b.txt')).ino
  const file = await removeKept('/docs/a b.txt')
  const folder = await removeKept('/box')
  const link = await removeKept('/link')
  expect(file.keptAt).toBe(keptPath(`/${storeNames.trash}/files/a b.${file.keep.operation}.txt`))
  expect(statSync(join(root, file.keptAt ?? '')).ino).toBe(inode)
  expect(await tree()).toEqual({ '/docs/': '' })
  const found = await filesIn(root)
  expect(found[`${folder.keptAt}/deep/x`]).toBe('2')
  expect(found[`${link.keptAt}@`]).toBe('nowhere')
  expect(readFileSync(join(root, storeNames.trash, `info/a b.${file.keep.operation}.txt.trashinfo`), 'utf8')).toMatch(
    /^\[Trash Info\]\nPath=docs\/a%20b\.txt\nDeletionDate=/,
  )
  expect(told).toMatchObject([
    {
      kind: 'kept',
      kept: { id: file.keep.operation, store: 'trash', place: file.keptAt, at: '/docs/a b.txt', size: 1 },
    },
    { kind: 'kept', kept: { at: '/box', kind: 'folder' } },
    { kind: 'kept', kept: { at: '/link', kind: 'link' } },
  ])
  for (const name of ['', '/files', '/info'])
    expect(statSync(join(root, storeNames.trash, name)).mode & 0o777).toBe(0o700)
})

test('a storage below the root keeps in the store of the root', async () => {
  const { storage, put, root, told } = await makeKeeping()
  await put({ '/users/ann/a': '1' })
  const home = storage.beneath(parsePath('/users/ann'))
  const keep = keepFor('remove')
  const keptAt = await home.keepPlace(parsePath('/a'), keep)
  await home.remove(parsePath('/a'), { keptAt, keep })
  expect(readFileSync(join(root, keptAt ?? ''), 'utf8')).toBe('1')
  expect(told).toMatchObject([{ kind: 'kept', kept: { at: '/users/ann/a' } }])
})

test('where the trash is off there is no place, and what is removed is told as lost', async () => {
  const { put, removeKept, told, root } = await makeKeeping({ trash: false, versions: true })
  await put({ '/a': '1' })
  expect((await removeKept('/a')).keptAt).toBeUndefined()
  expect(told).toEqual([{ kind: 'lost', at: parsePath('/a') }])
  expect(await filesIn(root)).toEqual({})
})

test('preconditions are asked before a thing goes into the trash', async () => {
  const { put, removeKept, root } = await makeKeeping()
  await put({ '/a': '1', '/box/b': '2' })
  await expect(removeKept('/a', { only: { version: 'other' } })).rejects.toMatchObject({ code: 'changed-meanwhile' })
  await expect(removeKept('/box', { only: 'empty' })).rejects.toMatchObject({ code: 'already-exists' })
  await expect(removeKept('/missing')).rejects.toMatchObject({ code: 'not-found' })
  const found = Object.keys(await filesIn(root)).filter((path) => !path.endsWith('/'))
  expect(found.sort()).toEqual(['/a', '/box/b'])
})

test.if(process.geteuid?.() === 0)('a store that another account has made takes nothing in', async () => {
  const { root, put, removeKept, storage, told } = await makeKeeping()
  await put({ '/a': '1' })
  for (const name of Object.values(storeNames)) {
    mkdirSync(join(root, name, 'files'), { recursive: true })
    mkdirSync(join(root, name, 'info'))
    chownSync(join(root, name), 12345, 12345)
  }
  const error = await removeKept('/a').catch((error: unknown) => error)
  expect(error).toMatchObject({ code: 'forbidden', message: expect.stringContaining('deleted for good') })
  const bytes = (async function* () {
    yield Buffer.from('2')
  })()
  await storage.write(parsePath('/a'), bytes, { precondition: 'any', keep: keepFor('save') })
  expect(told).toEqual([{ kind: 'lost', at: parsePath('/a') }])
})

test('the second removal of one operation has a place of its own', async () => {
  const { put, storage, root } = await makeKeeping()
  await put({ '/x/a': '1', '/y/a': '2' })
  const keep = keepFor('remove')
  for (const path of ['/x/a', '/y/a'].map(parsePath))
    await storage.remove(path, { keptAt: await storage.keepPlace(path, keep), keep })
  expect(readdirSync(join(root, storeNames.trash, 'files'))).toHaveLength(2)
  expect(readdirSync(join(root, storeNames.trash, 'info'))).toHaveLength(2)
})

test('nothing leads to a store, and nothing shows it', async () => {
  const { storage, put, removeKept, root, tree } = await makeKeeping()
  await put({ '/a': '1', '/b': '2' })
  await removeKept('/a')
  symlinkSync(storeNames.trash, join(root, 'way'))
  mkdirSync(join(root, 'sub', '.filestead-versions'), { recursive: true })
  writeFileSync(join(root, 'sub', '.filestead-versions', 'x'), '')
  for (const path of [
    `/${storeNames.trash}`,
    '/.FILESTEAD-versions/files',
    '/sub/.filestead-versions',
    '/.filestead-versions.',
  ])
    expect(() => parsePath(path)).toThrow(expect.objectContaining({ code: 'forbidden' }))
  expect(Object.keys(await tree())).toEqual(['/b', '/sub/', '/way@'])
  await expect(storage.resolve(parsePath('/way/files'))).rejects.toMatchObject({ code: 'forbidden' })
  const visited: string[] = []
  await storage.visitBelow(parsePath('/'), (path) => void visited.push(path))
  expect(visited.sort()).toEqual(['/b', '/sub', '/way'])
  await storage.copy(parsePath('/sub'), parsePath('/copy'), { replace: false })
  expect(readdirSync(join(root, 'copy'))).toEqual([])
})
