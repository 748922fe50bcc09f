import { afterEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { touchAccess } from '../src/database/counters.ts'
import { durableTransaction } from '../src/database/port.ts'
import { isFailure } from '../src/failure.ts'
import { locationIn, parseLocation } from '../src/mounts/location.ts'
import { deleteMount, insertMount, type MountFacts, saveMount } from '../src/mounts/store.ts'
import { draftPrefix, movingPrefix, parsePath } from '../src/storage/path.ts'
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

async function addMount({ app }: TestServer, folder: string, facts: Partial<MountFacts> = {}): Promise<MountFacts> {
  const mount = { name: 'Photos', folder, links: 'inside', readOnly: false, source: 'stored', ...facts } as const
  const id = await durableTransaction(app.deps.db, 'serializable', async (trx) => {
    await touchAccess(trx)
    return insertMount(trx, mount)
  })
  await app.deps.mounts.all()
  return { id, ...mount }
}

const change = ({ app }: TestServer, work: Parameters<typeof durableTransaction<void>>[2]) =>
  durableTransaction(app.deps.db, 'serializable', async (trx) => {
    await touchAccess(trx)
    await work(trx)
  }).then(() => app.deps.mounts.all())

const failureOf = (work: () => unknown): Promise<unknown> =>
  (async () => work())().then(
    () => undefined,
    (error: unknown) => error,
  )

const root = parsePath('/')

/** Waits for what the registry finds out by itself. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await isTrue()); await Bun.sleep(50))
    if (Date.now() > end) throw new Error('It has not come true')
}

test('a second mount has a storage of its own, and the first one stays as it is', async () => {
  await using server = await startServer()
  const folder = newFolder()
  writeFileSync(join(folder, 'sea.jpg'), 'sea')
  server.put({ 'a.txt': 'a' })
  const { mounts } = server.app.deps
  const { id } = await addMount(server, folder)
  expect(id).toBe(2)
  const namesAt = async (base: string) => (await mounts.storageAt(base).names(root)).map(({ name }) => name)
  expect([await namesAt('/'), await namesAt('2:/')]).toEqual([['a.txt'], ['sea.jpg']])
  expect((await mounts.all()).map((facts) => [facts.id, facts.folder])).toEqual([
    [1, server.root],
    [2, folder],
  ])
  expect(await mounts.realPath(parseLocation('2:/sea.jpg'))).toBe(join(folder, 'sea.jpg'))
})

test('a folder of a mount is the base of a storage', async () => {
  await using server = await startServer()
  const folder = newFolder()
  mkdirSync(join(folder, 'bob'))
  writeFileSync(join(folder, 'bob/own.txt'), 'own')
  await addMount(server, folder)
  const storage = server.app.deps.mounts.storageAt('2:/bob')
  expect((await storage.names(root)).map(({ name }) => name)).toEqual(['own.txt'])
})

test('a mount that is taken away is not there any more, and one whose folder changed shows the other', async () => {
  await using server = await startServer()
  const [one, two] = [newFolder(), newFolder()]
  writeFileSync(join(two, 'two.txt'), 'two')
  const mount = await addMount(server, one)
  const { mounts } = server.app.deps
  await change(server, (trx) => saveMount(trx, { ...mount, folder: two }))
  expect((await mounts.storageAt('2:/').names(root)).map(({ name }) => name)).toEqual(['two.txt'])
  await change(server, (trx) => deleteMount(trx, mount.id))
  const failure = await failureOf(() => mounts.storageAt('2:/').stat(root))
  expect(isFailure(failure, 'not-found')).toBe(true)
  expect(mounts.isAway(2)).toBe(true)
})

test('a mount whose folder goes away answers "unavailable", is told once, and comes back by itself', async () => {
  await using server = await startServer()
  const folder = newFolder()
  await addMount(server, folder)
  const { mounts } = server.app.deps
  expect(mounts.problemOf(2)).toBeUndefined()
  renameSync(folder, `${folder}-away`)
  folders.push(`${folder}-away`)
  const failure = await failureOf(() => mounts.storageAt('2:/').stat(root))
  expect([isFailure(failure, 'unavailable'), (failure as Error).message]).toEqual([
    true,
    'The disk of this folder is not there at the moment',
  ])
  await until(() => mounts.isAway(2))
  expect(existsSync(folder)).toBe(false)
  expect((await server.ask('/health')).status).toBe(200)
  renameSync(`${folder}-away`, folder)
  await until(() => !mounts.isAway(2))
  expect((await mounts.storageAt('2:/').stat(root)).kind).toBe('folder')
  const told = server.logged.filter((line) => JSON.stringify(line).includes('"event":"mount"'))
  expect(told.map((line) => (line as unknown[])[1])).toEqual(['A mount is not there', 'A mount is there again'])
})

test('what is moved and copied between mounts arrives, and a move leaves nothing behind', async () => {
  await using server = await startServer()
  const folder = newFolder()
  server.put({ 'trip/day.txt': 'day', 'keep.txt': 'keep' })
  await addMount(server, folder)
  const { mounts } = server.app.deps
  const at = (mount: number, path: string) => locationIn(mount, parsePath(path))
  await mounts.transfer('move', at(1, '/trip'), at(2, '/trip'), { replace: false })
  await mounts.transfer('copy', at(1, '/keep.txt'), at(2, '/kept.txt'), { replace: false })
  expect(existsSync(join(server.root, 'trip'))).toBe(false)
  expect(await Bun.file(join(folder, 'trip/day.txt')).text()).toBe('day')
  expect([await Bun.file(join(folder, 'kept.txt')).text(), server.file('keep.txt')]).toEqual(['keep', 'keep'])
})

test('a symlink that takes the place of a root folder, or of one above it, is not followed', async () => {
  await using server = await startServer()
  const [place, secret] = [newFolder(), newFolder()]
  writeFileSync(join(secret, 'secret.txt'), 'secret')
  mkdirSync(join(place, 'above/photos'), { recursive: true })
  mkdirSync(join(secret, 'photos'))
  await addMount(server, join(place, 'above/photos'))
  const { mounts } = server.app.deps
  expect(mounts.problemOf(2)).toBeUndefined()
  renameSync(join(place, 'above'), join(place, 'moved'))
  symlinkSync(secret, join(place, 'above'))
  const storage = mounts.storageAt('2:/')
  expect(isFailure(await failureOf(() => storage.names(root)), 'unavailable')).toBe(true)
  await until(() => mounts.isAway(2))
  expect(mounts.problemOf(2)).toBe('A symlink has taken the place of the folder')
})

test('a mount of the configuration may be a symlink of the administrator, and the folder behind it is served', async () => {
  const [place, photos] = [newFolder(), newFolder()]
  writeFileSync(join(photos, 'sea.jpg'), 'sea')
  symlinkSync(photos, join(place, 'way'))
  await using server = await startServer({ mount: `Photos=${join(place, 'way')}` } as never)
  const { mounts } = server.app.deps
  await until(() => !mounts.isAway(2))
  expect((await mounts.storageAt('2:/').names(root)).map(({ name }) => name)).toEqual(['sea.jpg'])
})

test('after a crash each mount gets its own back, and what lies in none is left', async () => {
  await using server = await startServer()
  const [folder, gone] = [newFolder(), newFolder()]
  await addMount(server, folder)
  const places = [server.root, folder, gone]
  for (const place of places) {
    mkdirSync(join(place, `${movingPrefix}x`))
    writeFileSync(join(place, `${movingPrefix}x/a.txt`), 'a')
    writeFileSync(join(place, `${draftPrefix}x`), 'draft')
    const rows = { place: join(place, `${movingPrefix}x`), original: join(place, 'box') }
    const { db } = server.app.deps
    await db
      .insertInto('leaving')
      .values({ ...rows, arrived_since: null, owner: '1:gone' })
      .execute()
    await db
      .insertInto('draft')
      .values({ place: join(place, `${draftPrefix}x`), owner: '1:gone' })
      .execute()
  }
  await server.app.tidy()
  expect(places.map((place) => readdirSync(place).sort())).toEqual([
    ['box'],
    ['box'],
    [`${draftPrefix}x`, `${movingPrefix}x`].sort(),
  ])
})
