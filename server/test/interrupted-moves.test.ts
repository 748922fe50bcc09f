import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { movingPrefix } from '../src/storage/path.ts'
import { statusOf } from './answers.ts'
import { treeOf } from './disk.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
const alice = await server.as('alice')
afterAll(() => server.stop())

const note = (hidden: string, original: string, arrived_since: number | null, owner = '1:gone') =>
  server.app.deps.db
    .insertInto('leaving')
    .values({ place: join(server.root, hidden), original: join(server.root, original), arrived_since, owner })
    .execute()

test('an interrupted move to another disk is undone at the next start', async () => {
  const [moving, arrived, alive] = ['a', 'b', 'c'].map((id) => `${movingPrefix}${id}`) as [string, string, string]
  server.put({ [`${moving}/deep/x.txt`]: 'x', [`${arrived}/y.txt`]: 'y', [`${alive}/z.txt`]: 'z' })
  server.put({ 'box/deep/other.txt': 'made since' })
  await note(moving, 'box', null)
  await note(arrived, 'gone', Date.now() + 60_000)
  const start = (await Bun.file(`/proc/${process.pid}/stat`).text()).split(') ')[1]?.split(' ')[19]
  await note(alive, 'elsewhere', null, `${process.pid}:${start}`)
  await server.app.tidy()
  expect(treeOf(server.root)).toEqual({
    [`${alive}/`]: '',
    [`${alive}/z.txt`]: 'z',
    'box/': '',
    'box/deep/': '',
    'box/deep/other.txt': 'made since',
    'box/deep/x.txt': 'x',
  })
  const rows = await server.app.deps.db.selectFrom('leaving').select('original').execute()
  expect(rows).toEqual([{ original: join(server.root, 'elsewhere') }])
})

test('an entry that is being moved to another disk is not listed and cannot be addressed', async () => {
  rmSync(server.root, { recursive: true })
  mkdirSync(join(server.root, 'box', `${movingPrefix}x`), { recursive: true })
  writeFileSync(join(server.root, 'box', `${movingPrefix}x`, 'secret.txt'), 'x')
  for (const path of [
    '/api/resources/box',
    '/api/resources/?recursive=true',
    '/api/search/?query=secret',
    '/api/raw/box?algo=tar',
  ])
    expect(await (await alice(path)).text()).not.toContain(movingPrefix)
  for (const method of ['GET', 'DELETE', 'PUT', 'POST'])
    expect(
      await statusOf(
        alice(`/api/resources/box/${movingPrefix.toUpperCase()}x`, { method, ...(method !== 'GET' && { body: 'x' }) }),
      ),
    ).toBe(403)
  expect(await statusOf(alice('/api/resources/box?action=copy&destination=%2Fcopy', { method: 'PATCH' }))).toBe(200)
  expect(existsSync(join(server.root, 'copy', `${movingPrefix}x`))).toBe(false)
})
