import { afterEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parsePath } from '../src/storage/path.ts'
import { startServer, type TestServer } from './server.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'filestead-mount-')))
  folders.push(folder)
  return folder
}

async function adminOf(server: TestServer) {
  await server.addUser('admin', { isAdmin: true })
  const ask = await server.as('admin')
  return {
    async add(folder: string, name = 'Photos') {
      const answer = await ask('/api/mounts', { method: 'POST', body: JSON.stringify({ name, folder }) })
      return { status: answer.status, text: await answer.text() }
    },
    async pick(folder: string) {
      const answer = await ask(`/api/mounts/folders?folder=${encodeURIComponent(folder)}`)
      return { status: answer.status, found: answer.ok ? await answer.json() : await answer.text() }
    },
  }
}

test('a folder is refused in a sentence when it lies in a root folder, holds one, or is ours', async () => {
  const within = newFolder()
  await using server = await startServer({ mountable: [within, tmpdir()] })
  const admin = await adminOf(server)
  server.put({ 'inside/': '' })
  mkdirSync(join(within, 'photos'))
  symlinkSync(server.root, join(within, 'again'))
  expect(await admin.add(join(within, 'photos'))).toMatchObject({ status: 201 })
  const refusals = [
    [join(server.root, 'inside'), 'the folder lies in the root folder "Files"'],
    [join(within, 'again'), 'the root folder "Files" is this folder already'],
    [join(within, 'photos'), 'the root folder "Photos" is this folder already'],
    [within, 'the folder holds the root folder "Photos"'],
    [dirname(server.root), 'the folder holds the root folder "Files"'],
    ['photos', 'the folder needs its full path'],
    [join(within, 'nothing'), 'There is no folder'],
    ['/etc', 'only folders in'],
  ] as const
  for (const [folder, sentence] of refusals) {
    const { status, text } = await admin.add(folder, 'Other')
    expect([folder, status, text]).toEqual([folder, 400, expect.stringContaining(sentence)])
  }
})

test('what lies beyond the bounds of the command line is refused alike, whether it is there or not', async () => {
  const [within, beyond] = [newFolder(), newFolder()]
  await using server = await startServer({ mountable: [within] })
  const admin = await adminOf(server)
  mkdirSync(join(beyond, 'there'))
  writeFileSync(join(beyond, 'file'), '')
  symlinkSync(beyond, join(within, 'link'))
  for (const folder of [beyond, join(within, 'link')])
    for (const name of ['there', 'file', 'nothing', 'nothing/deep']) {
      const { status, text } = await admin.add(join(folder, name))
      expect([name, status, text]).toEqual([name, 400, expect.stringContaining('only folders in')])
    }
})

test('the folder of the database is refused, and so is one in the cache', async () => {
  const ours = newFolder()
  await using server = await startServer({
    database: join(ours, 'kept/files.db'),
    cacheDir: join(ours, 'cache'),
    mountable: [ours],
  } as never)
  mkdirSync(join(ours, 'cache/deep'), { recursive: true })
  const admin = await adminOf(server)
  expect(await admin.add(ours)).toMatchObject({ status: 400, text: expect.stringContaining('keeps for itself') })
  expect(await admin.add(join(ours, 'cache/deep'))).toMatchObject({
    status: 400,
    text: expect.stringContaining('belongs to the server itself'),
  })
})

test('the picker shows folders alone, bounded by what the command line allows', async () => {
  const within = newFolder()
  const outside = newFolder()
  for (const name of ['b10', 'b2', 'b2/deep']) mkdirSync(join(within, name))
  writeFileSync(join(within, 'file.txt'), '')
  symlinkSync(join(within, 'b2'), join(within, 'near'))
  symlinkSync(outside, join(within, 'far'))
  await using server = await startServer({ mountable: [within, '/does/not/exist'] })
  const { pick } = await adminOf(server)
  expect(await pick('')).toEqual({ status: 200, found: { folder: '', names: [within] } })
  expect(await pick(within)).toEqual({
    status: 200,
    found: { folder: within, parent: '', names: ['b2', 'b10', 'near'] },
  })
  expect(await pick(join(within, 'near'))).toEqual({
    status: 200,
    found: { folder: join(within, 'b2'), parent: within, names: ['deep'] },
  })
  for (const folder of [join(within, 'far'), outside, dirname(within), join(within, '..'), '/'])
    expect([folder, (await pick(folder)).status]).toEqual([folder, 403])
})

test('a mount of the configuration is there, and a bad one is away with its reason in the log', async () => {
  const good = newFolder()
  writeFileSync(join(good, 'a.txt'), 'a')
  mkdirSync(join(good, 'inside'))
  const mount = `Good=${good},Bad=${join(good, 'inside')},Gone=${join(tmpdir(), 'filestead-never-there')}`
  await using server = await startServer({ mount } as never)
  const { mounts } = server.app.deps
  expect((await mounts.storageAt('2:/').names(parsePath('/'))).map(({ name }) => name).sort()).toEqual([
    'a.txt',
    'inside',
  ])
  expect([1, 2, 3, 4].map((id) => mounts.isAway(id))).toEqual([false, false, true, true])
  const told = JSON.stringify(server.logged)
  expect(told).toContain('the folder lies in the root folder')
  expect(told).toContain('There is no folder')
})
