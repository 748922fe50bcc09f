import { expect, test } from 'bun:test'
import { yieldToLoop } from '../../concurrency/time-slices.ts'
import { isFailure } from '../../failure.ts'
import { parsePath } from '../path.ts'
import type { Capabilities } from '../port.ts'
import { breakingAfter } from './faulty.ts'
import { type Handle, piecesOf, refusalOf } from './subject.fixture.ts'

export function describeWriting(make: () => Promise<Handle>, { atomicReplace }: Capabilities): void {
  test('what was written can be read, and the answer describes it', async () => {
    const { write, read, stat } = await make()
    const entry = await write('/a', 'hello', { length: 5 })
    expect(entry).toEqual(await stat('/a'))
    expect(await read('/a')).toBe('hello')
    expect(await write('/empty', '', { length: 0 })).toMatchObject({ size: 0 })
  })

  test("'absent' refuses a taken name, 'present' a free one, 'any' neither", async () => {
    const { write, tree } = await make()
    expect(await refusalOf(write('/a', 'x', { precondition: 'present' }))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(write('/p/q/a', 'x', { precondition: 'present' }))).toMatchObject({ code: 'not-found' })
    expect(await tree()).toEqual({})
    await write('/a', '1', { precondition: 'any' })
    expect(await refusalOf(write('/a', 'x', { precondition: 'absent' }))).toMatchObject({ code: 'already-exists' })
    expect(await tree()).toEqual({ '/a': '1' })
    await write('/a', 'shorter than before? no', { precondition: 'present' })
    await write('/a', '2', { precondition: 'any' })
    await write('/b', '3', { precondition: 'absent' })
    expect(await tree()).toEqual({ '/a': '2', '/b': '3' })
  })

  test.each(['absent', 'any', 'present'] as const)(
    "'%s' does not write onto a folder or the root",
    async (precondition) => {
      const { put, write, tree } = await make()
      await put({ '/box/a': '' })
      expect(await refusalOf(write('/box', 'x', { precondition }))).toMatchObject({ code: 'already-exists' })
      expect(await refusalOf(write('/', 'x', { precondition }))).toMatchObject({ code: 'forbidden' })
      expect(await tree()).toEqual({ '/box/': '', '/box/a': '' })
    },
  )

  test.each([
    ['too few bytes', 6, 'incomplete'],
    ['too many bytes', 4, 'invalid'],
    ['any bytes at all', 0, 'invalid'],
  ])('%s: neither a file nor a folder nor a draft is left', async (_, length, code) => {
    const { write, tree, read } = await make()
    expect(await refusalOf(write('/p/q/a', '12345', { length }))).toMatchObject({ code })
    expect(await tree()).toEqual({})
    await write('/a', 'old')
    expect(await refusalOf(write('/a', '12345', { precondition: 'any', length }))).toMatchObject({ code })
    expect(await read('/a')).toBe('old')
    expect(await tree()).toEqual({ '/a': 'old' })
  })

  test('a connection that breaks leaves the old content', async () => {
    const { write, storage, tree } = await make()
    await write('/a', 'old')
    const broken = () => breakingAfter(3, piecesOf('the new content'))
    expect(await refusalOf(storage.write(parsePath('/a'), broken(), { precondition: 'any' }))).toMatchObject({
      message: 'the connection broke',
    })
    expect(await refusalOf(storage.write(parsePath('/p/b'), broken(), { precondition: 'absent' }))).toMatchObject({
      message: 'the connection broke',
    })
    expect(await tree()).toEqual({ '/a': 'old' })
  })

  test('missing parents are made; those that were there stay when the write fails', async () => {
    const { write, createFolder, tree } = await make()
    await write('/p/q/a', '1')
    await createFolder('/kept')
    expect(await refusalOf(write('/kept/r/a', '12', { length: 1 }))).toMatchObject({ code: 'invalid' })
    expect(await tree()).toEqual({ '/p/': '', '/p/q/': '', '/p/q/a': '1', '/kept/': '' })
  })

  test('a file is no parent', async () => {
    const { write, createFolder, tree } = await make()
    await write('/a', '1')
    expect(await refusalOf(write('/a/b', 'x'))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(write('/a/b/c', 'x'))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(createFolder('/a/b'))).toMatchObject({ code: 'not-found' })
    expect(await tree()).toEqual({ '/a': '1' })
  })

  test('a write may demand one of several versions', async () => {
    const { write, read, tree } = await make()
    const first = await write('/a', 'one')
    const second = await write('/a', 'second', { precondition: ['"another"', first.version] })
    expect(second.version).not.toBe(first.version)
    expect(await refusalOf(write('/a', 'x', { precondition: [first.version] }))).toMatchObject({
      code: 'changed-meanwhile',
    })
    expect(await refusalOf(write('/p/b', 'x', { precondition: [first.version] }))).toMatchObject({
      code: 'not-found',
    })
    expect(await refusalOf(write('/p/b', 'x', { precondition: 'present' }))).toMatchObject({ code: 'not-found' })
    expect(await read('/a')).toBe('second')
    expect(await tree()).toEqual({ '/a': 'second' })
  })

  test('the version is compared again in the step that replaces', async () => {
    const { write, storage, read } = await make()
    const first = await write('/a', 'first')
    async function* slowly() {
      yield Buffer.from('mine')
      await write('/a', 'theirs', { precondition: 'any' })
    }
    const attempt = storage.write(parsePath('/a'), slowly(), { precondition: [first.version] })
    expect(await refusalOf(attempt)).toMatchObject({ code: 'changed-meanwhile' })
    expect(await read('/a')).toBe('theirs')
  })

  test('a name that was taken meanwhile is refused, and its file kept', async () => {
    const { write, storage, tree } = await make()
    async function* slowly() {
      yield Buffer.from('mine')
      await write('/a', 'theirs')
    }
    const attempt = storage.write(parsePath('/a'), slowly(), { precondition: 'absent' })
    expect(await refusalOf(attempt)).toMatchObject({ code: 'already-exists' })
    expect(await tree()).toEqual({ '/a': 'theirs' })
  })

  test('drafts are never listed', async () => {
    const { storage, names, tree } = await make()
    const seen: string[][] = []
    async function* watched() {
      yield Buffer.from('half')
      seen.push(await names('/'))
    }
    await storage.write(parsePath('/a'), watched(), { precondition: 'absent' })
    expect(seen).toEqual([[]])
    expect(await tree()).toEqual({ '/a': 'half' })
  })

  test('a folder is made with its parents, once or twice', async () => {
    const { createFolder, write, tree } = await make()
    await createFolder('/')
    await createFolder('/a/b')
    await write('/a/b/c', '1')
    await createFolder('/a/b')
    expect(await refusalOf(createFolder('/a/b/c'))).toMatchObject({ code: 'already-exists' })
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
      expect(await refusalOf(write(path, 'x'))).toMatchObject({ code: 'invalid' })
      expect(await refusalOf(createFolder(path))).toMatchObject({ code: 'invalid' })
      expect(await refusalOf(copy('/a', path))).toMatchObject({ code: 'invalid' })
      expect(await refusalOf(rename('/a', path))).toMatchObject({ code: 'invalid' })
    }
    expect(await refusalOf(stat(`/${name}`))).toMatchObject({ code: 'invalid' })
    expect(await tree()).toEqual({ '/a': '1' })
  })

  test('two writers at once leave one whole version', async () => {
    const { storage, read, tree } = await make()
    const versions = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(300_000))
    await Promise.all(versions.map((text) => storage.write(parsePath('/a'), piecesOf(text), { precondition: 'any' })))
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
    const { write, read, losesOpenFiles } = await make()
    const versions = ['x', 'y'].map((letter) => letter.repeat(100_000))
    await write('/a', versions[0] ?? '')
    let isDone = false
    const writing = (async () => {
      for (let round = 1; round <= 20; round += 1) await write('/a', versions[round % 2] ?? '', { precondition: 'any' })
      isDone = true
    })()
    const seen = new Set<string>()
    while (!isDone) {
      seen.add(
        await read('/a').catch((error) => {
          if (losesOpenFiles && isFailure(error, 'changed-meanwhile')) return versions[0] ?? ''
          return isFailure(error, 'not-found') ? 'none' : Promise.reject(error)
        }),
      )
      await yieldToLoop()
    }
    await writing
    expect([...seen].filter((text) => !versions.includes(text) && (atomicReplace || text !== 'none'))).toEqual([])
  })
}
