import { afterAll, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { statusOf } from './answers.ts'
import { treeOf } from './disk.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
const alice = await server.as('alice')
afterAll(() => server.stop())

const files = { 'a.txt': 'a', 'box/b.txt': 'b', 'box/deep/er/c.txt': 'c', 'boxer/d.txt': 'd' }

beforeEach(() => {
  rmSync(server.root, { recursive: true, force: true })
  server.put({ ...files, 'empty/': '' })
})

const remove = (path: string) => alice(`/api/resources${path}`, { method: 'DELETE' })
const left = () => Object.keys(treeOf(server.root)).filter((path) => !path.endsWith('/'))

test('removing a file answers 204', async () => {
  const response = await remove('/a.txt')
  expect([response.status, await response.text()]).toEqual([204, ''])
  expect(left()).toEqual(['box/b.txt', 'box/deep/er/c.txt', 'boxer/d.txt'])
})

test('removing a folder removes everything in it and nothing else', async () => {
  for (const path of ['/box', '/empty/']) expect(await statusOf(remove(path))).toBe(204)
  expect(treeOf(server.root)).toEqual({ 'a.txt': 'a', 'boxer/': '', 'boxer/d.txt': 'd' })
})

test('a folder out of which another process moves something is not removed', async () => {
  const moving = 'box/deep/.filestead-leaving-0f8fad5b-d9cb-469f-a165-70867728950e'
  server.put({ [moving]: 'on its way' })
  expect(await statusOf(remove('/box'))).toBe(423)
  expect(treeOf(server.root)).toMatchObject({ 'box/b.txt': 'b', [moving]: 'on its way' })
})

test('removing a large folder removes all of it', async () => {
  for (let number = 0; number < 600; number += 1) server.put({ [`many/${number % 7}/${number}.txt`]: '' })
  expect(await statusOf(remove('/many'))).toBe(204)
  expect(left().filter((path) => path.startsWith('many'))).toEqual([])
})

/** Some file systems know no such mark, and only root may set it. */
function lock(path: string): boolean {
  return Bun.which('chattr') !== null && Bun.spawnSync(['chattr', '+i', join(server.root, path)]).success
}
const unlock = (path: string) => Bun.spawnSync(['chattr', '-i', join(server.root, path)])
server.put({ mark: '' })
const canLock = lock('mark')
unlock('mark')

test.if(canLock)(
  'a folder with an entry that cannot be removed stays complete, and the answer has the reason',
  async () => {
    for (let number = 0; number < 50; number += 1) server.put({ [`album/${number}.jpg`]: 'photo' })
    server.put({ 'album/zz/locked.txt': 'x', 'other/zz/locked.txt': 'y', 'other/z.txt': '' })
    const before = treeOf(server.root)
    lock('album/zz/locked.txt')
    try {
      const json = { accept: 'application/json' }
      const response = await alice('/api/resources/album', { method: 'DELETE', headers: json })
      expect([response.status, await response.json()]).toEqual([
        403,
        { code: 'forbidden', message: expect.stringContaining('"locked.txt"') },
      ])
      expect(treeOf(server.root)).toEqual(before)
      for (const [from, to] of [
        ['/album', '/other'],
        ['/other', '/album'],
      ])
        expect(
          await statusOf(
            alice(`/api/resources${from}?action=rename&override=true&destination=${to}`, { method: 'PATCH' }),
          ),
        ).toBe(403)
      expect(treeOf(server.root)).toEqual(before)
    } finally {
      unlock('album/zz/locked.txt')
    }
    expect(await statusOf(remove('/album'))).toBe(204)
  },
)

test.each(['/', '//', '', '/?x=1', '/%2f'])('removing the root as %j is refused', async (path) => {
  const before = treeOf(server.root)
  expect(await statusOf(remove(path))).toBe(403)
  expect(treeOf(server.root)).toEqual(before)
})

test.each(['/none', '/none/deeper', '/a.txt/below', '/box/none'])('removing %s is refused with 404', async (path) => {
  const before = treeOf(server.root)
  expect(await statusOf(remove(path))).toBe(404)
  expect(treeOf(server.root)).toEqual(before)
})

test('a removal whose client leaves is cancelled, and what it has not come to stays visible', async () => {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<unknown>()
  const waiting = await startServer({
    wrapStorage: (storage) => ({
      ...storage,
      async remove(path, options) {
        begun.resolve()
        const removal = (async () => {
          await abortOf(options?.signal)
          await storage.remove(path, options)
        })()
        removal.then(() => ended.resolve('removed'), ended.resolve)
        return removal
      },
    }),
  })
  try {
    await waiting.addUser('alice')
    waiting.put({ 'box/a.txt': 'a', 'box/deep/b.txt': 'b' })
    const before = treeOf(waiting.root)
    const leaving = new AbortController()
    const asking = (await waiting.as('alice'))('/api/resources/box', { method: 'DELETE', signal: leaving.signal })
    await begun.promise
    leaving.abort()
    expect(await asking.catch((error: Error) => error.name)).toBe('AbortError')
    expect(await ended.promise).toMatchObject({ name: 'AbortError' })
    expect(treeOf(waiting.root)).toEqual(before)
  } finally {
    await waiting.stop()
  }
})

async function abortOf(signal: { throwIfAborted(): void } | undefined): Promise<void> {
  for (;;) {
    try {
      signal?.throwIfAborted()
    } catch {
      return
    }
    await Bun.sleep(5)
  }
}
