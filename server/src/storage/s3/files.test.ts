import { afterAll, describe, expect, test } from 'bun:test'
import { parsePath as at, rootPath } from '../path.ts'
import type { EntryBelow, RemoteDraft } from '../remote/files.ts'
import { memoryRecords } from '../testing/remote-records.fixture.ts'
import { piecesOf, refusalOf } from '../testing/subject.fixture.ts'
import { openS3, type S3Options } from './files.ts'
import { fixtureServer, type TestServer, testServers } from './servers.fixture.ts'

const servers = await testServers()
afterAll(() => {
  for (const server of servers) server.stop()
})

let places = 0

/** A mount of its own in the bucket of a server. */
function mount(server: TestServer, options: Partial<S3Options> = {}) {
  places += 1
  const records = memoryRecords()
  const place = { ...server.place, prefix: `mount ${places}/in ä` }
  const files = openS3({ place, keys: async () => server.keys, records, pause: 1, ...options })
  return {
    files,
    records,
    place,
    write: (path: string, text: string, modified?: number) =>
      files.write(at(path), piecesOf(text), { precondition: 'any', modified }),
    read: async (path: string) => {
      const entry = await files.stat(at(path))
      return entry && (await new Response(files.read(at(path), entry, 0, entry.size)).text())
    },
    names: async (folder = '/') => (await all(files.list(at(folder)))).map(({ name }) => name).sort(),
    below: async (folder = '/'): Promise<EntryBelow[]> => all(files.listBelow?.(at(folder)) ?? none()),
  }
}

async function* none(): AsyncGenerator<never[]> {}

async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = []
  for await (const page of pages) found.push(...page)
  return found
}

/** So many bytes that no two parts are equal. */
const long = (bytes: number): string =>
  Array.from({ length: bytes / 10 }, (_, line) => String(line).padStart(9, '.'))
    .join('\n')
    .padEnd(bytes)

describe.each(servers.map((server) => [server.name, server] as const))('%s', (_name, server) => {
  test('the probe finds conditional writes, and leaves nothing', async () => {
    const { files, below } = mount(server)
    expect(files.abilities.conditional).toBe(false)
    expect(await files.probe()).toBeUndefined()
    expect(files.abilities).toMatchObject({ conditional: true, atomicReplace: true, symlinks: false })
    expect(await below()).toEqual([])
  })

  test('a file is written with its time, listed, read in part, and removed', async () => {
    const { files, write, names } = mount(server)
    const entry = await write('/a', 'hello', 1_500_000_000_123)
    expect(entry).toMatchObject({ name: 'a', kind: 'file', size: 5, seconds: 1_500_000_000, nanoseconds: 123_000_000 })
    const found = await files.stat(at('/a'))
    expect([found, found?.version]).toEqual([entry, entry.version])
    expect(await all(files.list(rootPath))).toEqual([entry])
    expect(await new Response(files.read(at('/a'), entry, 1, 3)).text()).toBe('el')
    await write('/a', 'other')
    expect(await refusalOf(new Response(files.read(at('/a'), entry, 0, 5)).text())).toMatchObject({
      code: 'changed-meanwhile',
    })
    expect(await refusalOf(files.removeFile(at('/a'), entry.version))).toMatchObject({ code: 'changed-meanwhile' })
    await files.removeFile(at('/a'))
    await files.removeFile(at('/a'))
    expect(await names()).toEqual([])
  })

  test.each([' space +plus', '%41%2F', 'ünï 😀', 'new\nline', 'tab\there', '&<>"\'', "!*'()~", 'a\\b', '...'])(
    '%j is a name like any other',
    async (name) => {
      const { files, write, read, names, below } = mount(server)
      const path = at(`/${name}/${name}`)
      await write(path, 'content')
      expect([await names(), await names(`/${name}`), await read(path)]).toEqual([[name], [name], 'content'])
      await files.copyFile(path, at('/copy'), { precondition: 'absent' })
      expect(await read('/copy')).toBe('content')
      expect((await below()).map((found) => found.path).sort()).toEqual([at(`/${name}`), path, at('/copy')].sort())
      await files.removeFiles?.([path, at('/copy')])
      await files.removeFolder(at(`/${name}`))
      expect(await names()).toEqual([])
    },
  )

  test('folders are markers or parts of names; the last file leaves its folder', async () => {
    const { files, write, names } = mount(server)
    await files.createFolder(at('/empty'))
    await write('/box/deep/a', '1')
    expect([await names(), await names('/empty'), await names('/box')]).toEqual([['box', 'empty'], [], ['deep']])
    expect(await files.stat(at('/box'))).toMatchObject({ name: 'box', kind: 'folder' })
    expect(await refusalOf(files.removeFolder(at('/box')))).toMatchObject({ code: 'already-exists' })
    await files.removeFile(at('/box/deep/a'))
    expect(await names('/box')).toEqual(['deep'])
    await files.removeFolder(at('/box/deep'))
    expect([await names(), await names('/box')]).toEqual([['box', 'empty'], []])
    expect(await refusalOf(names('/none'))).toMatchObject({ code: 'not-found' })
    expect(await files.stat(at('/none'))).toBeUndefined()
  })

  test('a long listing comes in pages, and each folder once', async () => {
    const { files, write, names, below } = mount(server, { pageSize: 3, mostTimes: 4 })
    const expected = ['a', 'b', 'box', 'c', 'd', 'e', 'f', 'x y']
    for (const name of expected) await write(name === 'box' ? '/box/deep/1' : `/${name}`, name, 1_500_000_000_000)
    await write('/box/deep/2', '')
    expect(await names()).toEqual(expected)
    expect((await below()).filter(({ entry }) => entry.kind === 'folder').map(({ path }) => path)).toEqual([
      at('/box'),
      at('/box/deep'),
    ])
    expect(await below('/box')).toHaveLength(3)
    const times = (await all(files.list(rootPath))).filter(
      ({ kind, seconds }) => kind === 'file' && seconds === 1_500_000_000,
    )
    // Only the first few are looked up.
    expect(times).toHaveLength(4)
  })

  test('a key that is too long is refused, and not found', async () => {
    const { files, write } = mount(server)
    const path = `/${'x'.repeat(200)}`.repeat(6)
    expect(await refusalOf(write(path, ''))).toMatchObject({ code: 'invalid' })
    expect(await files.stat(at(path))).toBeUndefined()
  })

  test('an address leads to the file for a while, under another name', async () => {
    const { files, write } = mount(server)
    const entry = await write('/a b', 'content')
    const address = await files.addressOf?.(at('/a b'), entry, {
      seconds: 60,
      disposition: 'attachment; filename="c.txt"',
      type: 'text/plain',
    })
    const response = await fetch(address ?? '')
    expect([response.status, await response.text()]).toEqual([200, 'content'])
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="c.txt"')
    expect((await fetch((address ?? '').replace('a%20b', 'c'))).status).toBe(403)
    expect(address).not.toContain(server.keys.secretAccessKey)
  })

  test('a file of several parts appears whole, and only where it may', async () => {
    const text = long(11_000_000)
    const { files: byParts } = mount(server, { sizes: { part: 5 << 20, copy: 6 << 20, copyPart: 5 << 20 } })
    const entry = await byParts.write(at('/a'), piecesOf(text), { precondition: 'absent', modified: 5000 })
    expect(entry).toMatchObject({ size: text.length, seconds: 5 })
    const copied = await byParts.copyFile(at('/a'), at('/copy'), { precondition: 'absent' })
    expect([copied, await byParts.stat(at('/copy'))]).toEqual([expect.objectContaining({ seconds: 5 }), copied])
    expect(await new Response(byParts.read(at('/copy'), copied, 0, text.length)).text()).toBe(text)
    for (const again of [
      () => byParts.write(at('/a'), piecesOf(text), { precondition: 'absent' }),
      () => byParts.copyFile(at('/a'), at('/copy'), { precondition: 'absent' }),
    ])
      expect(await refusalOf(again())).toMatchObject({ code: 'already-exists' })
  })

  test.each([
    ['parts of an upload', 11_000_000],
    ['objects of their own', 0],
  ])('a draft of %s grows over several processes, and is refused without loss', async (_kind, length) => {
    const { files, records, place, read, write } = mount(server, {
      sizes: { part: 5 << 20, copy: 1 << 30, copyPart: 1 << 29 },
    })
    const sizes = { part: 5 << 20, copy: 1 << 30, copyPart: 1 << 29 }
    const text = long(11_000_000)
    const afresh = (): Promise<RemoteDraft> =>
      openS3({ place, keys: async () => server.keys, records, sizes }).openDraft(at('/a'), 'id')
    expect(await files.beginDraft(at('/a'), 'id', { length, modified: 7000 })).toBe(0)
    await (await afresh()).append(piecesOf(text.slice(0, 3_000_000)))
    await (await afresh()).append(piecesOf(text.slice(3_000_000, 6_000_000)))
    expect(await files.beginDraft(at('/a'), 'id', { length })).toBe(6_000_000)
    await (await afresh()).append(piecesOf(text.slice(6_000_000)))
    await write('/a', 'theirs')
    const draft = await afresh()
    if (length === 0)
      expect(Buffer.from(await draft.read(5_000_000, 6_000_000)).toString()).toBe(text.slice(5_000_000, 6_000_000))
    else expect(await refusalOf(draft.read(0, 1))).toMatchObject({ code: 'unavailable' })
    const commit = (precondition: 'absent' | 'any') =>
      draft.commit({ precondition, length: text.length, modified: 7000 })
    expect(await refusalOf(commit('absent'))).toMatchObject({ code: 'already-exists' })
    expect(await read('/a')).toBe('theirs')
    const entry = await commit('any')
    expect(entry.seconds).toBe(7)
    expect(await files.stat(at('/a'))).toEqual(entry)
    expect(await read('/a')).toBe(text)
    expect(await refusalOf(files.openDraft(at('/a'), 'id'))).toMatchObject({ code: 'not-found' })
    expect(records.rows.size).toBe(0)
  })

  test('a draft is dropped with all that it has left', async () => {
    const { files, records } = mount(server, { sizes: { part: 5 << 20, copy: 1 << 30, copyPart: 1 << 29 } })
    for (const length of [0, 11_000_000]) {
      await files.beginDraft(at('/a'), 'id', { length })
      await (await files.openDraft(at('/a'), 'id')).append(piecesOf(long(6_000_000)))
      await files.dropDraft(at('/a'), 'id')
      await files.dropDraft(at('/a'), 'id')
    }
    expect(records.rows.size).toBe(0)
    expect(await files.beginDraft(at('/a'), 'id', {})).toBe(0)
  })
})

describe('the fixture alone', () => {
  const sizes = { part: 1000, copy: 2500, copyPart: 1000 }

  async function own(options: Partial<S3Options> = {}) {
    const given = await fixtureServer()
    given.server.leastPart = 1000
    const mounted = mount(given, { sizes, ...options })
    const { server } = given
    const key = (path: string) => `${mounted.place.prefix}${path}`
    const hidden = () => [...server.objects.keys()].filter((name) => name.includes('.filestead-'))
    return { ...mounted, server, key, hidden, stop: given.stop }
  }

  test('an empty file gives way to the folder of its name; one with bytes hides it', async () => {
    for (const pageSize of [1, 2, 1000]) {
      const { files, names, below, server, key, stop } = await own({ pageSize })
      for (const name of ['/empty', '/empty-b', '/empty/x', '/full-a', '/full/x/y', '/z']) server.put(key(name), '')
      server.put(key('/full'), 'bytes')
      expect(await names()).toEqual(['empty', 'empty-b', 'full', 'full-a', 'z'])
      const kinds = async (path: string) => (await files.stat(at(path)))?.kind
      expect([await kinds('/empty'), await kinds('/full')]).toEqual(['folder', 'file'])
      // Neither by name.
      expect([await kinds('/full/x'), await kinds('/full/x/y'), await kinds('/empty/x')]).toEqual([
        undefined,
        undefined,
        'file',
      ])
      expect((await all(files.list(rootPath))).find(({ name }) => name === 'full')?.kind).toBe('file')
      expect((await below()).map(({ path }) => String(path)).sort()).toEqual(
        ['/empty', '/empty-b', '/empty/x', '/full', '/full-a', '/z'].sort(),
      )
      expect(files.abilities.weaknesses.at(-1)).toContain('are not shown')
      stop()
    }
  })

  test('a name with a control character is one as well', async () => {
    const { files, write, names, stop } = await own()
    await write('/a\u0001', 'x')
    expect(await names()).toEqual(['a\u0001'])
    await files.removeFiles?.([at('/a\u0001')])
    expect(await names()).toEqual([])
    stop()
  })

  test('names that are no paths are not shown, but counted', async () => {
    const { files, names, below, server, key, stop } = await own()
    for (const name of ['/a', '//b', '/c//d', '/c/./e', '/c/../f', `/${'x'.repeat(256)}`, '/c/g'])
      server.put(key(name), '')
    expect([await names(), await names('/c')]).toEqual([['a', 'c'], ['g']])
    expect((await below()).map(({ path }) => String(path)).sort()).toEqual(['/a', '/c', '/c/g'])
    expect(files.abilities.weaknesses.at(-1)).toContain('objects have names that are no paths')
    expect(await refusalOf(files.removeFolder(at('/c')))).toMatchObject({ code: 'already-exists' })
    stop()
  })

  test('the time in metadata, as rclone writes it, is shown in listings as well; asked for once', async () => {
    const { files, server, key, stop } = await own()
    server.put(key('/a'), 'x', { 'x-amz-meta-mtime': '1500000000.987654321' })
    server.put(key('/b'), 'x', { 'x-amz-meta-mtime': 'nonsense' })
    const [a, b] = await all(files.list(rootPath))
    expect(a).toMatchObject({ seconds: 1_500_000_000, nanoseconds: 987_654_321 })
    expect([await files.stat(at('/a')), await files.stat(at('/b'))]).toEqual([a, b])
    const before = server.asked.length
    await all(files.list(rootPath))
    expect(server.asked.length - before).toBe(1)
    stop()
  })

  test('a copy keeps what was stored with the file', async () => {
    const { files, server, key, stop } = await own()
    const stored = server.put(key('/a'), 'x', { 'content-type': 'text/x', 'x-amz-meta-of': 'others' })
    const copied = await files.copyFile(at('/a'), at('/b'), { precondition: 'absent' })
    expect(server.objects.get(key('/b'))?.headers).toMatchObject({
      'content-type': 'text/x',
      'x-amz-meta-of': 'others',
    })
    expect(copied.seconds).toBe(Math.floor(stored.stored / 1000))
    stop()
  })

  test('what was cut off is gone: in the middle of an object, or back to the end of a part', async () => {
    const text = long(3500)
    for (const [length, size] of [
      [0, 1234],
      [3500, 1000],
    ] as const) {
      const { files, read, hidden, stop } = await own()
      await files.beginDraft(at('/a'), 'id', { length })
      const draft = await files.openDraft(at('/a'), 'id')
      await draft.append(piecesOf(text))
      await draft.truncate(3400)
      expect(draft.size).toBe(3400)
      await draft.truncate(1234)
      expect([draft.size, (await files.openDraft(at('/a'), 'id')).size]).toEqual([size, size])
      await draft.append(piecesOf(text.slice(size)))
      await draft.commit({ precondition: 'absent', length: 3500 })
      expect(await read('/a')).toBe(text)
      expect(hidden()).toEqual([])
      stop()
    }
  })

  test('a draft that is renamed goes on; parts of an upload are bound to their name', async () => {
    for (const [length, size] of [
      [0, 2500],
      [3500, 0],
    ] as const) {
      const { files, records, read, server, stop } = await own()
      const text = long(3500)
      await files.beginDraft(at('/a'), 'id', { length })
      await (await files.openDraft(at('/a'), 'id')).append(piecesOf(text.slice(0, 2500)))
      await records.save(at('/b'), 'id', (await records.find(at('/a'), 'id')) ?? '')
      await records.forget(at('/a'), 'id')
      const draft = await files.openDraft(at('/b'), 'id')
      expect([draft.size, server.uploads.size]).toEqual([size, 0])
      await draft.append(piecesOf(text.slice(size)))
      await draft.commit({ precondition: 'absent' })
      expect([await read('/b'), await read('/a')]).toEqual([text, undefined])
      stop()
    }
  })

  test('an upload that a rule of the bucket has dropped begins anew', async () => {
    const { files, server, stop } = await own()
    await files.beginDraft(at('/a'), 'id', { length: 3500 })
    const draft = await files.openDraft(at('/a'), 'id')
    await draft.append(piecesOf(long(2500)))
    server.uploads.clear()
    expect(await refusalOf(draft.commit({ precondition: 'absent' }))).toMatchObject({ code: 'unavailable' })
    expect((await files.openDraft(at('/a'), 'id')).size).toBe(0)
    await draft.append(piecesOf(long(2500)))
    expect(draft.size).toBe(2500)
    stop()
  })

  test('a time that is known only at the end is given to the file', async () => {
    const { files, stop } = await own()
    await files.beginDraft(at('/a'), 'id', { length: 2400 })
    const draft = await files.openDraft(at('/a'), 'id')
    await draft.append(piecesOf(long(2400)))
    const entry = await draft.commit({ precondition: 'absent', modified: 9000 })
    expect(entry.seconds).toBe(9)
    expect(await files.stat(at('/a'))).toEqual(entry)
    stop()
  })

  test('a server without conditions is named, and asked before each write', async () => {
    const { files, server, write, stop } = await own()
    server.conditions = { put: false, complete: false, copy: false, remove: false }
    await files.probe()
    expect(files.abilities.conditional).toBe(false)
    expect(files.abilities.weaknesses).toHaveLength(4)
    await write('/a', 'x')
    expect(await refusalOf(files.write(at('/a'), piecesOf('y'), { precondition: 'absent' }))).toMatchObject({
      code: 'already-exists',
    })
    stop()
  })

  test.each([
    ['wrong secret', { secretAccessKey: 'wrong' }, {}, 'does not belong to the access key'],
    ['wrong key', { accessKeyId: 'wrong' }, {}, 'does not know the access key'],
    ['no bucket', {}, { bucket: 'other' }, 'There is no bucket other'],
    ['wrong region', {}, { region: 'eu-west-1' }, 'write ?region=us-east-1'],
    ['no server', {}, { endpoint: 'http://127.0.0.1:1' }, 'No connection to 127.0.0.1:1'],
    ['no name', {}, { endpoint: 'http://none.invalid' }, 'There is no server named none.invalid'],
    ['no S3', {}, { endpoint: 'other' }, 'is it an S3 server?'],
  ])('the probe says what is wrong: %s', async (_what, keys, place, sentence) => {
    const given = await fixtureServer()
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello', { status: 418 }) })
    const endpoint = 'endpoint' in place && place.endpoint === 'other' ? other.url.origin : undefined
    const files = openS3({
      place: { ...given.place, ...place, ...(endpoint !== undefined && { endpoint }) },
      keys: async () => ({ ...given.keys, ...keys }),
      records: memoryRecords(),
      pause: 1,
      tries: 2,
    })
    expect(await files.probe()).toContain(sentence)
    given.stop()
    other.stop(true)
  })
})
