import { expect, test } from 'bun:test'
import { crc32 } from 'node:zlib'
import { parsePath, rootPath } from '../path.ts'
import { type Capabilities, type Entry, type FindOptions, headLength, LinkInTheWay, type WholeFile } from '../port.ts'
import type { Handle } from './subject.fixture.ts'
import { placedIn, refusalOf } from './subject.fixture.ts'

export function describeReading(make: () => Promise<Handle>, { symlinks }: Capabilities): void {
  test('an entry tells its name, kind, size, mode and time', async () => {
    const { write, createFolder, stat } = await make()
    await write('/a.txt', 'hello')
    await createFolder('/box')

    const file = await stat('/a.txt')
    expect(file).toMatchObject({ name: 'a.txt', kind: 'file', size: 5, mode: 0o640 })
    expect(Math.abs(file.seconds - Date.now() / 1000)).toBeLessThan(10)
    expect(await stat('/box')).toMatchObject({ name: 'box', kind: 'folder', mode: 0o750 })
    expect(await stat('/')).toMatchObject({ name: '', kind: 'folder' })
  })

  test('two names have two identities, one name keeps its own', async () => {
    const { put, stat } = await make()
    await put({ '/a': '', '/b': '' })
    const [a, again, b] = [await stat('/a'), await stat('/a'), await stat('/b')]
    expect([again.id, again.version]).toEqual([a.id, a.version])
    expect(b.version).not.toBe(a.version)
    if (a.id !== undefined) expect(b.id).not.toBe(a.id)
  })

  test.each(['/none', '/none/at/all', '/file/below'])('%s is not found', async (path) => {
    const { write, stat, storage, list, remove } = await make()
    await write('/file', '')
    const failure = expect.objectContaining({ code: 'not-found' })
    expect(await refusalOf(stat(path))).toEqual(failure)
    expect(await refusalOf(storage.open(parsePath(path)))).toEqual(failure)
    expect(await refusalOf(list(path))).toEqual(failure)
    expect(await refusalOf(remove(path))).toEqual(failure)
    expect(await refusalOf(storage.usage(parsePath(path)))).toEqual(failure)
  })

  test('a file is no folder, and a folder no file', async () => {
    const { put, list, storage } = await make()
    await put({ '/box/a': '' })
    expect(await refusalOf(list('/box/a'))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(storage.open(parsePath('/box')))).toMatchObject({ code: 'invalid' })
    expect(await refusalOf(storage.open(rootPath))).toMatchObject({ code: 'invalid' })
  })

  test('the head of a file is read without opening it', async () => {
    const { write, storage } = await make()
    await write('/box/a', `${'x'.repeat(headLength)}yz`)
    await write('/box/b', 'B')
    await write('/box/none', '')
    for (const [name, content] of Object.entries({ a: 'x'.repeat(headLength), b: 'B', none: '' })) {
      const path = parsePath(`/box/${name}`)
      const { entry, head } = await storage.readHead(path)
      expect([entry.name, entry.version]).toEqual([name, (await storage.stat(path)).version])
      expect(Buffer.from(head).toString()).toBe(content)
    }
    expect(await refusalOf(storage.readHead(parsePath('/box')))).toMatchObject({ code: 'invalid' })
    expect(await refusalOf(storage.readHead(parsePath('/missing')))).toMatchObject({ code: 'not-found' })
  })

  test('an open file gives its facts, its first bytes and any part of its content', async () => {
    const { write, storage } = await make()
    await write('/a', `${'x'.repeat(headLength)}yz`)
    const file = await storage.open(parsePath('/a'))
    try {
      expect(file.entry).toMatchObject({ name: 'a', kind: 'file', size: headLength + 2 })
      expect(file.content.size).toBe(headLength + 2)
      expect(await file.content.slice(headLength - 1, headLength + 1).text()).toBe('xy')
      expect(Buffer.from(await file.head()).toString()).toBe('x'.repeat(headLength))
    } finally {
      file.close()
      file.close()
    }
  })

  test('find opens a file, lists a folder on demand, and refuses what is missing', async () => {
    const { put, storage } = await make()
    await put({ '/a': 'content', '/box/b': 'b', '/box/c': 'c' })
    const find = (path: string, options: Partial<FindOptions> = {}) =>
      storage.find(parsePath(path), { lists: true, ...options })
    const { entry, file, entries } = await find('/a')
    expect([entry.name, entry.kind, entries]).toEqual(['a', 'file', undefined])
    expect([file?.entry.version, await file?.content.text()]).toEqual([entry.version, 'content'])
    file?.close()
    const unopened = await find('/a', { largestOpened: 6 })
    expect([unopened.entry.size, unopened.file]).toEqual([7, undefined])
    const folder = await find('/box')
    expect([folder.entry.kind, folder.file]).toEqual(['folder', undefined])
    expect(folder.entries?.map(({ name }) => name).sort()).toEqual(['b', 'c'])
    expect((await find('/box', { mostListed: 2 })).entries).toHaveLength(2)
    const large = await find('/box', { mostListed: 1 })
    expect([large.entry.kind, large.entries]).toEqual(['folder', undefined])
    const unlisted = await find('/box', { lists: false })
    expect([unlisted.entry.kind, unlisted.entries]).toEqual(['folder', undefined])
    for (const path of ['/none', '/a/below', '/box/none'])
      expect(await refusalOf(find(path))).toMatchObject({ code: 'not-found' })
  })

  test('an open file can be read to its end after it was replaced or removed, or is refused', async () => {
    const { write, remove, storage, losesOpenFiles } = await make()
    await write('/a', 'old')
    const file = await storage.open(parsePath('/a'))
    const read = () => (losesOpenFiles ? refusalOf(file.content.text()) : file.content.text())
    const expected = losesOpenFiles ? expect.objectContaining({ code: 'changed-meanwhile' }) : 'old'
    await write('/a', 'new', { precondition: 'any' })
    expect(await read()).toEqual(expected)
    await remove('/a')
    expect(await read()).toEqual(expected)
    file.close()
  })

  test('a listing has what lies in the folder and nothing of what lies below', async () => {
    const { put, createFolder, names, list } = await make()
    expect(await names('/')).toEqual([])
    await put({ '/a': '1', '/box/b': '22' })
    await createFolder('/box/deep')
    expect(await names('/')).toEqual(['a', 'box'])
    expect(await names('/box')).toEqual(['b', 'deep'])
    expect(await list('/box')).toContainEqual(expect.objectContaining({ name: 'b', kind: 'file', size: 2 }))
  })

  test('names tell what a listing tells, without the facts', async () => {
    const { put, createFolder, link, storage, fill } = await make()
    await put({ '/box/a': '1', '/box/ü.txt': '22' })
    await createFolder('/box/deep')
    if (symlinks) await link('a', '/box/link')
    const names = await storage.names(parsePath('/box'))
    expect(names.sort((one, two) => (one.name < two.name ? -1 : 1))).toEqual([
      { name: 'a', kind: 'file' },
      { name: 'deep', kind: 'folder' },
      ...(symlinks ? [{ name: 'link', kind: 'link' as const }] : []),
      { name: 'ü.txt', kind: 'file' },
    ])
    const many = Array.from({ length: 5000 }, (_, at) => `a rather long name for an entry ${at}`).sort()
    await fill('/big', many)
    expect((await storage.names(parsePath('/big'))).map(({ name }) => name).sort()).toEqual(many)
  })

  test('names are described in the order that is asked for, without those that are gone', async () => {
    const { put, createFolder, link, storage, remove } = await make()
    await put({ '/box/a': '1', '/box/b': '22', '/box/ü.txt': '333' })
    await createFolder('/box/deep')
    if (symlinks) await link('a', '/box/link')
    const [folder, listed] = [parsePath('/box'), (await storage.list(parsePath('/box'))).entries]
    const named = (await storage.names(folder)).sort((one, two) => (one.name < two.name ? 1 : -1))
    const described = await storage.describe(folder, named)
    expect(described.map(({ name }) => name)).toEqual(named.map(({ name }) => name))
    const told = (entry: Entry | undefined) =>
      entry && [entry.name, entry.kind, entry.size, entry.isLink, entry.version, entry.id]
    for (const entry of described) expect(told(entry)).toEqual(told(listed.find(({ name }) => name === entry.name)))
    await remove('/box/b')
    const left = await storage.describe(folder, named)
    expect(left.map(({ name }) => name)).toEqual(named.map(({ name }) => name).filter((name) => name !== 'b'))
    expect(await storage.describe(folder, [])).toEqual([])
    expect(await refusalOf(storage.describe(parsePath('/none'), named))).toMatchObject({ code: 'not-found' })
  })

  test('names need a folder', async () => {
    const { put, storage } = await make()
    await put({ '/box/a': '' })
    for (const path of ['/none', '/box/a'])
      expect(await refusalOf(storage.names(parsePath(path)))).toMatchObject({ code: 'not-found' })
  })

  test('peek tells the first bytes of files, and none of anything else', async () => {
    const { put, storage, createFolder } = await make()
    await put({ '/a': 'first', '/long': 'x'.repeat(2000) })
    await createFolder('/box')
    const heads = await storage.peek(rootPath, ['a', 'long', 'box', 'missing'])
    const texts = [...heads].map(([name, head]) => [name, Buffer.from(head).toString()])
    expect(Object.fromEntries(texts)).toEqual({ a: 'first', long: 'x'.repeat(512), box: '', missing: '' })
  })

  test('readFiles tells whole files with their facts, in the order of the names, and leaves out all else', async () => {
    const { put, storage, createFolder, link, stat } = await make()
    await put({ '/box/a': 'first', '/box/empty': '', '/box/ü': 'x'.repeat(70_000), '/box/last': 'L' })
    await createFolder('/box/folder')
    if (symlinks) await link('a', '/box/link')
    const names = ['last', 'ü', 'folder', 'link', 'missing', 'empty', 'a']
    const files: (WholeFile | undefined)[] = []
    // On a busy machine some are left to be asked for again.
    while (files.length < names.length)
      files.push(...(await storage.readFiles(parsePath('/box'), names.slice(files.length), 100_000)))
    const texts = files.map((file) => file && [file.entry.name, Buffer.from(file.bytes).toString()])
    expect(texts).toEqual([
      ['last', 'L'],
      ['ü', 'x'.repeat(70_000)],
      ...[undefined, undefined, undefined],
      ['empty', ''],
      ['a', 'first'],
    ])
    expect(files.at(-1)?.entry).toEqual(await stat('/box/a'))
  })

  test('readFiles reads as many as there is room for, and one at least', async () => {
    const { put, storage } = await make()
    await put({ '/a': 'aa', '/b': 'bb', '/c': 'cc', '/large': 'x'.repeat(10) })
    const read = async (names: string[], room: number) =>
      (await storage.readFiles(rootPath, names, room)).map((file) => file && Buffer.from(file.bytes).toString())
    expect(await read(['a', 'b', 'c'], 5)).toEqual(['aa', 'bb'])
    expect(await read(['large', 'a', 'large'], 5)).toEqual([undefined, 'aa'])
    expect(await read(['large'], 0)).toEqual([undefined])
    expect(await read(['none', 'a'], 2)).toEqual([undefined, 'aa'])
    expect(await read([], 2)).toEqual([])
  })

  test('readInPlaces reads files that are as they were to their places, and leaves out all else', async () => {
    const { put, storage, createFolder, link, stat, write, remove } = await make()
    if (storage.readInPlaces === undefined) return
    await put({
      '/box/a': 'first',
      '/box/ü': 'x'.repeat(70_000),
      '/box/grown': 'one',
      '/box/other': 'one',
      '/box/last': 'L',
    })
    await put({ '/box/gone': 'gone' })
    await createFolder('/box/folder')
    if (symlinks) await link('a', '/box/link')
    const names = ['ü', 'folder', 'grown', 'other', 'gone', ...(symlinks ? ['link'] : []), 'a', 'last']
    const entries = await Promise.all(names.map((name) => stat(`/box/${name}`)))
    await write('/box/grown', 'three', { precondition: 'any' })
    await write('/box/other', 'two', { precondition: 'any' })
    await remove('/box/gone')
    let size = 0
    const starts = entries.map((entry) => {
      size += 10 + entry.size
      return size - entry.size
    })
    const placed = await placedIn(storage, '/box', { names, entries, starts, size: size + 10 })
    expect(placed.map(({ name }) => name)).toEqual(names)
    const texts = placed.flatMap(({ name, checksum, content }) =>
      checksum === undefined ? [] : [[name, content.toString(), crc32(content) === checksum]],
    )
    expect(texts).toEqual([
      ['ü', 'x'.repeat(70_000), true],
      ['a', 'first', true],
      ['last', 'L', true],
    ])
    const places = { names: ['a'], entries: entries.slice(0, 1), starts: [0], size: 70_000 }
    for (const path of ['/none', '/box/a'])
      expect(await refusalOf(storage.readInPlaces(parsePath(path), places))).toMatchObject({ code: 'not-found' })
    if (!symlinks) return
    await link('box', '/link')
    expect(await refusalOf(storage.readInPlaces(parsePath('/link'), places))).toBeInstanceOf(LinkInTheWay)
  })

  test('readFiles needs a folder, and follows no link to it', async () => {
    const { put, storage, link } = await make()
    await put({ '/box/a': 'A' })
    for (const path of ['/none', '/box/a'])
      expect(await refusalOf(storage.readFiles(parsePath(path), ['a'], 10))).toMatchObject({ code: 'not-found' })
    if (!symlinks) return
    await link('box', '/link')
    expect(await refusalOf(storage.readFiles(parsePath('/link'), ['a'], 10))).toBeInstanceOf(LinkInTheWay)
  })

  test('visitBelow tells every path below', async () => {
    const { put, createFolder, storage } = await make()
    await put({ '/box/a': '', '/box/deep/b': '', '/outside': '' })
    await createFolder('/box/empty')
    const paths: string[] = []
    await storage.visitBelow(parsePath('/box'), (path) => paths.push(path))
    expect(paths.sort()).toEqual(['/box/a', '/box/deep', '/box/deep/b', '/box/empty'])
  })

  test('a listing tells the facts of the folder, too', async () => {
    const { put, storage } = await make()
    await put({ '/box/a': '' })
    for (const path of [rootPath, parsePath('/box')])
      expect((await storage.list(path)).folder).toEqual(await storage.stat(path))
  })

  test('a folder of 5,000 entries lists completely', async () => {
    const { storage, fill } = await make()
    const expected = Array.from({ length: 5000 }, (_, at) => `a rather long name for an entry ${at}`).sort()
    await fill('/big', expected)
    const { entries } = await storage.list(parsePath('/big'))
    expect(entries.map((entry) => entry.name).sort()).toEqual(expected)
  })

  test('the part beneath a folder is a storage that ends there', async () => {
    const { put, storage, tree, rename } = await make()
    await put({ '/a/b/c': 'deep', '/x': 'outside' })
    const below = storage.beneath(parsePath('/a')).beneath(parsePath('/b'))

    expect(await below.stat(parsePath('/c'))).toMatchObject({ name: 'c', size: 4 })
    await below.rename(parsePath('/c'), parsePath('/n/d'), { replace: false })
    expect(await refusalOf(below.stat(parsePath('/x')))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(below.remove(rootPath))).toMatchObject({ code: 'forbidden' })
    expect(await tree()).toEqual({ '/a/': '', '/a/b/': '', '/a/b/n/': '', '/a/b/n/d': 'deep', '/x': 'outside' })

    await rename('/a', '/z')
    expect(await refusalOf(below.stat(rootPath))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(below.createFolder(parsePath('/q')))).toMatchObject({ code: 'not-found' })
    expect(await refusalOf(below.resolve(rootPath))).toMatchObject({ code: 'not-found' })
  })
}
