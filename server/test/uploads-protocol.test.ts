import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { modeOf, treeOf } from './disk.ts'
import { encoded, pieceType, tusOf } from './tus.ts'
import { startUploadServer } from './upload-server.ts'

const { server, ask, annsToken, ann, bob, rows, clear } = await startUploadServer()
beforeEach(clear)
afterAll(() => server.stop())

describe('The tus protocol', () => {
  test('answers its version and extensions without a sign-in', async () => {
    const response = await server.ask('/api/tus/', { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'tus-resumable': '1.0.0',
      'tus-version': '1.0.0',
      'tus-extension': 'creation,creation-with-upload,termination,checksum,expiration',
      'tus-checksum-algorithm': 'sha1,md5,sha256,sha512,crc32',
    })
    expect(response.headers.has('tus-max-size')).toBe(false)
  })

  test('receives a file in pieces, which exists only when it is complete', async () => {
    const created = await ann.create('/new/Ärger %.txt'.replaceAll(' ', '%20').replace('%.', '%25.'), 9)
    expect(created.status).toBe(201)
    const location = created.headers.get('location') ?? ''
    expect(location).toBe('/files/api/tus/new/%C3%84rger%20%25.txt')
    expect(Date.parse(created.headers.get('upload-expires') ?? '') / 1000).toBe(server.clock.now + 86_400)
    const path = location.slice('/files/api/tus'.length)

    expect(await ann.offset(path)).toBe(0)
    const first = await ann.append(path, 0, 'one')
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '3'])
    expect(first.headers.has('tus-resumable')).toBe(false)
    expect(await ann.offset(path)).toBe(3)
    expect(readdirSync(join(server.root, 'new')).filter((name) => !name.startsWith('.filestead-draft-'))).toEqual([])
    await ann.append(path, 3, 'two')
    const last = await ann.append(path, 6, 'end')
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '9'])
    expect(treeOf(server.root)).toEqual({ 'new/': '', 'new/Ärger %.txt': 'onetwoend' })
    expect(modeOf(join(server.root, 'new/Ärger %.txt'))).toBe('640')
    expect((await ann.append(path, 9, 'x')).status).toBe(409)
    expect(await rows()).toBe(0)
  })

  test('answers with its version when the client names it, and refuses another version', async () => {
    const named = { 'tus-resumable': '1.0.0' }
    const created = await ann.create('/a', 2, named)
    const head = await ann.head('/a', named)
    const appended = await ann.append('/a', 0, 'x', named)
    for (const { headers } of [created, head, appended]) expect(headers.get('tus-resumable')).toBe('1.0.0')
    expect(head.headers.get('upload-length')).toBe('2')
    expect(head.headers.get('cache-control')).toContain('no-store')
    expect((await ann.head('/a', { 'tus-resumable': '0.2.2' })).status).toBe(412)
    expect((await ann.append('/a', 1, 'y', { 'tus-resumable': '2.0.0' })).status).toBe(412)
    expect(await ann.offset('/a')).toBe(1)
  })

  test('names its version in a refusal when the client names it', async () => {
    await ann.create('/a', 2)
    const named = { 'tus-resumable': '1.0.0' }
    const refusals = [
      await ann.create('/a/', 2, named),
      await ann.append('/a', 1, 'x', named),
      await ann.append('/a', 0, 'x', { ...named, 'content-type': 'text/plain' }),
      await ann.head('/nowhere', named),
      await tusOf(server.ask).head('/a', named),
      await ask('/api/tus/a', { method: 'PUT', headers: named }),
    ]
    expect(refusals.map(({ status }) => status)).toEqual([400, 409, 415, 404, 401, 405])
    for (const { headers } of refusals) expect(headers.get('tus-resumable')).toBe('1.0.0')
    const other = await ann.head('/a', { 'tus-resumable': '0.2.2' })
    expect([other.status, other.headers.get('tus-resumable'), other.headers.get('tus-version')]).toEqual([
      412,
      '1.0.0',
      '1.0.0',
    ])
    expect((await ann.append('/a', 1, 'x')).headers.has('tus-resumable')).toBe(false)
  })

  test('answers the metadata of the creation and the expiry', async () => {
    const metadata = `filename ${encoded('a.txt')},is_confidential`
    await ann.create('/a', 2, { 'upload-metadata': metadata })
    await ann.create('/b', 2)
    const { headers } = await ann.head('/a')
    expect(headers.get('upload-metadata')).toBe(metadata)
    expect(Date.parse(headers.get('upload-expires') ?? '') / 1000).toBe(server.clock.now + 86_400)
    expect((await ann.head('/b')).headers.has('upload-metadata')).toBe(false)
    await ann.create('/a', 2, { 'upload-metadata': 'other' })
    expect((await ann.head('/a')).headers.get('upload-metadata')).toBe('other')
  })

  test('refuses a part of a file that is sent in several uploads, and the word that puts them together', async () => {
    server.put({ a: 'the whole' })
    const reason = '400 Bad Request (a file cannot be put together from several uploads)\n'
    for (const [length, concat] of [
      [2, 'partial'],
      [undefined, 'final;/files/api/tus/b /files/api/tus/c'],
    ] as const) {
      const response = await ann.create('/a?override=true', length, { 'upload-concat': concat })
      expect([response.status, await response.text()]).toEqual([400, reason])
      expect((await ann.append('/a', 0, 'ha')).status).toBe(404)
    }
    expect(treeOf(server.root)).toEqual({ a: 'the whole' })
  })

  test('refuses a deferred length', async () => {
    const response = await ann.create('/a', undefined, { 'upload-defer-length': '1' })
    expect([response.status, await response.text()]).toEqual([
      400,
      '400 Bad Request (the upload length must be known, not deferred)\n',
    ])
    expect(treeOf(server.root)).toEqual({})
  })

  test('treats POST as the method in x-http-method-override', async () => {
    const post = (method: string, headers: Record<string, string> = {}, body?: string) =>
      ask('/api/tus/a', {
        method: 'POST',
        headers: { 'x-http-method-override': method, ...headers },
        ...(body !== undefined && { body }),
      })
    await ann.create('/a', 2)
    expect((await post('PATCH', { 'content-type': pieceType, 'upload-offset': '0' }, 'x')).status).toBe(204)
    expect((await post('HEAD')).headers.get('upload-offset')).toBe('1')
    expect((await post('PUT')).status).toBe(405)
    expect((await post('DELETE')).status).toBe(204)
    expect(await ann.offset('/a')).toBe('status 404')
    const byCookie = { cookie: `auth=${annsToken}`, 'x-http-method-override': 'HEAD' }
    expect((await server.ask('/api/tus/a', { method: 'POST', headers: byCookie })).status).toBe(401)
  })

  test('receives the first bytes with the creation', async () => {
    const begin = (path: string, length: number, body: string, type = pieceType) =>
      ask(`/api/tus${path}`, {
        method: 'POST',
        body,
        headers: { 'content-type': type, 'upload-length': String(length) },
      })
    const part = await begin('/part', 5, 'abc')
    expect([part.status, part.headers.get('upload-offset')]).toEqual([201, '3'])
    expect(part.headers.get('location')).toBe('/files/api/tus/part')
    expect(part.headers.has('upload-expires')).toBe(true)
    expect((await ann.append('/part', 3, 'de')).status).toBe(204)
    const all = await begin('/all', 3, 'xyz')
    expect([all.status, all.headers.get('upload-offset'), all.headers.has('upload-expires')]).toEqual([201, '3', false])
    expect((await begin('/all', 3, 'new')).status).toBe(409)
    expect((await begin('/long', 3, 'more')).status).toBe(413)
    const ignored = await begin('/old', 3, 'xyz', 'text/plain')
    expect([ignored.status, ignored.headers.has('upload-offset'), await ann.offset('/old')]).toEqual([201, false, 0])
    await ann.cancel('/old')
    await ann.cancel('/long')
    expect(treeOf(server.root)).toEqual({ part: 'abcde', all: 'xyz' })
  })

  test('answers the full offset of a complete upload while its file is unchanged', async () => {
    await ann.create('/a', 3, { 'upload-metadata': 'name YQ==' })
    await ann.append('/a', 0, 'abc')
    const { status, headers } = await ann.head('/a')
    const facts = ['upload-offset', 'upload-length', 'upload-expires', 'upload-metadata'].map((name) =>
      headers.get(name),
    )
    expect([status, ...facts]).toEqual([200, '3', '3', null, 'name YQ=='])
    expect(await bob.offset('/a')).toBe('status 404')
    expect((await ann.cancel('/a')).status).toBe(404)
    expect((await bob.append('/a', 0, 'xyz')).status).toBe(404)
    expect(await ann.offset('/a')).toBe(3)
    await ask('/api/resources/a', { method: 'PUT', body: 'xyz' })
    expect(await ann.offset('/a')).toBe('status 404')
    rmSync(join(server.root, 'a'))
    expect(await ann.offset('/a')).toBe('status 404')
  })

  test('answers 404 after a cancelled upload, though an earlier one was complete', async () => {
    await ann.create('/a', 3)
    await ann.append('/a', 0, 'abc')
    await ann.create('/a?override=true', 3)
    await ann.cancel('/a')
    expect(server.file('a')).toBe('abc')
    expect(await ann.offset('/a')).toBe('status 404')
  })

  test('creates an empty file at once', async () => {
    expect((await ann.create('/p/empty', 0, { 'upload-metadata': `mtime ${encoded('1500000000')}` })).status).toBe(201)
    expect(treeOf(server.root)).toEqual({ 'p/': '', 'p/empty': '' })
    expect(statSync(join(server.root, 'p/empty')).mtimeMs).toBe(1_500_000_000_000)
    expect(await ann.offset('/p/empty')).toBe(0)
  })

  test('keeps the modification time of the metadata and ignores its name', async () => {
    const metadata = `filename ${encoded('../../evil')},lastModified ${encoded('1500000000123')}`
    await ann.create('/a', 1, { 'upload-metadata': metadata })
    await ann.append('/a', 0, 'x')
    expect(treeOf(server.root)).toEqual({ a: 'x' })
    expect(statSync(join(server.root, 'a')).mtimeMs).toBe(1_500_000_000_123)
  })
})

describe('A creation is refused', () => {
  test.each([undefined, '-1', 'ten', '', '1e3', '1.5', '99999999999999999999'])(
    'with the length %p',
    async (length) => {
      server.put({ 'old.txt': 'old' })
      expect((await ann.create('/p/new.txt', length)).status).toBe(400)
      expect((await ann.create('/old.txt?override=true', length)).status).toBe(400)
      expect(treeOf(server.root)).toEqual({ 'old.txt': 'old' })
    },
  )

  test('with more bytes than free space, and leaves no folder', async () => {
    expect((await ann.create('/p/q/a', 2 ** 52)).status).toBe(507)
    expect(treeOf(server.root)).toEqual({})
    expect(await rows()).toBe(0)
  })

  test.each([
    ['onto a file, without override', '/old.txt', 409],
    ['onto a folder', '/box', 409],
    ['onto a folder, with override', '/box?override=true', 409],
    ['below a file', '/old.txt/a', 404],
    ['with a slash at the end', '/a/', 400],
    ['at the root', '/', 400],
    ['above the root', '/..%2fa', 400],
    ['with our own prefix', '/.filestead-draft-x', 403],
    ['where a rule denies it', '/private/a', 403],
    ['where a link leads to what a rule denies', '/link/a', 403],
  ])('%s', async (_, path, status) => {
    server.put({ 'old.txt': 'old', 'box/in.txt': 'in', 'private/': '' })
    server.link('private', 'link')
    const before = treeOf(server.root)
    expect((await ann.create(path, 3)).status).toBe(status)
    expect(treeOf(server.root)).toEqual(before)
    expect(await rows()).toBe(0)
  })

  test('with override without the permission to modify, and at all without the permission to create', async () => {
    server.put({ 'old.txt': 'old' })
    const creator = tusOf(await server.as('may-only-create'))
    expect((await creator.create('/old.txt?override=true', 3)).status).toBe(403)
    expect((await creator.create('/new.txt?override=true', 3)).status).toBe(201)
    expect((await creator.cancel('/new.txt')).status).toBe(204)
    const reader = tusOf(await server.as('may-not-create'))
    expect((await reader.create('/new.txt', 3)).status).toBe(403)
    expect((await tusOf(server.ask).create('/new.txt', 3)).status).toBe(401)
    expect(treeOf(server.root)).toEqual({ 'old.txt': 'old' })
  })
})

describe('A piece is refused', () => {
  beforeEach(async () => {
    await ann.create('/a', 6)
    await ann.append('/a', 0, 'abc')
  })

  test.each<[string, Parameters<typeof ann.append>, number]>([
    ['at another offset', ['/a', 2, 'x'], 409],
    ['from the start again', ['/a', 0, 'abc'], 409],
    ['beyond the end', ['/a', 7, 'x'], 400],
    ['at a negative offset', ['/a', -1, 'x'], 400],
    ['at an offset in words', ['/a', 'three', 'x'], 400],
    ['of another type', ['/a', 3, 'x', { 'content-type': 'application/octet-stream' }], 415],
    ['with more than was announced', ['/a', 3, 'defg'], 413],
    ['with an unknown checksum', ['/a', 3, 'def', { 'upload-checksum': 'md4 AAAA' }], 400],
    ['with a wrong checksum', ['/a', 3, 'def', { 'upload-checksum': `sha1 ${encoded('x'.repeat(20))}` }], 460],
    ['for an upload that is none', ['/none', 0, 'x'], 404],
  ])('%s', async (_, [path, offset, body, headers], status) => {
    expect((await ann.append(path, offset, body, headers)).status).toBe(status)
    expect(await ann.offset('/a')).toBe(3)
    expect((await ann.append('/a', 3, 'def')).status).toBe(204)
    expect(treeOf(server.root)).toEqual({ a: 'abcdef' })
  })

  test('when it is longer than announced, and nothing of it is kept', async () => {
    const endless = new Blob([Buffer.alloc(300_000, 'x')]).stream()
    expect((await ann.append('/a', 3, endless)).status).toBe(413)
    expect(await ann.offset('/a')).toBe(3)
  })
})

test.each(['sha1', 'md5', 'sha256', 'sha512'])('A piece with the right %s is accepted', async (algorithm) => {
  const sum = (text: string) => ({
    'upload-checksum': `${algorithm} ${createHash(algorithm).update(text).digest('base64')}`,
  })
  await ann.create('/a', 6)
  expect((await ann.append('/a', 0, 'abc', sum('abc'))).status).toBe(204)
  expect((await ann.append('/a', 3, 'dxf', sum('def'))).status).toBe(460)
  expect((await ann.append('/a', 3, 'def', sum('def'))).status).toBe(204)
  expect(treeOf(server.root)).toEqual({ a: 'abcdef' })
})
