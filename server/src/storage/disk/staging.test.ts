import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { appendFile, chmod, cp, link, mkdir, open, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isFailure } from '../../failure.ts'
import { linuxKernel } from '../linux/kernel.ts'
import { draftPrefix, parsePath } from '../path.ts'
import { filesIn, makeDisk, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { areApart, failureOf, id, long, putOld, twoRoots } from '../testing/staging.fixture.ts'
import type { Done, StageOptions, TransferKind, TransferOptions } from '../transfer-options.ts'
import { rootAt } from './base.ts'
import { stageBetween, transferBetween } from './between-roots.ts'
import { inTarget } from './in-target.ts'
import { unstage } from './publishing.ts'

afterAll(removeFolders)

const mega = 1 << 20

const isStaged = (root: string) => readdirSync(root).some((name) => name.startsWith(draftPrefix))
const shown = (root: string) => readdirSync(root).filter((name) => !name.startsWith('.filestead'))

/** Ends the work after so many questions whether to go on. */
function endingAfter(questions: number) {
  let asked = 0
  return {
    throwIfAborted() {
      asked += 1
      if (asked > questions) throw new DOMException('The client left', 'AbortError')
    },
  }
}

const tree = { '/box/a': 'a', '/box/sub/b': 'b', '/box/sub/deep/c': 'c', '/box/z': 'z' }
const asBox = { '/box/': '', '/box/a': 'a', '/box/sub/': '', '/box/sub/b': 'b', '/box/sub/deep/': '' }
const whole = { ...asBox, '/box/sub/deep/c': 'c', '/box/z': 'z' }

describe.each(['copy', 'move'] as const)('a staged %s', (kind) => {
  test('shows nothing until it is published, and leaves nothing behind', async () => {
    const roots = await twoRoots()
    await putOld(roots.from, tree)
    await roots.stage(kind, '/box', '/box')
    expect([shown(roots.to), await filesIn(roots.from)]).toEqual([[], whole])
    expect(isStaged(roots.to)).toBe(kind === 'copy' || areApart)
    await roots.transfer(kind, '/box', '/box')
    await roots.unstage('/box')
    expect(await filesIn(roots.to)).toEqual(whole)
    expect(await filesIn(roots.from)).toEqual(kind === 'copy' ? whole : {})
  })

  test('that ended early goes on with what it has: no file is copied twice', async () => {
    const roots = await twoRoots()
    await putOld(
      roots.from,
      Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`/box/${at % 3}/${at}`, `${at}`])),
    )
    await failureOf(roots.stage(kind, '/box', '/box', { signal: endingAfter(kind === 'move' ? 50 : 20) }))
    const inodes = await inodesIn(roots.to)
    expect(inodes.size).toBeGreaterThan(kind === 'move' && !areApart ? -1 : 0)
    await roots.stage(kind, '/box', '/box')
    await roots.transfer(kind, '/box', '/box')
    const after = await inodesIn(roots.to)
    expect(after.size).toBe(30)
    for (const [name, inode] of inodes) expect([name, after.get(name)]).toEqual([name, inode])
  })

  test('takes along what was changed, added and removed after it was staged', async () => {
    const roots = await twoRoots()
    await putOld(roots.from, { ...tree, '/box/gone/x': 'x', '/box/mixed': 'file' })
    await roots.stage(kind, '/box', '/box')
    await writeFile(join(roots.from, 'box/a'), 'A')
    await utimes(join(roots.from, 'box/a'), long, long)
    await appendFile(join(roots.from, 'box/sub/b'), 'b')
    await putFiles(roots.from, { '/box/new/y': 'y' })
    await rm(join(roots.from, 'box/gone'), { recursive: true })
    await rm(join(roots.from, 'box/mixed'))
    await putFiles(roots.from, { '/box/mixed/now': 'folder' })
    const expected = await filesIn(roots.from)
    await roots.transfer(kind, '/box', '/box')
    await roots.unstage('/box')
    expect(await filesIn(roots.to)).toEqual(expected)
    expect(await filesIn(roots.from)).toEqual(kind === 'copy' ? expected : {})
  })

  test('of a large file goes on where it stopped, and keeps holes', async () => {
    const roots = await twoRoots()
    const path = join(roots.from, 'image')
    await writeSparse(path, 20_000, [0, 40, 9000, 19_999])
    await utimes(path, long, long)
    const bytes = await piecesOf(path)
    // The middle of a copy, as a process that is killed leaves it.
    let written = 0
    const inner = linuxKernel()
    roots.kernel = {
      ...inner,
      async write(fd, pieces, position) {
        if (position > 0) throw new DOMException('The process ends', 'AbortError')
        written += 1
        return inner.write(fd, pieces, position)
      },
      copyRange: () => Promise.reject(Object.assign(new Error(), { code: 'EXDEV' })),
      shareBytes() {
        throw Object.assign(new Error(), { code: 'EXDEV' })
      },
    }
    await failureOf(roots.stage(kind, '/image', '/image'))
    const positions: number[] = []
    roots.kernel = {
      ...roots.kernel,
      async write(fd, pieces, position) {
        positions.push(position)
        return inner.write(fd, pieces, position)
      },
    }
    await roots.stage(kind, '/image', '/image')
    if (kind === 'copy' || areApart) expect([written > 0, positions.filter((at) => at > 0).length]).toEqual([true, 3])
    await roots.transfer(kind, '/image', '/image')
    await roots.unstage('/image')
    expect(shown(roots.to)).toEqual(['image'])
    expect(await piecesOf(join(roots.to, 'image'))).toEqual(bytes)
    expect(statSync(join(roots.to, 'image')).blocks * 512).toBeLessThan(64 * mega)
    expect(existsSync(path)).toBe(kind === 'copy')
  })

  test('of a large file that has changed meanwhile begins anew', async () => {
    const roots = await twoRoots()
    await writeFile(join(roots.from, 'film'), Buffer.alloc(20 * mega, 'a'))
    await roots.stage(kind, '/film', '/film')
    await writeFile(join(roots.from, 'film'), Buffer.alloc(20 * mega, 'b'))
    await roots.transfer(kind, '/film', '/film')
    expect((await piecesOf(join(roots.to, 'film')))[0]).toBe('b')
  })

  test('that is answered a second time changes nothing more', async () => {
    const roots = await twoRoots()
    await putOld(roots.from, { ...tree, '/small': 'small' })
    await roots.stage(kind, '/box', '/box')
    for (const path of ['/box', '/small']) {
      for (const _ of [1, 2]) await roots.transfer(kind, path, path)
      await roots.unstage(path)
    }
    expect(await filesIn(roots.to)).toEqual({ ...whole, '/small': 'small' })
  })

  test('is refused where the name is taken, before anything is staged', async () => {
    const roots = await twoRoots()
    await putOld(roots.from, tree)
    await putFiles(roots.to, { '/box/other': 'other' })
    const across = kind === 'copy' || areApart
    expect(isFailure(await failureOf(roots.stage(kind, '/box', '/box')), 'already-exists')).toBe(across)
    expect(isStaged(roots.to)).toBe(false)
    expect(isFailure(await failureOf(roots.transfer(kind, '/box', '/box')), 'already-exists')).toBe(true)
    expect(await filesIn(roots.from)).toEqual(whole)
  })

  test('of something that is not there is not found', async () => {
    const roots = await twoRoots()
    expect(isFailure(await failureOf(roots.stage(kind, '/none', '/none')), 'not-found')).toBe(true)
    expect(isFailure(await failureOf(roots.transfer(kind, '/none', '/none')), 'not-found')).toBe(true)
    expect(readdirSync(roots.to)).toEqual([])
  })

  test('tells its progress: files, bytes, and the file at work', async () => {
    const roots = await twoRoots()
    await putOld(roots.from, tree)
    await writeFile(join(roots.from, 'box/large'), Buffer.alloc(20 * mega, 'l'))
    const told: Done[] = []
    await roots.stage(kind, '/box', '/box', { progress: (done) => void told.push(done) })
    if (kind === 'copy' || areApart) expect(told.at(-1)).toMatchObject({ files: 5, bytes: 20 * mega + 4 })
    const again: Done[] = []
    await roots.transfer(kind, '/box', '/box', { progress: (done) => void again.push(done) })
    if (kind === 'copy' || areApart)
      for (const done of again) expect(done).toMatchObject({ files: 5, bytes: 20 * mega + 4 })
  })

  test('keeps modes, times, links and what no one else may enter', async () => {
    const roots = await twoRoots()
    await putOld(roots.from, tree)
    await symlink('a', join(roots.from, 'box/link'))
    await link(join(roots.from, 'box/a'), join(roots.from, 'box/second'))
    await chmod(join(roots.from, 'box/a'), 0o440)
    await chmod(join(roots.from, 'box/sub'), 0o550)
    for (const _ of [1, 2]) await roots.stage(kind, '/box', '/box')
    await roots.transfer(kind, '/box', '/box')
    await roots.unstage('/box')
    expect(await filesIn(roots.to)).toEqual({ ...whole, '/box/link@': 'a', '/box/second': 'a' })
    const at = (path: string) => statSync(join(roots.to, path))
    expect([at('box/a').mode & 0o777, at('box/sub').mode & 0o777]).toEqual([0o440, 0o550])
    expect(at('box/a').mtimeMs).toBe(long.getTime())
  })
})

/** A file that is mostly holes, with a mega of bytes at some places. */
async function writeSparse(path: string, megas: number, at: readonly number[]): Promise<void> {
  await writeFile(path, '')
  await truncate(path, megas * mega)
  const file = await open(path, 'r+')
  for (const place of at) await file.write(Buffer.alloc(mega, `${place}`), 0, mega, place * mega)
  await file.sync()
  await file.close()
}

async function piecesOf(path: string): Promise<string[]> {
  const file = await open(path)
  const { size } = await file.stat()
  const read = async (at: number) => (await file.read(Buffer.alloc(4), 0, 4, at)).buffer.toString().slice(0, 1)
  const bytes: string[] = []
  for (const place of [0, 40, 41, 9000, 19_999]) if (place * mega < size) bytes.push(await read(place * mega))
  await file.close()
  return [...bytes, String(size)]
}

/** By the names of files, wherever they lie. */
async function inodesIn(root: string, found = new Map<string, number>()): Promise<Map<string, number>> {
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (entry.isDirectory()) {
      if (!entry.name.endsWith('.parts')) await inodesIn(join(root, entry.name), found)
    } else found.set(entry.name, statSync(join(root, entry.name)).ino)
  }
  return found
}

describe.each(['copy', 'move'] as const)('a %s that is merged', (kind) => {
  const rule = (taken: TransferOptions['taken']) => ({ replace: true, taken })

  async function conflicting() {
    const roots = await twoRoots()
    const files = ['skipped', 'replaced', 'both', 'newer', 'older', 'sub/same', 'sub/free']
    await putOld(roots.from, Object.fromEntries(files.map((name) => [`/box/${name}`, `from ${name}`])))
    await putOld(roots.to, Object.fromEntries(files.slice(0, 5).map((name) => [`/box/${name}`, `to ${name}`])))
    await putOld(roots.to, { '/box/sub/same': 'from sub/same', '/box/other': 'other' })
    const [earlier, later] = [-1000, 1000].map((ms) => new Date(long.getTime() + ms)) as [Date, Date]
    for (const name of ['newer', 'older'])
      await utimes(join(roots.from, 'box', name), long, name === 'newer' ? later : earlier)
    return roots
  }
  const by = { replaced: 'replace', both: 'keep-both', newer: 'newer', older: 'newer' } as const

  test.each([true, false])(
    'asks the rule for each name that is taken, also within one file system (across: %p)',
    async (isAcross) => {
      const roots = await conflicting()
      if (!isAcross) {
        await rm(roots.to, { recursive: true })
        const other = await conflicting()
        await rm(other.from, { recursive: true })
        // The same two trees in one place.
        await mkdir(roots.to)
        await moveInto(other.to, roots.from, 'there')
      }
      const target = isAcross ? '/box' : '/there/box'
      const go = isAcross ? roots : await within(roots.from)
      await go.stage(kind, '/box', target, rule({ default: 'skip', by }))
      await go.transfer(kind, '/box', target, rule({ default: 'skip', by }))
      await go.unstage(target)
      const found = await filesIn(isAcross ? roots.to : join(roots.from, 'there'))
      expect(found).toEqual({
        '/box/': '',
        '/box/skipped': 'to skipped',
        '/box/replaced': 'from replaced',
        '/box/both': 'to both',
        '/box/both(1)': 'from both',
        '/box/newer': 'from newer',
        '/box/older': 'to older',
        '/box/other': 'other',
        '/box/sub/': '',
        '/box/sub/same': 'from sub/same',
        '/box/sub/free': 'from sub/free',
      })
      const left = Object.keys(await filesIn(join(roots.from))).filter((path) => path.startsWith('/box'))
      if (kind === 'move') expect(left.sort()).toEqual(['/box/', '/box/older', '/box/skipped'])
      else expect(left.length).toBe(9)
    },
  )

  test('refuses before anything changes where a name is taken that has no answer', async () => {
    const roots = await conflicting()
    const [from, to] = [await filesIn(roots.from), await filesIn(roots.to)]
    const refuse = rule({ default: 'refuse', by })
    for (const work of [roots.stage(kind, '/box', '/box', refuse), roots.transfer(kind, '/box', '/box', refuse)])
      expect(isFailure(await failureOf(work), 'already-exists')).toBe(true)
    await roots.unstage('/box')
    expect([await filesIn(roots.from), await filesIn(roots.to)]).toEqual([from, to])
  })

  test('keeps a file and a folder of one name apart', async () => {
    const roots = await twoRoots()
    await putOld(roots.from, { '/box/one/a': 'a', '/box/two': '2' })
    await putOld(roots.to, { '/box/one': '1', '/box/two/b': 'b' })
    const before = await filesIn(roots.to)
    const replacing = await failureOf(roots.transfer(kind, '/box', '/box', rule({ default: 'replace' })))
    expect(isFailure(replacing, 'already-exists')).toBe(true)
    expect(await filesIn(roots.to)).toEqual(before)
    await roots.transfer(kind, '/box', '/box', rule({ default: 'keep-both' }))
    await roots.unstage('/box')
    expect(await filesIn(roots.to)).toEqual({
      ...before,
      ...{ '/box/one(1)/': '', '/box/one(1)/a': 'a', '/box/two(1)': '2' },
    })
  })
})

async function moveInto(folder: string, root: string, name: string): Promise<void> {
  await mkdir(join(root, name))
  for (const each of readdirSync(folder))
    await cp(join(folder, each), join(root, name, each), { recursive: true, preserveTimestamps: true })
}

/** Both ends in one root. */
async function within(root: string) {
  const disk = makeDisk()
  const end = (path: string) => ({ disk, begin: rootAt(disk, root), path: parsePath(path) })
  return {
    stage: (kind: TransferKind, from: string, to: string, options: Partial<StageOptions>) =>
      stageBetween(kind, end(from), end(to), { id, replace: false, ...options }),
    transfer: (kind: TransferKind, from: string, to: string, options: Partial<TransferOptions>) =>
      transferBetween(kind, end(from), end(to), { replace: false, staged: id, ...options }),
    unstage: (to: string) => inTarget(end(to), parsePath(to), 'must-exist', (place) => unstage(disk, place, id, {})),
  }
}
