import { expect, test } from 'bun:test'
import { Failure } from '../failure.ts'
import { parsePath } from '../files/path.ts'
import { breakingAfter } from './faulty.ts'
import type { Entry } from './storage.ts'
import { type Handle, piecesOf } from './subject.fixture.ts'

export function describeWriting(make: () => Promise<Handle>): void {
  test('what was written can be read, and the answer describes it', async () => {
    const { write, read, stat } = await make()
    const entry = await write('/a', 'hello', { length: 5 })
    expect(entry).toEqual(await stat('/a'))
    expect(await read('/a')).toBe('hello')
    expect(await write('/empty', '', { length: 0 })).toMatchObject({ size: 0 })
  })

  test("'new' refuses a taken name, 'existing' a free one, 'replace' neither", async () => {
    const { write, tree } = await make()
    await expect(write('/a', 'x', { mode: 'existing' })).rejects.toMatchObject({ code: 'not-found' })
    await expect(write('/p/q/a', 'x', { mode: 'existing' })).rejects.toMatchObject({ code: 'not-found' })
    expect(await tree()).toEqual({})
    await write('/a', '1', { mode: 'replace' })
    await expect(write('/a', 'x', { mode: 'new' })).rejects.toMatchObject({ code: 'already-exists' })
    expect(await tree()).toEqual({ '/a': '1' })
    await write('/a', 'shorter than before? no', { mode: 'existing' })
    await write('/a', '2', { mode: 'replace' })
    await write('/b', '3', { mode: 'new' })
    expect(await tree()).toEqual({ '/a': '2', '/b': '3' })
  })

  test.each(['new', 'replace', 'existing'] as const)("'%s' does not write onto a folder or the root", async (mode) => {
    const { put, write, tree } = await make()
    await put({ '/box/a': '' })
    await expect(write('/box', 'x', { mode })).rejects.toMatchObject({ code: 'already-exists' })
    await expect(write('/', 'x', { mode })).rejects.toMatchObject({ code: 'forbidden' })
    expect(await tree()).toEqual({ '/box/': '', '/box/a': '' })
  })

  test.each([
    ['too few bytes', 6, 'incomplete'],
    ['too many bytes', 4, 'invalid'],
    ['any bytes at all', 0, 'invalid'],
  ])('%s: neither a file nor a folder nor a draft is left', async (_, length, code) => {
    const { write, tree, read } = await make()
    await expect(write('/p/q/a', '12345', { length })).rejects.toMatchObject({ code })
    expect(await tree()).toEqual({})
    await write('/a', 'old')
    await expect(write('/a', '12345', { mode: 'replace', length })).rejects.toMatchObject({ code })
    expect(await read('/a')).toBe('old')
    expect(await tree()).toEqual({ '/a': 'old' })
  })

  test('a connection that breaks leaves the old content', async () => {
    const { write, storage, tree } = await make()
    await write('/a', 'old')
    const broken = () => breakingAfter(3, piecesOf('the new content'))
    await expect(storage.write(parsePath('/a'), broken(), { mode: 'replace' })).rejects.toThrow('connection broke')
    await expect(storage.write(parsePath('/p/b'), broken(), { mode: 'new' })).rejects.toThrow('connection broke')
    expect(await tree()).toEqual({ '/a': 'old' })
  })

  test('missing parents are made; those that were there stay when the write fails', async () => {
    const { write, createFolder, tree } = await make()
    await write('/p/q/a', '1')
    await createFolder('/kept')
    await expect(write('/kept/r/a', '12', { length: 1 })).rejects.toMatchObject({ code: 'invalid' })
    expect(await tree()).toEqual({ '/p/': '', '/p/q/': '', '/p/q/a': '1', '/kept/': '' })
  })

  test('a file is no parent', async () => {
    const { write, createFolder, tree } = await make()
    await write('/a', '1')
    await expect(write('/a/b', 'x')).rejects.toMatchObject({ code: 'not-found' })
    await expect(write('/a/b/c', 'x')).rejects.toMatchObject({ code: 'not-found' })
    await expect(createFolder('/a/b')).rejects.toMatchObject({ code: 'not-found' })
    expect(await tree()).toEqual({ '/a': '1' })
  })

  test('whoever replaces may look at what stands there and refuse', async () => {
    const { write, read, tree } = await make()
    const seen: (Entry | undefined)[] = []
    const accept = (current: Entry | undefined) => void seen.push(current)
    const first = await write('/a', 'one', { accept })
    await write('/a', 'second', { mode: 'replace', accept })
    expect(new Set(seen.map((entry) => entry?.inode))).toEqual(new Set([undefined, first.inode]))
    expect(seen.at(-1)).toEqual(first)

    const refuse = () => {
      throw new Failure('changed-meanwhile', 'The file has changed')
    }
    for (const path of ['/a', '/p/b'])
      await expect(write(path, 'x', { mode: 'replace', accept: refuse })).rejects.toMatchObject({
        code: 'changed-meanwhile',
      })
    expect(await read('/a')).toBe('second')
    expect(await tree()).toEqual({ '/a': 'second' })
  })

  test('the question is asked again in the step that replaces', async () => {
    const { write, storage, read } = await make()
    const { inode } = await write('/a', 'first')
    async function* slowly() {
      yield Buffer.from('mine')
      await write('/a', 'theirs', { mode: 'replace' })
    }
    const accept = (current: Entry | undefined) => {
      if (current?.inode !== inode) throw new Failure('changed-meanwhile', 'The file has changed')
    }
    const attempt = storage.write(parsePath('/a'), slowly(), { mode: 'replace', accept })
    await expect(attempt).rejects.toMatchObject({ code: 'changed-meanwhile' })
    expect(await read('/a')).toBe('theirs')
  })

  test('a name that was taken meanwhile is refused, and its file kept', async () => {
    const { write, storage, tree } = await make()
    async function* slowly() {
      yield Buffer.from('mine')
      await write('/a', 'theirs')
    }
    const attempt = storage.write(parsePath('/a'), slowly(), { mode: 'new' })
    await expect(attempt).rejects.toMatchObject({ code: 'already-exists' })
    expect(await tree()).toEqual({ '/a': 'theirs' })
  })

  test('drafts are never listed', async () => {
    const { storage, names, tree } = await make()
    const seen: string[][] = []
    async function* watched() {
      yield Buffer.from('half')
      seen.push(await names('/'))
    }
    await storage.write(parsePath('/a'), watched(), { mode: 'new' })
    expect(seen).toEqual([[]])
    expect(await tree()).toEqual({ '/a': 'half' })
  })

  test('a folder is made with its parents, once or twice', async () => {
    const { createFolder, write, tree } = await make()
    await createFolder('/')
    await createFolder('/a/b')
    await write('/a/b/c', '1')
    await createFolder('/a/b')
    await expect(createFolder('/a/b/c')).rejects.toMatchObject({ code: 'already-exists' })
    expect(await tree()).toEqual({ '/a/': '', '/a/b/': '', '/a/b/c': '1' })
  })

  test.each([
    'ünïcödé',
    '日本語',
    'cafe\u0301',
    '😀 and 🏳️‍🌈',
    '  two spaces  ',
    '100%',
    '%2e%2e%2f',
    'a\\b',
    'new\nline',
    'tab\there',
    '"quotes" \'n such',
    '-rf',
    '...',
    '.hidden',
    'con',
    'a:b*c?',
    '\u{feff}bom',
    'x'.repeat(255),
    '😀'.repeat(63),
  ])('%j is a name like any other', async (name) => {
    const { write, read, names, rename, copy, remove, createFolder, tree } = await make()
    await write(`/${name}`, 'content')
    expect(await names('/')).toEqual([name])
    await createFolder(`/box/${name}`)
    await rename(`/${name}`, `/box/${name}/${name}`)
    await copy('/box', '/copy')
    expect(await read(`/copy/${name}/${name}`)).toBe('content')
    await remove(`/copy/${name}`)
    await remove('/box')
    expect(await tree()).toEqual({ '/copy/': '' })
  })

  test.each(['x'.repeat(256), '😀'.repeat(64)])('a name of 256 bytes is invalid, and nothing is made', async (name) => {
    const { write, createFolder, copy, rename, stat, tree } = await make()
    await write('/a', '1')
    for (const path of [`/${name}`, `/p/q/${name}`, `/p/${name}/r`]) {
      await expect(write(path, 'x')).rejects.toMatchObject({ code: 'invalid' })
      await expect(createFolder(path)).rejects.toMatchObject({ code: 'invalid' })
      await expect(copy('/a', path)).rejects.toMatchObject({ code: 'invalid' })
      await expect(rename('/a', path)).rejects.toMatchObject({ code: 'invalid' })
    }
    await expect(stat(`/${name}`)).rejects.toMatchObject({ code: 'invalid' })
    expect(await tree()).toEqual({ '/a': '1' })
  })

  test('two writers at once leave one whole version', async () => {
    const { storage, read, tree } = await make()
    const versions = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(300_000))
    await Promise.all(versions.map((text) => storage.write(parsePath('/a'), piecesOf(text), { mode: 'replace' })))
    expect(versions).toContain(await read('/a'))
    expect(Object.keys(await tree())).toEqual(['/a'])
  })

  test('of many who want a new name one gets it', async () => {
    const { write, read } = await make()
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map((text) => write('/p/q/new', text)))
    const winner = outcomes.findIndex((outcome) => outcome.status === 'fulfilled')
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    expect(await read('/p/q/new')).toBe('abcd'[winner] ?? '')
  })

  test('a reader sees one whole version while another is written', async () => {
    const { write, read } = await make()
    const versions = ['x', 'y'].map((letter) => letter.repeat(100_000))
    await write('/a', versions[0] ?? '')
    let isDone = false
    const writing = (async () => {
      for (let round = 1; round <= 20; round += 1) await write('/a', versions[round % 2] ?? '', { mode: 'replace' })
      isDone = true
    })()
    while (!isDone) expect(versions).toContain(await read('/a'))
    await writing
  })
}
