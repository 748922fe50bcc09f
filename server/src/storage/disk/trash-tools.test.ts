import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { bytesOf, marked } from '../exact-names.ts'
import type { KeptFound } from '../keeping.ts'
import type { VirtualPath } from '../path.ts'
import { storeNames } from '../store-names.ts'
import { diskStorage, makeDisk, makeFolder, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { keepFor, keepingParts } from '../testing/keeping.fixture.ts'
import { canHaveOwnMounts, mount, unmountAll, withOwnMounts } from '../testing/own-mounts.fixture.ts'
import { isRerun, rerun } from '../testing/rerun.fixture.ts'

// The tools find a trash by the mount table.
const tools = ['trash-list', 'trash-put', 'trash-restore', 'trash-empty']
const missing = tools.filter((tool) => Bun.which(tool) === null)
const canMount = missing.length === 0 && canHaveOwnMounts()
const why =
  missing.length > 0 ? ` (skipped: ${missing.join(', ')} missing)` : canMount ? '' : ' (skipped: cannot mount)'

if (!isRerun())
  test.if(canMount)(`desktops and trash-cli agree with us, and stores of nested disks are read${why}`, () => {
    rerun(import.meta.path, withOwnMounts)
  })

// A program of Python takes a while to start, and a busy machine longer.
setDefaultTimeout(120_000)

afterAll(async () => {
  unmountAll()
  await removeFolders()
})

function mountDisk(place: string): void {
  mkdirSync(place, { recursive: true })
  mount(place, '-t', 'tmpfs', '-o', 'mode=0755', 'tmpfs')
}

/** In text a byte that is no character is half a surrogate pair. */
const names = ['report.txt', 'a b %41 100%.txt', 'one\ntwo.txt', 'caf\udce9.txt', `${'x'.repeat(246)}.txt`]

async function makeMount() {
  const root = await makeFolder()
  mountDisk(root)
  const storage = diskStorage(makeDisk(keepingParts()), root)
  const run = (command: string[], input = '') => {
    const { stdout, stderr, exitCode } = Bun.spawnSync(command, {
      cwd: root,
      stdin: Buffer.from(input),
      env: {
        ...process.env,
        HOME: '/nonexistent',
        TRASH_VOLUMES: root,
        PYTHONIOENCODING: 'utf-8:surrogateescape',
      },
    })
    return { text: Buffer.from(stdout), errors: stderr.toString(), exitCode }
  }
  return {
    root,
    storage,
    run,
    remove: async (path: VirtualPath) => {
      const keep = keepFor('remove')
      await storage.remove(path, { keptAt: await storage.keepPlace(path, keep), keep })
    },
    kept: async () => {
      const all: KeptFound[] = []
      await storage.kept((found) => void all.push(...found))
      return all
    },
  }
}

const place = (root: string, path: string): Buffer => Buffer.concat([Buffer.from(root), Buffer.from(bytesOf(path))])

function put(root: string, path: string, content: string): void {
  mkdirSync(join(root, dirname(path)), { recursive: true })
  writeFileSync(place(root, path), content)
}

if (isRerun())
  describe('trash-cli', () => {
    test('lists and restores what we have removed, whatever its name is', async () => {
      const { root, run, remove } = await makeMount()
      const paths = names.map((name) => `/docs/${name}` as VirtualPath)
      for (const path of paths) {
        put(root, path, path)
        await remove(path)
      }
      const { text, errors } = run(['trash-list'])
      // It has marks for bytes that are no text, and restores the file under the name that it shows.
      const asShown = paths.map((path) => join(root, marked(path)))
      expect([errors, asShown.filter((path) => !text.includes(path))]).toEqual(['', []])
      for (const _ of paths) expect(run(['trash-restore'], '0\n').errors).toBe('')
      for (const [index, path] of asShown.entries())
        expect(readFileSync(path, 'utf8')).toBe(Buffer.from(paths[index] ?? '').toString())
      const left = (folder: string) => readdir(join(root, storeNames.trash, folder))
      expect([await left('files'), await left('info')]).toEqual([[], []])
    })

    test('has put something into the trash, and it is told and restored', async () => {
      const { root, storage, run, kept } = await makeMount()
      // It fails for names that are not UTF-8, and never ends for those that leave no room for its suffix.
      const paths = names.filter((name) => name.isWellFormed() && name.length < 200).map((name) => `/docs/${name}`)
      for (const path of paths) put(root, path, path)
      const { exitCode, errors } = run(['sh', '-c', 'trash-put docs/*'])
      expect([exitCode, errors]).toEqual([0, ''])
      const found = await kept()
      expect(found.map(({ at }) => at as string).sort()).toEqual(paths.sort())
      for (const one of found) {
        expect(one).toMatchObject({ store: 'trash', kind: 'file', keep: undefined })
        await storage.restore(one.place, one.at, { replace: false })
      }
      for (const path of paths) expect(readFileSync(place(root, path), 'utf8')).toBe(path)
      expect(await kept()).toEqual([])
      expect(await readdir(join(root, storeNames.trash, 'info'))).toEqual([])
    })

    test('a folder comes back with all it holds, in both directions', async () => {
      const { root, storage, run, remove, kept } = await makeMount()
      await putFiles(root, { 'box/deep/a': 'a', 'box/b': 'b' })
      await remove('/box' as VirtualPath)
      run(['trash-restore'], '0\n')
      expect(readFileSync(join(root, 'box/deep/a'), 'utf8')).toBe('a')
      run(['trash-put', 'box'])
      const [found] = await kept()
      expect(found).toMatchObject({ at: '/box', kind: 'folder', size: undefined })
      if (found !== undefined) await storage.restore(found.place, found.at, { replace: false })
      expect(readFileSync(join(root, 'box/deep/a'), 'utf8')).toBe('a')
    })

    test('trash-empty ends what we have removed', async () => {
      const { root, run, remove, kept } = await makeMount()
      await putFiles(root, { 'box/a': 'a', b: 'b' })
      await remove('/box' as VirtualPath)
      await remove('/b' as VirtualPath)
      expect(await kept()).toHaveLength(2)
      run(['trash-empty'])
      expect(await kept()).toEqual([])
    })
  })

if (isRerun())
  describe('a disk that is mounted below the root', () => {
    test('has stores of its own, which are read; a restore to another disk copies, and the rest is a rename', async () => {
      const { root, storage, remove, kept } = await makeMount()
      mountDisk(join(root, 'nested disk'))
      await putFiles(root, { 'nested disk/a': 'a', 'nested disk/box/b': 'b', c: 'c' })
      for (const path of ['/nested disk/a', '/nested disk/box', '/c']) await remove(path as VirtualPath)
      const found = new Map((await kept()).map((one) => [one.at as string, one]))
      expect([...found.keys()].sort()).toEqual(['/c', '/nested disk/a', '/nested disk/box'])
      const placeOf = (at: string) => found.get(at)?.place ?? ('/' as VirtualPath)
      expect(placeOf('/nested disk/a')).toStartWith(`/nested disk/${storeNames.trash}/files/`)
      await storage.restore(placeOf('/nested disk/a'), '/nested disk/new/a' as VirtualPath, { replace: false })
      await storage.restore(placeOf('/nested disk/box'), '/box' as VirtualPath, { replace: false })
      expect(readFileSync(join(root, 'nested disk/new/a'), 'utf8')).toBe('a')
      expect(readFileSync(join(root, 'box/b'), 'utf8')).toBe('b')
      await storage.purge(placeOf('/c'))
      expect(await kept()).toEqual([])
      for (const store of [storeNames.trash, `nested disk/${storeNames.trash}`])
        expect((await readdir(join(root, store), { recursive: true })).sort()).toEqual(['files', 'info'])
    })

    test('that is mounted in a kept folder is not emptied with it', async () => {
      const { root, storage, remove, kept } = await makeMount()
      await putFiles(root, { 'box/a': 'a' })
      await remove('/box' as VirtualPath)
      const [found] = await kept()
      if (found === undefined) throw new Error('Nothing was kept')
      mountDisk(join(root, found.place, 'disk'))
      await putFiles(join(root, found.place), { 'disk/precious': 'x' })
      expect(await storage.purge(found.place).catch(({ code }) => code)).toBe('forbidden')
      expect(readFileSync(join(root, found.place, 'disk/precious'), 'utf8')).toBe('x')
    })
  })
