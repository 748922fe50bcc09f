import { afterAll, beforeEach, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderResource, RecursiveEntry } from '@filestead/contract'
import { bytesIn, jsonIn, statusOf } from './answers.ts'
import { treeOf } from './disk.ts'
import { startServer } from './server.ts'
import { tusOf } from './tus.ts'

const server = await startServer()
const denied = ['/dir/sub\ufffd', '/r\ufffdd/secret', '/r\ufffdd/plain/secret'].map((path) => ({
  ...{ regex: false, allow: false, regexp: null },
  path,
}))
await server.addUser('alice')
await server.addUser('ruled', { rules: denied })
const [alice, ruled] = [await server.as('alice'), await server.as('ruled')]
afterAll(() => server.stop())

/** A path in latin1: each character is one byte, which is not UTF-8. */
const raw = (path: string) => Buffer.concat([Buffer.from(`${server.root}/`), Buffer.from(path, 'latin1')])
const inDir = () => readdirSync(join(server.root, 'dir'), { encoding: 'buffer' }).map((name) => name.toString('latin1'))

beforeEach(() => {
  rmSync(server.root, { recursive: true, force: true })
  mkdirSync(raw('dir/sub\xe9'), { recursive: true })
  writeFileSync(raw('dir/caf\xe9.txt'), 'coffee')
  writeFileSync(raw('dir/sub\xe9/in\xff\xfe.txt'), 'inside')
  writeFileSync(raw('dir/plain.txt'), 'plain')
})

const mark = '%EF%BF%BD'
const patch = (path: string, to: string, action: string, ask = alice) =>
  statusOf(ask(`/api/resources${path}?action=${action}&destination=${encodeURIComponent(to)}`, { method: 'PATCH' }))

let count = 0
async function unpacked(algo: 'zip' | 'tar', path = '/dir'): Promise<Record<string, string>> {
  count += 1
  const folder = join(server.root, `../unpacked${count}`)
  mkdirSync(folder)
  writeFileSync(`${folder}.${algo}`, await bytesIn(alice(`/api/raw${path}?algo=${algo}`)))
  if (algo === 'zip') execFileSync('unzip', ['-q', `${folder}.zip`, '-d', folder])
  else execFileSync('tar', ['-xf', `${folder}.tar`, '-C', folder])
  return treeOf(folder)
}

const tools = { zip: Bun.which('unzip'), tar: Bun.which('tar') }

for (const algo of ['zip', 'tar'] as const)
  test.if(tools[algo] !== null)(`a ${algo} has names that are not UTF-8, with their bytes escaped`, async () => {
    expect(await unpacked(algo)).toEqual({
      'caf%E9.txt': 'coffee',
      'plain.txt': 'plain',
      'sub%E9/': '',
      'sub%E9/in%FF%FE.txt': 'inside',
    })
  })

test('an entry whose name is not UTF-8 is read, listed and changed by the name that the listing shows', async () => {
  const { items } = await jsonIn<FolderResource>(alice('/api/resources/dir'))
  expect(items.map(({ name }) => name)).toEqual(['sub\ufffd', 'caf\ufffd.txt', 'plain.txt'])
  expect(items.every((item) => !('exact' in item))).toBe(true)
  const flat = await jsonIn<RecursiveEntry[]>(alice('/api/resources/?recursive=true'))
  expect(flat.map(({ path }) => path)).toContain('/dir/sub\ufffd/in\ufffd\ufffd.txt')

  const file = await alice(`/api/raw/dir/caf${mark}.txt`)
  expect([file.status, await file.text()]).toEqual([200, 'coffee'])
  expect(file.headers.get('content-disposition')).toContain(`caf${mark}.txt`)
  expect(await jsonIn<object>(alice(`/api/resources/dir/caf${mark}.txt`))).toMatchObject({
    name: 'caf\ufffd.txt',
    path: '/dir/caf\ufffd.txt',
    content: 'coffee',
  })
  expect(await (await alice(`/api/raw/dir/sub${mark}/in${mark}${mark}.txt`)).text()).toBe('inside')
  expect(await statusOf(alice(`/api/resources/dir/caf${mark}.txt`, { method: 'PUT', body: 'tea' }))).toBe(200)
  expect(inDir().sort()).toEqual(['caf\xe9.txt', 'plain.txt', 'sub\xe9'])

  expect(await patch(`/dir/sub${mark}`, '/dir/copy', 'copy')).toBe(200)
  expect(await patch(`/dir/caf${mark}.txt`, '/dir/café.txt', 'rename')).toBe(200)
  expect(server.file('dir/café.txt')).toBe('tea')
  expect(await statusOf(alice(`/api/resources/dir/sub${mark}/in${mark}${mark}.txt`, { method: 'DELETE' }))).toBe(204)
  expect(await statusOf(alice(`/api/resources/dir/sub${mark}`, { method: 'DELETE' }))).toBe(204)
  expect(readdirSync(join(server.root, 'dir')).sort()).toEqual(['café.txt', 'copy', 'plain.txt'])
})

test('a folder whose name is not UTF-8 is neither copied, moved nor removed with what a rule denies in it', async () => {
  mkdirSync(raw('r\xe9d/secret'), { recursive: true })
  writeFileSync(raw('r\xe9d/secret/s.txt'), 'secret')
  for (const to of ['/free', '/dir/free']) {
    expect(await patch(`/r${mark}d`, to, 'copy', ruled)).toBe(403)
    expect(await patch(`/r${mark}d`, to, 'rename', ruled)).toBe(403)
  }
  expect(await statusOf(ruled(`/api/resources/r${mark}d`, { method: 'DELETE' }))).toBe(403)
  expect(readFileSync(raw('r\xe9d/secret/s.txt'), 'utf8')).toBe('secret')
  // Nor does anything get a denied name by a move into such a folder.
  mkdirSync(raw('plain/secret'), { recursive: true })
  expect(await patch('/plain', `/r${mark}d/plain`, 'copy', ruled)).toBe(403)
})

test('an upload into a folder whose name is not UTF-8 arrives and can be resumed', async () => {
  const tus = tusOf(alice)
  const path = `/dir/sub${mark}/new.txt`
  expect(await statusOf(tus.create(path, 6))).toBe(201)
  expect(await statusOf(tus.append(path, 0, 'abc'))).toBe(204)
  expect(await tus.offset(path)).toBe(3)
  expect(await statusOf(tus.append(path, 3, 'def'))).toBe(204)
  expect(readFileSync(raw('dir/sub\xe9/new.txt'), 'utf8')).toBe('abcdef')
})

test('a shown name of two entries is refused, and an entry with exactly that name is found', async () => {
  writeFileSync(raw('dir/caf\xe8.txt'), 'another')
  for (const method of ['GET', 'DELETE', 'PUT'])
    expect(
      await statusOf(alice(`/api/resources/dir/caf${mark}.txt`, { method, ...(method === 'PUT' && { body: '' }) })),
    ).toBe(400)
  expect(inDir()).toHaveLength(4)
  // An entry with exactly this name comes before the others.
  writeFileSync(join(server.root, 'dir/caf\ufffd.txt'), 'itself')
  expect(await (await alice(`/api/raw/dir/caf${mark}.txt`)).text()).toBe('itself')
})

test('rules apply to the shown name', async () => {
  for (const path of [`/dir/sub${mark}`, `/dir/sub${mark}/in${mark}${mark}.txt`])
    expect(await statusOf(ruled(`/api/resources${path}`))).toBe(403)
  expect(await statusOf(ruled('/api/resources/dir', { method: 'DELETE' }))).toBe(403)
  expect(await statusOf(ruled(`/api/resources/dir/caf${mark}.txt`))).toBe(200)
})

test('a request cannot address a byte that is not UTF-8', async () => {
  for (const path of ['%ED%B3%A9', '%ED%A0%80', '%E9'])
    expect(await statusOf(alice(`/api/resources/dir/caf${path}.txt`))).toBe(400)
})

test.if(tools.tar !== null)('an archive lists the entries that it could not hold', async () => {
  // Together longer than the longest path of the system.
  const chain = Array(10).fill('d'.repeat(250)).join('/')
  for (const name of ['dir/inner', 'dir/outer']) mkdirSync(join(server.root, name, chain), { recursive: true })
  renameSync(join(server.root, 'dir/inner'), join(server.root, 'dir/outer', chain, 'inner'))
  const tar = Buffer.from(await bytesIn(alice('/api/raw/dir?algo=tar'))).toString('latin1')
  expect(tar).toContain('LEFT OUT.txt')
  expect(tar).toMatch(/could not read these.*\n\nouter\/d+\//)
  const zip = Buffer.from(await bytesIn(alice('/api/raw/dir?algo=zip'))).toString('latin1')
  expect(zip).toMatch(/could not read these.*\n\nouter\/d+\//)
  expect(await statusOf(alice('/api/resources/dir', { method: 'DELETE' }))).toBe(204)
})
