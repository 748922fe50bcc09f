import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Trash } from '@filestead/contract'
import { storeNames } from '../src/storage/store-names.ts'
import { jsonIn } from './answers.ts'
import { jobsOf, moving } from './jobs.ts'
import { until } from './process.ts'
import { startServer } from './server.ts'

const server = await startServer({ history: { trash: 'on', versions: true } })
afterAll(() => server.stop())
await server.addUser('ann')
const ask = await server.as('ann')
const jobs = jobsOf(ask)
const { db } = server.app.deps
const save = (path: string, body: string) => ask(`/api/resources${path}`, { method: 'PUT', body })
const remove = (path: string) => ask(`/api/resources${path}`, { method: 'DELETE' })
const trash = async () => (await jsonIn<Trash>(ask('/api/trash'))).items
const restoreAt = async (path: string, to = path) => {
  const item = (await trash()).find((each) => each.path === path)
  return jobs.run({ kind: 'restore', items: [{ past: item?.past, from: path, to }] })
}
/** Where versions of a file were, as rows tell. */
const versionsAt = async (location: string): Promise<number> =>
  (await db.selectFrom('kept').select('id').where('store', '=', 'versions').where('location', '=', location).execute())
    .length

test('versions go with their file: renamed, moved with its folder, removed, restored', async () => {
  server.put({ 'a/doc.txt': '1' })
  await save('/a/doc.txt', '2')
  expect(await versionsAt('/a/doc.txt')).toBe(1)
  await jobs.run(moving('/a/doc.txt', '/a/text.txt'))
  await jobs.run(moving('/a', '/b'))
  expect([await versionsAt('/a/doc.txt'), await versionsAt('/b/text.txt')]).toEqual([0, 1])
  await remove('/b')
  expect(await versionsAt('/b/text.txt')).toBe(0)
  await restoreAt('/b', '/c')
  expect(await versionsAt('/c/text.txt')).toBe(1)
})

test('what was removed from a name stays there when another thing of that name moves', async () => {
  server.put({ 'name.txt': 'first' })
  await remove('/name.txt')
  server.put({ 'name.txt': 'second' })
  await jobs.run(moving('/name.txt', '/other.txt'))
  expect((await trash()).map(({ path }) => path)).toContain('/name.txt')
  await jobs.run({ kind: 'purge' })
})

test('a symlink on the way to a folder that moves loses no version', async () => {
  server.put({ 'real/in/doc.txt': '1' })
  server.link('real', 'alias')
  await save('/real/in/doc.txt', '2')
  await jobs.run(moving('/alias/in', '/alias/out'))
  expect(await versionsAt('/real/out/doc.txt')).toBe(1)
})

test('what is removed for good takes its versions along, and what was in its trash is for its user alone', async () => {
  await server.addUser('bob')
  const asBob = await server.as('bob')
  server.put({ 'end/doc.txt': '1', 'end/gone.txt': 'g' })
  await save('/end/doc.txt', '2')
  await remove('/end/gone.txt')
  await remove('/end?forGood=true')
  expect(existsSync(join(server.root, 'end'))).toBe(false)
  await until(async () => (await versionsAt('/end/doc.txt')) === 0)
  expect((await trash()).map(({ path }) => path)).toEqual(['/end/gone.txt'])
  expect((await jsonIn<Trash>(asBob('/api/trash'))).items).toEqual([])
})

test('versions of what is purged go as well', async () => {
  const before = readdirSync(join(server.root, storeNames.versions, 'files')).length
  server.put({ 'purged/doc.txt': '1' })
  await save('/purged/doc.txt', '2')
  await remove('/purged')
  await jobs.run({ kind: 'purge' })
  expect(readdirSync(join(server.root, storeNames.versions, 'files')).length).toBe(before)
})
