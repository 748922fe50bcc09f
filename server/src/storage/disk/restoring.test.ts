import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, linkSync } from 'node:fs'
import { chmod, link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../failure.ts'
import type { KeptFound } from '../keeping.ts'
import { keptName } from '../kept-names.ts'
import { linuxKernel } from '../linux/kernel.ts'
import { keptPath, parsePath, rootPath } from '../path.ts'
import type { RestoreOptions } from '../port.ts'
import { infoText } from '../store-info.ts'
import { storeNames } from '../store-names.ts'
import { diskStorage, filesIn, makeDisk, makeFolder, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { memoryLedger } from '../testing/ledger.fixture.ts'
import { rootAt } from './base.ts'
import { readStoresAt } from './store-contents.ts'
import { sharedTrash } from './stores.ts'

afterAll(removeFolders)

const { trash, versions } = storeNames
const keep = { operation: 'operation-0123456789', user: { id: 3, name: 'Ann' }, door: 'web', cause: 'remove' } as const

const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

async function makeMount(parent?: string) {
  const root = await makeFolder(parent)
  const disk = makeDisk()
  const storage = diskStorage(disk, root)
  /** Puts something into a store, as a removal does. */
  async function put(path: string, content: string | Record<string, string>, store: string = trash): Promise<string> {
    const name = keptName(path.slice(path.lastIndexOf('/') + 1), keep.operation)
    const place = `/${store}/files/${name}`
    await mkdir(join(root, store, 'info'), { recursive: true })
    if (typeof content === 'string') await putFiles(root, { [place]: content })
    else await putFiles(join(root, place), content)
    const info = infoText({ path: path.slice(1), keptAt: 1_700_000_000_123, id: keep.operation, keep })
    await writeFile(join(root, store, 'info', `${name}.trashinfo`), info)
    return place
  }
  return {
    root,
    storage,
    put,
    files: async () => {
      const all = await filesIn(root)
      return Object.fromEntries(
        Object.entries(all).filter(
          ([path]) =>
            ![trash, versions].some((store) => ['/', '/files/', '/info/'].some((end) => path === `/${store}${end}`)),
        ),
      )
    },
    async kept(): Promise<KeptFound[]> {
      const all: KeptFound[] = []
      await storage.kept((found) => void all.push(...found))
      return all
    },
    /** As after two hours. */
    readLater: () =>
      readStoresAt({ disk, begin: rootAt(disk, root) }, rootPath, () => {}, { now: Date.now() + 7_200_000 }),
    restore: (place: string, to: string, options: Partial<RestoreOptions> = {}) =>
      storage.restore(keptPath(place), parsePath(to), { replace: false, ...options }),
    purge: (place: string) => storage.purge(keptPath(place)),
  }
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error) => (error instanceof Failure ? error.code : String(error)),
  )

describe('what stores hold', () => {
  test('a kept file is told with its old place, and with what its info says', async () => {
    const mount = await makeMount()
    const place = await mount.put('/docs/report.txt', 'old')
    expect(await mount.kept()).toMatchObject([
      {
        id: keep.operation,
        store: 'trash',
        place,
        at: '/docs/report.txt',
        kind: 'file',
        size: 3,
        keptAt: 1_700_000_000_123,
        keep,
      },
    ])
  })

  test('versions and folders are told, and a folder has no size', async () => {
    const mount = await makeMount()
    await mount.put('/a.txt', 'before', versions)
    await mount.put('/folder', { 'b.txt': 'b' })
    const found = (await mount.kept()).map(({ store, at, kind, size }): unknown[] => [store, at, kind, size])
    expect(found.sort()).toEqual([
      ['trash', '/folder', 'folder', undefined],
      ['versions', '/a.txt', 'file', 6],
    ])
  })

  test('a thing of another program has no keep, and ids differ', async () => {
    const mount = await makeMount()
    await putFiles(mount.root, {
      [`${trash}/files/one`]: '1',
      [`${trash}/files/two`]: '2',
      [`${trash}/info/one.trashinfo`]: '[Trash Info]\nPath=some%20where/one\nDeletionDate=2026-01-02T03:04:05\n',
      [`${trash}/info/two.trashinfo`]: '[Trash Info]\nPath=../../etc/passwd\nDeletionDate=never\n',
    })
    const found = (await mount.kept()).sort((a, b) => (a.at < b.at ? -1 : 1))
    expect(found.map(({ at, keep }) => [at, keep])).toEqual([
      ['/some where/one', undefined],
      ['/two', undefined],
    ] as never)
    expect(found[0]?.keptAt).toBe(new Date('2026-01-02T03:04:05').getTime())
    expect(new Set(found.map(({ id }) => id)).size).toBe(2)
  })

  test('an entry without info lies at the top, under its own name', async () => {
    const mount = await makeMount()
    const place = await mount.put('/docs/report.txt', 'old')
    await rm(join(mount.root, trash, 'info'), { recursive: true })
    await mkdir(join(mount.root, trash, 'info'))
    expect((await mount.kept()).map(({ at, place }) => [at, place])).toEqual([['/report.txt', place]] as never)
  })

  test('the id of an info counts only for the name that holds it', async () => {
    const mount = await makeMount()
    const place = await mount.put('/a.txt', 'a')
    const info = `${place.replace('/files/', '/info/')}.trashinfo`
    await putFiles(mount.root, { [`${trash}/files/other`]: 'b' })
    await link(join(mount.root, info), join(mount.root, trash, 'info', 'other.trashinfo'))
    const ids = (await mount.kept()).map(({ id }) => id)
    expect(ids.filter((id) => id === keep.operation)).toHaveLength(1)
    expect(new Set(ids).size).toBe(2)
  })

  test('a shared trash is read where it is sticky, and not where it is a link', async () => {
    const mount = await makeMount()
    await putFiles(mount.root, {
      [`${sharedTrash}/files/one`]: '1',
      [`${sharedTrash}/info/one.trashinfo`]: '[Trash Info]\nPath=one\nDeletionDate=2026-01-02T03:04:05\n',
    })
    expect(await mount.kept()).toEqual([])
    await chmod(join(mount.root, '.Trash'), 0o1777)
    expect((await mount.kept()).map(({ at }) => at as string)).toEqual(['/one'])
    await mount.restore(`/${sharedTrash}/files/one`, '/one')
    await rename(join(mount.root, '.Trash'), join(mount.root, 'elsewhere'))
    await symlink('elsewhere', join(mount.root, '.Trash'))
    await putFiles(mount.root, { [`elsewhere/${sharedTrash.slice(7)}/files/two`]: '2' })
    expect(await mount.kept()).toEqual([])
  })

  test('an info of nothing is cleared after an hour, and not before', async () => {
    const mount = await makeMount()
    const place = await mount.put('/a.txt', 'a')
    await rm(join(mount.root, place))
    const info = join(mount.root, `${place.replace('/files/', '/info/')}.trashinfo`)
    await mount.kept()
    expect(existsSync(info)).toBe(true)
    await mount.readLater()
    expect(existsSync(info)).toBe(false)
  })

  test('a second name of the file that is still in its place is not told, and dropped after an hour', async () => {
    const mount = await makeMount()
    const place = await mount.put('/a.txt', 'a', versions)
    linkSync(join(mount.root, place), join(mount.root, 'a.txt'))
    expect(await mount.kept()).toEqual([])
    expect(existsSync(join(mount.root, place))).toBe(true)
    await mount.readLater()
    expect(await mount.files()).toEqual({ '/a.txt': 'a' })
  })

  test('a store that is a link is none', async () => {
    const [mount, other] = [await makeMount(), await makeMount()]
    await other.put('/secret', 'x')
    await symlink(join(other.root, trash), join(mount.root, trash))
    expect(await mount.kept()).toEqual([])
    expect(await codeOf(mount.purge(`/${trash}/files/${keptName('secret', keep.operation)}`))).toBe('done')
    expect(await other.kept()).toHaveLength(1)
  })
})

describe('restoring', () => {
  test('a file gets its name again, parents are made, and its info goes', async () => {
    const mount = await makeMount()
    const place = await mount.put('/docs/deep/report.txt', 'old')
    await mount.restore(place, '/docs/deep/report.txt')
    expect(await mount.files()).toEqual({ '/docs/': '', '/docs/deep/': '', '/docs/deep/report.txt': 'old' })
  })

  test('a taken name is refused, and the thing and its info stay', async () => {
    const mount = await makeMount()
    const place = await mount.put('/a.txt', 'old')
    await putFiles(mount.root, { 'a.txt': 'new' })
    const before = await mount.files()
    expect(await codeOf(mount.restore(place, '/a.txt'))).toBe('already-exists')
    expect(await mount.files()).toEqual(before)
  })

  test('with replace a file takes the place of another one', async () => {
    const mount = await makeMount()
    const place = await mount.put('/a.txt', 'old')
    await putFiles(mount.root, { 'a.txt': 'new' })
    await mount.restore(place, '/a.txt', { replace: true })
    expect(await mount.files()).toEqual({ '/a.txt': 'old' })
  })

  test('folders are merged, and what is skipped stays in the store with its info', async () => {
    const mount = await makeMount()
    const place = await mount.put('/f', { 'a.txt': 'old a', 'b.txt': 'b' })
    await putFiles(mount.root, { 'f/a.txt': 'new a' })
    await mount.restore(place, '/f', { replace: true, taken: { default: 'skip' } })
    expect(
      Object.keys(await mount.files())
        .filter((path) => !path.includes('info'))
        .sort(),
    ).toEqual([`${place}/`, `${place}/a.txt`, '/f/', '/f/a.txt', '/f/b.txt'])
    expect((await mount.kept()).map(({ at }) => at as string)).toEqual(['/f'])
  })

  test('over a version takes its place alone', async () => {
    const mount = await makeMount()
    const place = await mount.put('/a.txt', 'old', versions)
    await putFiles(mount.root, { 'a.txt': 'new' })
    const { version } = await mount.storage.stat(parsePath('/a.txt'))
    expect(await codeOf(mount.restore(place, '/a.txt', { over: ['other'] }))).toBe('changed-meanwhile')
    expect(await codeOf(mount.restore(place, '/b.txt', { over: [version] }))).toBe('not-found')
    expect((await mount.files())['/a.txt']).toBe('new')
    await mount.restore(place, '/a.txt', { over: ['other', version] })
    expect(await mount.files()).toEqual({ '/a.txt': 'old' })
  })

  test('over a file with several names, all of them get the content', async () => {
    const mount = await makeMount(memory)
    const place = await mount.put('/a.txt', 'old', versions)
    await putFiles(mount.root, { 'a.txt': 'newer' })
    await link(join(mount.root, 'a.txt'), join(mount.root, 'b.txt'))
    const { version } = await mount.storage.stat(parsePath('/a.txt'))
    await mount.restore(place, '/a.txt', { over: [version] })
    expect(await mount.files()).toEqual({ '/a.txt': 'old', '/b.txt': 'old' })
  })

  test('a folder never takes the place of a version', async () => {
    const mount = await makeMount()
    const place = await mount.put('/a', { 'b.txt': 'b' })
    await putFiles(mount.root, { a: 'file' })
    const { version } = await mount.storage.stat(parsePath('/a'))
    expect(await codeOf(mount.restore(place, '/a', { over: [version] }))).toBe('invalid')
  })

  test('what is not kept is said to be gone, and no parents are left', async () => {
    const mount = await makeMount()
    const place = `/${trash}/files/${keptName('a', keep.operation)}`
    expect(await codeOf(mount.restore(place, '/new/a'))).toBe('not-found')
    expect(await mount.files()).toEqual({})
  })

  test('from a storage that begins below the root, places count from the root', async () => {
    const mount = await makeMount()
    await mkdir(join(mount.root, 'home'))
    const place = await mount.put('/home/a.txt', 'a')
    await mount.storage.beneath(parsePath('/home')).restore(keptPath(place), parsePath('/a.txt'), { replace: false })
    expect(await mount.files()).toEqual({ '/home/': '', '/home/a.txt': 'a' })
  })

  test('only what lies directly in a store is taken out', async () => {
    const mount = await makeMount()
    const place = await mount.put('/f', { 'a.txt': 'a' })
    await putFiles(mount.root, { 'other.txt': 'x' })
    for (const wrong of [`${place}/a.txt`, '/other.txt', `/${trash}/files`, `/${trash}/info`, `/${trash}`, '/'])
      expect(await codeOf(mount.restore(wrong, '/stolen'))).toBe('invalid')
  })
})

describe('purging', () => {
  test('a tree goes with its info, also what is closed', async () => {
    const mount = await makeMount()
    const place = await mount.put('/f', { 'a/b.txt': 'b', 'c.txt': 'c' })
    await chmod(join(mount.root, place, 'a'), 0o500)
    const told: number[] = []
    await mount.storage.purge(keptPath(place), { progress: ({ files }) => told.push(files) })
    expect(await mount.files()).toEqual({})
    expect(told.at(-1)).toBe(2)
    await mount.purge(place)
  })

  test('every other path is refused', async () => {
    const mount = await makeMount()
    const place = await mount.put('/f', { 'a.txt': 'a' })
    await putFiles(mount.root, { 'other/files/a': 'x' })
    const before = await mount.files()
    for (const wrong of [`${place}/a.txt`, '/other/files/a', `/${trash}/files`, `/${trash}/info`, `/${trash}`, '/'])
      expect(await codeOf(mount.purge(wrong))).toBe('invalid')
    expect(await mount.files()).toEqual(before)
  })

  test('a purge that is cancelled leaves the rest where it was, with its info', async () => {
    const mount = await makeMount()
    const place = await mount.put('/f', { 'a.txt': 'a', 'b.txt': 'b' })
    let left = 1
    const signal = {
      throwIfAborted() {
        left -= 1
        if (left < 0) throw new DOMException('enough', 'AbortError')
      },
    }
    expect(await codeOf(mount.storage.purge(keptPath(place), { signal }))).toContain('AbortError')
    expect((await mount.kept()).map(({ at }) => at as string)).toEqual(['/f'])
  })

  test('what is restored while it is about to be purged is whole, or gone', async () => {
    for (const moment of ['before it is hidden', 'when its first file goes']) {
      const mount = await makeMount()
      const place = await mount.put('/f', { 'a.txt': 'a', 'b.txt': 'b' })
      let restored: Promise<string> | undefined
      const restore = () => {
        restored ??= codeOf(mount.restore(place, '/f'))
      }
      const [ledger, kernel] = [memoryLedger(), linuxKernel()]
      const begin: typeof ledger.begin = async (draft) => {
        if (moment === 'before it is hidden') restore()
        await restored
        await ledger.begin(draft)
      }
      const unlink: typeof kernel.unlink = (folder, name) => {
        restore()
        kernel.unlink(folder, name)
      }
      const disk = makeDisk({ ledger: { ...ledger, begin }, kernel: { ...kernel, unlink } })
      expect(await codeOf(diskStorage(disk, mount.root).purge(keptPath(place)))).toBe('done')
      const isFirst = moment === 'before it is hidden'
      expect(await restored).toBe(isFirst ? 'done' : 'not-found')
      expect(await mount.files()).toEqual(isFirst ? { '/f/': '', '/f/a.txt': 'a', '/f/b.txt': 'b' } : {})
    }
  })
})
