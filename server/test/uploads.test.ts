import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { linkSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { joinNodes } from '../src/nodes/node.ts'
import { draftsBelow, treeOf } from './disk.ts'
import { headOf, openLine } from './line.ts'
import { until } from './process.ts'
import { encoded, pieceType, tusOf } from './tus.ts'
import { startUploadServer } from './upload-server.ts'

const { server, ask, annsToken, ann, bob, rows, clear } = await startUploadServer()
beforeEach(clear)
afterAll(() => server.stop())

describe('An existing file', () => {
  beforeEach(() => server.put({ 'old.txt': 'the old content' }))

  test('stays unchanged until the new one is complete', async () => {
    await ann.create('/old.txt?override=true', 6)
    await ann.append('/old.txt', 0, 'abc')
    expect(server.file('old.txt')).toBe('the old content')
    await ann.append('/old.txt', 3, 'def')
    expect(treeOf(server.root)).toEqual({ 'old.txt': 'abcdef' })
  })

  test('stays when the upload is cancelled', async () => {
    await ann.create('/old.txt?override=true', 6)
    await ann.append('/old.txt', 0, 'abc')
    expect((await ann.cancel('/old.txt')).status).toBe(204)
    expect(treeOf(server.root)).toEqual({ 'old.txt': 'the old content' })
    expect((await ann.cancel('/old.txt')).status).toBe(404)
    expect((await ann.cancel('/')).status).toBe(404)
    expect(server.file('old.txt')).toBe('the old content')
  })

  test('with a second hard link changes under both names, and behind a symlink at its target', async () => {
    linkSync(join(server.root, 'old.txt'), join(server.root, 'second.txt'))
    server.link('old.txt', 'link.txt')
    for (const path of ['/old.txt', '/link.txt']) {
      await ann.create(`${path}?override=true`, 3)
      expect((await ann.append(path, 0, path.slice(1, 4))).status).toBe(204)
      expect(server.file('second.txt')).toBe(path.slice(1, 4))
    }
    expect(Object.keys(treeOf(server.root)).sort()).toEqual(['link.txt', 'old.txt', 'second.txt'])
    expect(treeOf(server.root)).toMatchObject({ 'link.txt': '-> old.txt' })
    expect(await server.app.deps.db.selectFrom('draft').selectAll().execute()).toEqual([])
  })
})

describe('A name that was taken during the upload', () => {
  beforeEach(async () => {
    await ann.create('/a', 4)
    await ann.append('/a', 0, 'mi')
    server.put({ a: 'theirs' })
    expect((await ann.append('/a', 2, 'ne')).status).toBe(409)
    expect(server.file('a')).toBe('theirs')
    expect((await ann.head('/a')).status).toBe(409)
  })

  test('is replaced by a new creation with override, without sending bytes again', async () => {
    expect((await ann.create('/a?override=true', 4)).status).toBe(201)
    expect(await ann.offset('/a')).toBe(4)
    expect(treeOf(server.root)).toEqual({ a: 'mine' })
  })

  test('that is free again is taken with an empty piece', async () => {
    rmSync(join(server.root, 'a'))
    expect((await ann.append('/a', 4, '')).status).toBe(204)
    expect(treeOf(server.root)).toEqual({ a: 'mine' })
  })
})

describe('Creating an upload again', () => {
  beforeEach(async () => {
    await ann.create('/a', 6)
    await ann.append('/a', 0, 'abc')
  })

  test('continues at the former offset', async () => {
    expect((await ann.create('/a', 6)).status).toBe(201)
    expect(await ann.offset('/a')).toBe(3)
    expect((await ann.append('/a', 3, 'def')).status).toBe(204)
    expect(treeOf(server.root)).toEqual({ a: 'abcdef' })
  })

  test('lets a client that sends offset 0 start over, once', async () => {
    await ann.create('/a', 6)
    expect((await ann.append('/a', 0, 'AB')).status).toBe(204)
    expect((await ann.append('/a', 0, 'AB')).status).toBe(409)
    expect((await ann.append('/a', 2, 'CDEF')).status).toBe(204)
    expect(treeOf(server.root)).toEqual({ a: 'ABCDEF' })
  })

  test.each<[string, Parameters<typeof ann.create>]>([
    ['another length', ['/a', 100_000]],
    ['another time', ['/a', 6, { 'upload-metadata': `mtime ${encoded('1500000000')}` }]],
  ])('with %s starts a new upload', async (_, given) => {
    expect((await ann.create(...given)).status).toBe(201)
    expect(await ann.offset('/a')).toBe(0)
    await ann.append('/a', 0, 'a')
    expect(draftsBelow(server.root)).toHaveLength(1)
    expect(await rows()).toBe(1)
  })

  test('keeps the former upload when the new one is refused', async () => {
    expect((await ann.create('/a', 2 ** 52)).status).toBe(507)
    expect(await ann.offset('/a')).toBe(3)
  })
})

test('An upload of another user with the same path is not found', async () => {
  await ann.create('/a', 3)
  expect((await bob.head('/a')).status).toBe(404)
  expect((await bob.append('/a', 0, 'abc')).status).toBe(404)
  expect((await bob.cancel('/a')).status).toBe(404)
  expect((await bob.create('/a', 2)).status).toBe(201)
  await bob.append('/a', 0, 'b')
  expect(await ann.offset('/a')).toBe(0)
  expect((await ann.append('/a', 0, 'ann')).status).toBe(204)
  expect((await bob.append('/a', 1, 'b')).status).toBe(409)
  expect(treeOf(server.root)).toMatchObject({ a: 'ann' })
})

test('A draft is neither listed nor downloaded', async () => {
  await ann.create('/box/a', 100_000)
  const listing = await (await ask('/api/resources/box/')).json()
  expect(listing).toMatchObject({ items: [], numFiles: 0 })
  const [draft = ''] = draftsBelow(server.root)
  expect((await ask(`/api/raw/${draft}`)).status).toBe(403)
})

test('Removing a folder ends the uploads in it', async () => {
  await ann.create('/box/a', 3)
  await ask('/api/resources/box', { method: 'DELETE' })
  expect(await ann.offset('/box/a')).toBe('status 404')
  expect((await ann.append('/box/a', 0, 'abc')).status).toBe(404)
  expect((await ann.create('/box/a', 3)).status).toBe(201)
  expect((await ann.append('/box/a', 0, 'abc')).status).toBe(204)
})

test('Renaming a folder keeps the uploads in it, which continue in the new folder', async () => {
  await ann.create('/box/a', 6)
  await ann.append('/box/a', 0, 'abc')
  await ask('/api/resources/box?action=rename&destination=/other', { method: 'PATCH' })
  expect((await ann.append('/box/a', 3, 'def')).status).toBe(204)
  expect(treeOf(server.root)).toEqual({ 'other/': '', 'other/a': 'abcdef' })
})

describe('The expiry of an upload', () => {
  const hours = (count: number) => {
    server.clock.now += count * 3600
  }

  test('is extended by every piece, and removes the upload with its draft', async () => {
    // A session expires earlier, so each request signs in again.
    const as = async () => tusOf(await server.as('ann'))
    mkdirSync(join(server.root, 'p'))
    await (await as()).create('/p/a', 6)
    hours(23)
    await (await as()).append('/p/a', 0, 'abc')
    hours(23)
    await server.app.tidy()
    expect(await (await as()).offset('/p/a')).toBe(3)
    hours(2)
    expect(await (await as()).offset('/p/a')).toBe('status 404')
    expect(draftsBelow(server.root)).toHaveLength(1)
    await server.app.tidy()
    expect(treeOf(server.root)).toEqual({ 'p/': '' })
    expect(await rows()).toBe(0)
    server.clock.now -= 48 * 3600
  })

  test('does not end an upload that is being received', async () => {
    // Smaller pieces are not written before they are whole.
    const half = 'abc'.repeat(1000)
    const length = 2 * half.length
    await ann.create('/a', length)
    const line = await openLine(server.url)
    const headers = { 'x-auth': annsToken, 'content-type': pieceType, 'upload-offset': 0, 'content-length': length }
    await line.send(`${headOf('PATCH', '/files/api/tus/a', headers)}${half}`)
    await until(() => statSync(join(server.root, draftsBelow(server.root)[0] ?? '')).size === half.length)
    hours(25)
    await server.app.tidy()
    hours(-25)
    await line.send(half)
    expect(await line.status).toBe(204)
    line.close()
    expect(treeOf(server.root)).toEqual({ a: half + half })
  })

  test('does not end an upload that another server may be receiving', async () => {
    await ann.create('/a', 100_000)
    const another = joinNodes(join(server.root, '../filestead.db-drafts'))
    await server.app.deps.db.updateTable('upload').set({ node: another.id }).execute()
    hours(25)
    await server.app.tidy()
    expect([await rows(), draftsBelow(server.root).length]).toEqual([1, 1])
    await another.leave()
    // On PostgreSQL others hear of it with their next heartbeat.
    await until(async () => {
      await server.app.tidy()
      return (await rows()) === 0
    })
    hours(-25)
    expect(draftsBelow(server.root)).toEqual([])
  })

  test('does not remove the draft of a valid upload', async () => {
    await ann.create('/a', 100_000)
    await server.app.tidy()
    expect(await ann.offset('/a')).toBe(0)
  })
})
