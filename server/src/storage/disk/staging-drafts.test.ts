import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isFailure } from '../../failure.ts'
import { linuxKernel } from '../linux/kernel.ts'
import { draftPrefix, parsePath } from '../path.ts'
import { filesIn, makeDisk, makeHandle, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { areApart, failureOf, id, long, putOld, twoRoots } from '../testing/staging.fixture.ts'
import { rootAt } from './base.ts'
import { transferBetween } from './between-roots.ts'

afterAll(removeFolders)

const why = areApart ? '' : ' (skipped, because there is one file system alone)'
const draft = `${draftPrefix}${id}`
const tree = { '/box/a': 'a', '/box/sub/b': 'b' }
const whole = { '/box/': '', '/box/a': 'a', '/box/sub/': '', '/box/sub/b': 'b' }

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

describe('a copy that is given up', () => {
  test('leaves what is whole of it', async () => {
    const roots = await twoRoots()
    await putOld(roots.from, Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`/box/${at}`, `${at}`])))
    await writeFile(join(roots.from, 'box/zz'), Buffer.alloc(20 << 20, 'z'))
    const inner = linuxKernel()
    roots.kernel = {
      ...inner,
      write: (fd, pieces, position) =>
        position > 1 << 20 ? Promise.reject(new DOMException('', 'AbortError')) : inner.write(fd, pieces, position),
    }
    await failureOf(roots.stage('copy', '/box', '/box', { signal: endingAfter(40) }))
    await roots.unstage('/box', { publish: true })
    const found = await filesIn(roots.to)
    expect(found['/box/zz']).toBeUndefined()
    expect(readdirSync(roots.to)).toEqual(['box'])
    for (const name of readdirSync(join(roots.to, 'box'))) expect(found[`/box/${name}`]).toBe(name)
  })

  test('takes the place of nothing, and fills up what has come under its name', async () => {
    const roots = await twoRoots()
    await putOld(roots.from, tree)
    await roots.stage('copy', '/box', '/box')
    await putFiles(roots.to, { '/box/a': 'another' })
    await roots.unstage('/box', { publish: true })
    expect(await filesIn(roots.to)).toEqual({ ...whole, '/box/a': 'another' })
  })

  test('vanishes where a file has its name', async () => {
    const roots = await twoRoots()
    await putOld(roots.from, tree)
    await roots.stage('copy', '/box', '/box')
    await putFiles(roots.to, { '/box': 'a file' })
    await roots.unstage('/box', { publish: true })
    expect(await filesIn(roots.to)).toEqual({ '/box': 'a file' })
  })
})

test('after another boot of the kernel nothing is trusted that was not compared', async () => {
  const roots = await twoRoots()
  await putOld(roots.from, tree)
  await roots.stage('copy', '/box', '/box')
  const state = join(roots.to, `${draft}.parts/state`)
  writeFileSync(state, JSON.stringify({ ...JSON.parse(readFileSync(state, 'utf8')), boot: 'another' }))
  // As a power cut leaves it: name, size and time are there, and not the bytes.
  const damaged = join(roots.to, draft, 'sub/b')
  writeFileSync(damaged, '\0')
  await utimes(damaged, long, long)
  await roots.transfer('copy', '/box', '/box')
  await roots.unstage('/box')
  expect(await filesIn(roots.to)).toEqual(whole)
})

test('a file that is written while it is copied is copied again, also where size and time are the same', async () => {
  const roots = await twoRoots()
  await writeFile(join(roots.from, 'film'), Buffer.alloc(20 << 20, 'a'))
  await utimes(join(roots.from, 'film'), long, long)
  const inner = linuxKernel()
  let isWritten = false
  const change = () => {
    if (isWritten) return
    isWritten = true
    writeFileSync(join(roots.from, 'film'), 'B', { flag: 'r+' })
  }
  roots.kernel = {
    ...inner,
    write(fd, pieces, position) {
      if (position > 1 << 20) change()
      return inner.write(fd, pieces, position)
    },
    shareBytes() {
      throw Object.assign(new Error(), { code: 'EXDEV' })
    },
    copyRange: () => Promise.reject(Object.assign(new Error(), { code: 'EXDEV' })),
  }
  await roots.stage('copy', '/film', '/film')
  await utimes(join(roots.from, 'film'), long, long)
  await roots.transfer('copy', '/film', '/film')
  expect([isWritten, readFileSync(join(roots.to, 'film'), 'utf8').slice(0, 2)]).toEqual([true, 'Ba'])
})

test('a folder or file that vanishes while it is copied is left out', async () => {
  const roots = await twoRoots()
  await putOld(roots.from, { ...tree, '/box/gone/c': 'c', '/box/lost': 'lost' })
  const inner = linuxKernel()
  let isGone = false
  roots.kernel = {
    ...inner,
    makeFolder(folder, name, mode) {
      inner.makeFolder(folder, name, mode)
      // The folder has been read by now.
      if (!isGone && existsSync(join(roots.to, draft, 'sub'))) {
        isGone = true
        void rm(join(roots.from, 'box/gone'), { recursive: true, force: true })
      }
    },
    open(folder, name, flags, mode) {
      if (name === 'lost') throw Object.assign(new Error(), { code: 'ENOENT' })
      return inner.open(folder, name, flags, mode)
    },
  }
  await rm(join(roots.from, 'box/lost'))
  await roots.stage('copy', '/box', '/box')
  await rm(join(roots.from, 'box/gone'), { recursive: true, force: true })
  await roots.transfer('copy', '/box', '/box')
  await roots.unstage('/box')
  expect(await filesIn(roots.to)).toEqual(whole)
})

test.skipIf(!areApart)(`what is put into the source after a crash is not lost by the next try${why}`, async () => {
  const roots = await twoRoots()
  await putOld(roots.from, { ...tree, '/elsewhere/old/x': 'x' })
  await roots.stage('move', '/box', '/box')
  const inner = linuxKernel()
  // The process dies when the copy has its name.
  let isOver = false
  const dying = (call: () => void) => {
    if (isOver) throw Object.assign(new Error('gone'), { code: 'EIO' })
    call()
  }
  roots.kernel = {
    ...inner,
    renameToFree(...names) {
      dying(() => inner.renameToFree(...names))
      isOver = true
    },
    unlink: (...names) => dying(() => inner.unlink(...names)),
    rename: (...names) => dying(() => inner.rename(...names)),
    removeFolder: (...names) => dying(() => inner.removeFolder(...names)),
  }
  isOver = false
  await failureOf(roots.transfer('move', '/box', '/box'))
  expect(await filesIn(join(roots.to, 'box'))).toEqual({ '/a': 'a', '/sub/': '', '/sub/b': 'b' })
  await roots.restart()
  await rename(join(roots.from, 'elsewhere/old'), join(roots.from, 'box/sub/old'))
  await putFiles(roots.from, { '/box/new': 'new' })
  await writeFile(join(roots.from, 'box/a'), 'changed')
  await roots.transfer('move', '/box', '/box')
  await roots.unstage('/box')
  expect(await filesIn(roots.from)).toEqual({
    ...{ '/box/': '', '/box/a': 'changed', '/box/new': 'new', '/elsewhere/': '' },
    ...{ '/box/sub/': '', '/box/sub/old/': '', '/box/sub/old/x': 'x' },
  })
})

test.skipIf(!areApart)(
  `a draft that was taken away before it was published takes nothing of the source along${why}`,
  async () => {
    const roots = await twoRoots()
    await putOld(roots.from, tree)
    await roots.stage('move', '/box', '/box')
    // As a process that died between the note and the name leaves it.
    const state = join(roots.to, `${draft}.parts/state`)
    const [root, staged] = [join(roots.from, 'box'), join(roots.to, draft)].map(identityOf)
    const folders = [root?.inode, identityOf(join(roots.from, 'box/sub')).inode]
    const copied = { root, since: Date.now() + 60_000, files: [], folders, stays: [] }
    const publishing = { draft: staged, isMerge: false }
    writeFileSync(
      state,
      JSON.stringify({ ...JSON.parse(readFileSync(state, 'utf8')), phase: 'publishing', publishing, copied }),
    )
    // Made before the other is gone: a file system may give its number to the next folder.
    await putFiles(roots.to, { '/box/other': 'other' })
    await rm(join(roots.to, draft), { recursive: true })
    expect(isFailure(await failureOf(roots.transfer('move', '/box', '/box')), 'already-exists')).toBe(true)
    expect(await filesIn(roots.from)).toEqual(whole)
  },
)

test.skipIf(!areApart)(
  `another folder that has got the number of a draft which was taken away is not taken for it${why}`,
  async () => {
    const roots = await twoRoots()
    await putOld(roots.from, tree)
    await roots.stage('move', '/box', '/box')
    await rm(join(roots.to, draft), { recursive: true })
    await putFiles(roots.to, { '/box/other': 'other' })
    const state = join(roots.to, `${draft}.parts/state`)
    const [root, other] = [join(roots.from, 'box'), join(roots.to, 'box')].map(identityOf)
    const folders = [root?.inode, identityOf(join(roots.from, 'box/sub')).inode]
    const copied = { root, since: Date.now() + 60_000, files: [], folders, stays: [] }
    const publishing = { draft: { ...other, born: '1' }, isMerge: false }
    const known = JSON.parse(readFileSync(state, 'utf8'))
    writeFileSync(state, JSON.stringify({ ...known, phase: 'publishing', publishing, copied }))
    expect(isFailure(await failureOf(roots.transfer('move', '/box', '/box')), 'already-exists')).toBe(true)
    expect(await filesIn(roots.from)).toEqual(whole)
  },
)

test.skipIf(!areApart)(`what has got the number of the source since is not removed for it${why}`, async () => {
  const roots = await twoRoots()
  await putOld(roots.from, tree)
  await roots.stage('move', '/box', '/box')
  const state = join(roots.to, `${draft}.parts/state`)
  const [root, staged] = [join(roots.from, 'box'), join(roots.to, draft)].map(identityOf)
  const folders = [root?.inode, identityOf(join(roots.from, 'box/sub')).inode]
  const copied = { root: { ...root, born: '1' }, since: Date.now() + 60_000, files: [], folders, stays: [] }
  const publishing = { draft: staged, isMerge: false }
  const known = JSON.parse(readFileSync(state, 'utf8'))
  writeFileSync(state, JSON.stringify({ ...known, phase: 'publishing', publishing, copied }))
  await rename(join(roots.to, draft), join(roots.to, 'box'))
  await roots.transfer('move', '/box', '/box')
  expect(await filesIn(roots.from)).toEqual(whole)
})

function identityOf(path: string) {
  const kernel = linuxKernel()
  const { device, inode } = kernel.stat(-1, path)
  return { device, inode }
}

test('of two processes that want to be at work on one draft the second waits for the first', async () => {
  const roots = await twoRoots()
  await putOld(roots.from, tree)
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const inner = linuxKernel()
  roots.kernel = {
    ...inner,
    async sync(fd) {
      begun.resolve()
      await gate.promise
      return inner.sync(fd)
    },
  }
  const first = roots.stage('copy', '/box', '/box')
  await begun.promise
  roots.kernel = inner
  let isGateOpen = false
  const second = roots.stage('copy', '/box', '/box').then(() => isGateOpen)
  // One that is cancelled does not wait for it.
  const cancelled = AbortSignal.abort(new Error('cancelled'))
  await expect(roots.stage('copy', '/box', '/box', { signal: cancelled })).rejects.toThrow('cancelled')
  isGateOpen = true
  gate.resolve()
  await first
  expect(await second).toBe(true)
  await roots.transfer('copy', '/box', '/box')
  await roots.unstage('/box')
  expect(await filesIn(roots.to)).toEqual(whole)
})

test.each(['copy', 'move'] as const)('what a %s is just about to publish is not cleared away', async (kind) => {
  const roots = await twoRoots()
  await putOld(roots.from, tree)
  await roots.stage(kind, '/box', '/box')
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const inner = linuxKernel()
  roots.kernel = {
    ...inner,
    async sync(fd) {
      begun.resolve()
      await gate.promise
      return inner.sync(fd)
    },
  }
  const published = roots.transfer(kind, '/box', '/box')
  await begun.promise
  roots.kernel = inner
  const cleared = roots.unstage('/box')
  await Bun.sleep(20)
  gate.resolve()
  await Promise.all([published, cleared])
  expect(await filesIn(roots.to)).toEqual(whole)
})

test.skipIf(!areApart)(`another folder under the name of the source is left alone${why}`, async () => {
  const roots = await twoRoots()
  await putOld(roots.from, { ...tree, '/other/a': 'other' })
  await roots.stage('move', '/box', '/box')
  await roots.transfer('move', '/box', '/box')
  await rename(join(roots.from, 'other'), join(roots.from, 'box'))
  await roots.transfer('move', '/box', '/box')
  await roots.unstage('/box')
  expect(await filesIn(roots.from)).toEqual({ '/box/': '', '/box/a': 'other' })
})

test('a copy onto a file with two names keeps both of them together', async () => {
  const roots = await twoRoots()
  await writeFile(join(roots.from, 'film'), Buffer.alloc(17 << 20, 'n'))
  await putFiles(roots.to, { '/film': 'old' })
  const { link } = await import('node:fs/promises')
  await link(join(roots.to, 'film'), join(roots.to, 'second'))
  await roots.stage('copy', '/film', '/film', { replace: true })
  await roots.transfer('copy', '/film', '/film', { replace: true })
  await roots.unstage('/film')
  expect(readdirSync(roots.to).sort()).toEqual(['film', 'second'])
  for (const name of ['film', 'second']) expect(statSync(join(roots.to, name)).size).toBe(17 << 20)
})

test('what is staged shows in no listing and keeps no folder from being removed or moved', async () => {
  const to = await makeHandle()
  await to.put({ '/box/a': '1', '/p/other': 'other' })
  await to.storage.stage('copy', parsePath('/box'), parsePath('/p/box'), { id, replace: false })
  expect(existsSync(join(to.root, 'p', draft))).toBe(true)
  expect(await to.names('/p')).toEqual(['other'])
  await to.rename('/p', '/q')
  expect(await to.names('/q')).toEqual(['other'])
  await to.remove('/q')
  expect(await filesIn(to.root)).toEqual({ '/box/': '', '/box/a': '1' })
  // The job goes on: nothing is staged any more, so all of it is copied now.
  await to.storage.copy(parsePath('/box'), parsePath('/p/box'), { replace: false, staged: id })
  expect(await to.names('/p')).toEqual(['box'])
})

test('a folder that is moved to another disk does not take along what is staged in it', async () => {
  const roots = await twoRoots()
  await putOld(roots.from, { '/target/x': 'x' })
  await mkdir(join(roots.from, 'target', draft))
  await writeFile(join(roots.from, 'target', draft, 'part'), 'part')
  const disk = makeDisk()
  const end = (root: string, path: string) => ({ disk, begin: rootAt(disk, root), path: parsePath(path) })
  await transferBetween('move', end(roots.from, '/target'), end(roots.to, '/target'), { replace: false })
  if (areApart) expect(await filesIn(roots.to)).toEqual({ '/target/': '', '/target/x': 'x' })
  expect(existsSync(join(roots.from, 'target'))).toBe(false)
})

test('a target without room fails as such, and the next try goes on', async () => {
  const roots = await twoRoots()
  await putOld(roots.from, Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`/box/${at}`, `${at}`])))
  await writeFile(join(roots.from, 'box/image'), '')
  await truncate(join(roots.from, 'box/image'), 1 << 30)
  const inner = linuxKernel()
  let files = 0
  roots.kernel = {
    ...inner,
    copyFromMemory(from, to, size) {
      files += 1
      if (files > 5) throw Object.assign(new Error(), { code: 'ENOSPC' })
      return inner.copyFromMemory(from, to, size)
    },
  }
  const failure = await failureOf(roots.stage('copy', '/box', '/box'))
  expect(isFailure(failure, 'no-space')).toBe(true)
  const kept = readdirSync(join(roots.to, draft)).length
  expect(kept).toBeGreaterThan(3)
  roots.kernel = linuxKernel()
  await roots.stage('copy', '/box', '/box')
  await roots.transfer('copy', '/box', '/box')
  expect(readdirSync(join(roots.to, 'box')).length).toBe(11)
})
