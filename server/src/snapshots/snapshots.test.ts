import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mountBtrfs } from '../../test/btrfs.ts'
import { usualHistory } from '../mounts/history.ts'
import { firstMount } from '../mounts/location.ts'
import type { OwnPaths } from '../storage/disk/own-files.ts'
import { mountTable } from '../storage/linux/mounts.ts'
import { parsePath } from '../storage/path.ts'
import { storeNames } from '../storage/store-names.ts'
import { readingScopes } from '../storage/threads/reading-scopes.ts'
import { type SnapshotDeps, snapshotsIn } from './snapshots.ts'

const nothingOwn: OwnPaths = { paths: [], families: [], listedBeside: [] }

function snapshotsOf(root: string, { own = nothingOwn, ...deps }: Partial<SnapshotDeps> = {}) {
  const open = (folder: string) => readingScopes({ root: folder, own, spool: '/nowhere', mounts: mountTable() })
  const scopes = open(root)
  const facts = { id: firstMount, name: '', folder: root, links: 'inside', readOnly: false, source: 'root' } as const
  const snapshots = snapshotsIn({
    mounts: {
      all: async () => [{ ...facts, history: usualHistory }],
      isAway: () => false,
      kindOf: () => 'disk',
      serverOf: () => scopes,
    },
    mountable: [],
    open,
    own,
    ...deps,
  })
  return {
    ...snapshots,
    [Symbol.dispose]() {
      snapshots.close()
      scopes.close()
    },
  }
}

function temporaryRoot() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'filestead-snapshots-')))
  const put = (path: string, content: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return { root, put, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
}

const failureOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: { code?: string; constructor: { name: string } }) => error.code ?? error.constructor.name,
  )

test('snapshots of a btrfs subvolume are read as the mount was', async () => {
  using btrfs = mountBtrfs()
  if (btrfs === undefined) return
  const root = btrfs.subvolume('data')
  writeFileSync(join(root, 'a.txt'), 'one')
  btrfs.snapshot(root, 'btrbk_snapshots/data.20200101T1200')
  writeFileSync(join(root, 'a.txt'), 'another')
  btrfs.snapshot(root, 'data/.snapshots/7/snapshot')
  rmSync(join(root, 'a.txt'))
  using snapshots = snapshotsOf(root)
  expect((await snapshots.of(firstMount)).map(({ name, source }) => [name, source])).toEqual([
    ['7', 'snapper'],
    ['data.20200101T1200', 'btrbk'],
  ])
  const texts = ['7', 'data.20200101T1200'].map(async (name) => {
    const storage = await snapshots.storageOf(firstMount, name)
    const { entries } = await storage.list(parsePath('/'))
    expect(entries.some(({ name: entry }) => entry === 'a.txt')).toBe(true)
    const file = await storage.open(parsePath('/a.txt'))
    const text = await file.content.text()
    file.close()
    return text
  })
  expect(await Promise.all(texts)).toEqual(['another', 'one'])
})

test('nothing in a snapshot can be changed, and no symlink leads out of it', async () => {
  using folder = temporaryRoot()
  folder.put('.snapshots/@GMT-2020.01.01-00.00.00/a.txt', 'old')
  folder.put('.snapshots/@GMT-2020.01.02-00.00.00/a.txt', 'newer')
  const inside = join(folder.root, '.snapshots/@GMT-2020.01.01-00.00.00')
  symlinkSync('../@GMT-2020.01.02-00.00.00/a.txt', join(inside, 'other'))
  symlinkSync('/etc', join(inside, 'system'))
  symlinkSync('a.txt', join(inside, 'link'))
  using snapshots = snapshotsOf(folder.root)
  const storage = await snapshots.storageOf(firstMount, '@GMT-2020.01.01-00.00.00')
  const file = parsePath('/a.txt')
  expect(await failureOf(storage.remove(file))).toBe('forbidden')
  expect(await failureOf(storage.createFolder(parsePath('/b')))).toBe('forbidden')
  expect(await failureOf(storage.rename(file, parsePath('/b'), { replace: false }))).toBe('forbidden')
  const bytes = (async function* () {})()
  expect(await failureOf(storage.write(file, bytes, { precondition: 'any' }))).toBe('forbidden')
  expect(await failureOf(storage.resolve(parsePath('/other')))).toBe('forbidden')
  expect(await failureOf(storage.resolve(parsePath('/system/passwd')))).toBe('forbidden')
  expect(await storage.resolve(parsePath('/link'))).toBe(file)
  expect(await failureOf(storage.open(parsePath('/system/passwd')))).toBe('LinkInTheWay')
})

test('what belongs to the product is in no snapshot', async () => {
  using folder = temporaryRoot()
  const { root } = folder
  const own = {
    paths: [join(root, 'state')],
    families: [join(root, 'conf/filestead.db')],
    listedBeside: [join(root, 'conf/filestead.db')],
  }
  const old = '.snapshots/@GMT-2020.01.01-00.00.00'
  const names = ['conf/filestead.db', 'conf/filestead.db-wal', 'conf/FILESTEAD.DB', 'state/key', 'backup.tar']
  for (const path of [...names, 'conf/notes.txt']) folder.put(`${old}/${path}`, 'secret')
  folder.put('conf/filestead.db.private', JSON.stringify([join(root, 'backup.tar')]))
  using snapshots = snapshotsOf(root, { own })
  const storage = await snapshots.storageOf(firstMount, '@GMT-2020.01.01-00.00.00')
  for (const name of names) {
    const path = parsePath(`/${name}`)
    for (const verb of ['stat', 'open', 'readHead', 'resolve', 'exact'] as const)
      expect([name, verb, await failureOf(storage[verb](path))]).toEqual([name, verb, 'not-found'])
    expect(await failureOf(storage.find(path, { lists: true }))).toBe('not-found')
  }
  const conf = parsePath('/conf')
  expect((await storage.list(conf)).entries.map(({ name }) => name)).toEqual(['notes.txt'])
  expect((await storage.names(conf)).map(({ name }) => name)).toEqual(['notes.txt'])
  expect((await storage.find(conf, { lists: true })).entries?.map(({ name }) => name)).toEqual(['notes.txt'])
  expect((await storage.peek(conf, ['filestead.db'])).size).toBe(0)
  expect(await storage.readFiles(conf, ['filestead.db'], 1000)).toEqual([undefined])
  const visited: string[] = []
  await storage.visitBelow(parsePath('/'), (path) => void visited.push(path))
  expect(visited.sort()).toEqual(['/conf', '/conf/notes.txt'])
  expect(await failureOf(storage.beneath(conf).stat(parsePath('/filestead.db')))).toBe('not-found')
  expect((await storage.beneath(conf).stat(parsePath('/notes.txt'))).name).toBe('notes.txt')
})

test('stores of what was kept are in no snapshot', async () => {
  using folder = temporaryRoot()
  const old = '.snapshots/@GMT-2020.01.01-00.00.00'
  for (const name of Object.values(storeNames)) folder.put(`${old}/${name}/files/a.txt`, 'kept')
  folder.put(`${old}/b.txt`, 'b')
  using snapshots = snapshotsOf(folder.root)
  const storage = await snapshots.storageOf(firstMount, '@GMT-2020.01.01-00.00.00')
  expect((await storage.list(parsePath('/'))).entries.map(({ name }) => name)).toEqual(['b.txt'])
  expect((await storage.names(parsePath('/'))).map(({ name }) => name)).toEqual(['b.txt'])
  for (const name of Object.values(storeNames)) expect(() => parsePath(`/${name}/files/a.txt`)).toThrow()
})

test('a folder of snapshots that does not answer keeps nothing waiting', async () => {
  using folder = temporaryRoot()
  folder.put('.snapshots/@GMT-2020.01.01-00.00.00/a.txt', 'old')
  const hanging = new Promise<never>(() => {})
  let isHanging = true
  let looks = 0
  const scopes = readingScopes({ root: folder.root, own: nothingOwn, spool: '/nowhere', mounts: mountTable() })
  const namesIn: typeof scopes.server.namesIn = (paths) => {
    looks += 1
    return isHanging && paths[0]?.endsWith('.snapshots') ? hanging : scopes.server.namesIn(paths)
  }
  const facts = { id: 1, name: '', folder: folder.root, links: 'inside', readOnly: false, source: 'root' } as const
  const mounts = {
    all: async () => [facts],
    isAway: () => false,
    kindOf: () => 'disk' as const,
    serverOf: () => ({ root: folder.root, server: { ...scopes.server, namesIn } }),
  }
  using snapshots = snapshotsOf(folder.root, { mounts, times: { longestLook: 30, freshFor: 0 } })
  expect(await snapshots.of(1)).toEqual([])
  // On a busy machine the first look may have hardly begun by now: it comes to a rest at the folder that hangs.
  let before = 0
  while (looks === 0 || looks !== before) {
    before = looks
    await Bun.sleep(100)
  }
  expect(await snapshots.lookNow(1)).toMatchObject({ snapshots: [], problem: 'The disk does not answer' })
  expect(looks).toBe(before)
  expect(await failureOf(snapshots.storageOf(1, '@GMT-2020.01.01-00.00.00'))).toBe('not-found')
  isHanging = false
  scopes.close()
})

test('a known snapshot is read while the look for others hangs', async () => {
  using folder = temporaryRoot()
  folder.put('.snapshots/@GMT-2020.01.01-00.00.00/a.txt', 'old')
  const scopes = readingScopes({ root: folder.root, own: nothingOwn, spool: '/nowhere', mounts: mountTable() })
  let isHanging = false
  const namesIn: typeof scopes.server.namesIn = (paths) =>
    isHanging ? new Promise<never>(() => {}) : scopes.server.namesIn(paths)
  const facts = { id: 1, name: '', folder: folder.root, links: 'inside', readOnly: false, source: 'root' } as const
  const mounts = {
    all: async () => [facts],
    isAway: () => false,
    kindOf: () => 'disk' as const,
    serverOf: () => ({ root: folder.root, server: { ...scopes.server, namesIn } }),
  }
  using snapshots = snapshotsOf(folder.root, { mounts, times: { longestLook: 600_000, freshFor: 0 } })
  expect(await snapshots.of(1)).toHaveLength(1)
  isHanging = true
  const storage = await snapshots.storageOf(1, '@GMT-2020.01.01-00.00.00')
  expect((await storage.stat(parsePath('/a.txt'))).size).toBe(3)
  scopes.close()
})

test('threads of a folder end when nothing was read for a while, and come back', async () => {
  using folder = temporaryRoot()
  folder.put('.snapshots/@GMT-2020.01.01-00.00.00/a.txt', 'old')
  let opened = 0
  const closed = Promise.withResolvers<void>()
  using snapshots = snapshotsOf(folder.root, {
    times: { idleFor: 20 },
    open(root) {
      opened += 1
      const scopes = readingScopes({ root, own: nothingOwn, spool: '/nowhere', mounts: mountTable() })
      const close = () => {
        scopes.close()
        closed.resolve()
      }
      return { ...scopes, close }
    },
  })
  const storage = await snapshots.storageOf(firstMount, '@GMT-2020.01.01-00.00.00')
  expect((await storage.stat(parsePath('/a.txt'))).size).toBe(3)
  await closed.promise
  expect((await storage.stat(parsePath('/a.txt'))).size).toBe(3)
  expect(opened).toBe(2)
})

test('a snapshot that the account of the server may not read is refused like any folder', async () => {
  if (process.geteuid?.() === 0) return
  using folder = temporaryRoot()
  folder.put('.snapshots/@GMT-2020.01.01-00.00.00/a.txt', 'old')
  using snapshots = snapshotsOf(folder.root)
  const storage = await snapshots.storageOf(firstMount, '@GMT-2020.01.01-00.00.00')
  chmodSync(join(folder.root, '.snapshots/@GMT-2020.01.01-00.00.00'), 0)
  expect(await failureOf(storage.list(parsePath('/')))).toBe('forbidden')
})
