import { afterAll, expect, test } from 'bun:test'
import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Operation, Trash } from '@filestead/contract'
import { upkeepOf } from '../src/history/upkeep.ts'
import type { Storage } from '../src/storage/port.ts'
import { storeNames } from '../src/storage/store-names.ts'
import { jsonIn } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer({ history: { trash: 'on', versions: true, trashDays: 30 } })
afterAll(() => server.stop())
await server.addUser('ann')
const ask = await server.as('ann')
const day = 86_400_000
const { db, mounts, storageAt } = server.app.deps
const stored = (store: 'trash' | 'versions') => readdirSync(join(server.root, storeNames[store], 'files'))
const remove = (path: string) => ask(`/api/resources${path}`, { method: 'DELETE' })
const paths = async () => (await jsonIn<Trash>(ask('/api/trash'))).items.map(({ path }) => path)

/** Upkeep with a clock and a running time of its own. */
function upkeep(isInCharge = true, storageOf = storageAt) {
  const time = { now: Date.now(), running: 0 }
  const parts = { db, mounts, storageAt: storageOf, now: () => time.now, running: () => time.running }
  return { time, ...upkeepOf({ ...parts, isInCharge: async () => isInCharge, changed: () => {} }) }
}

test('what is too old goes when it was due for a minute of running time, and not when the clock jumps', async () => {
  server.put({ 'a.txt': 'a' })
  await remove('/a.txt')
  const { time, sweep, close } = upkeep()
  time.now += 4000 * day
  await sweep()
  expect(await paths()).toEqual(['/a.txt'])
  time.running += 59_000
  await sweep()
  expect(await paths()).toEqual(['/a.txt'])
  time.now -= 4000 * day
  time.running += 2000
  await sweep()
  expect(await paths()).toEqual(['/a.txt'])
  time.now += 31 * day
  for (const running of [3_600_000, 3_600_000]) {
    time.running += running
    await sweep()
  }
  expect([await paths(), stored('trash')]).toEqual([[], []])
  await close()
})

test('a process that is not in charge ends nothing', async () => {
  server.put({ 'b.txt': 'b' })
  await remove('/b.txt')
  const { time, sweep, close } = upkeep(false)
  time.now += 4000 * day
  for (let hour = 0; hour < 3; hour += 1) {
    time.running += 3_600_000
    await sweep()
  }
  expect(await paths()).toEqual(['/b.txt'])
  await close()
})

test('versions of one file are thinned out, and the newest stays', async () => {
  server.put({ 'doc.txt': '0' })
  for (let version = 1; version <= 4; version += 1)
    await ask('/api/resources/doc.txt', { method: 'PUT', body: String(version) })
  expect(stored('versions').length).toBe(4)
  const { time, sweep, close } = upkeep()
  time.now += 2 * day
  await sweep()
  time.running += 61_000
  await sweep()
  expect(stored('versions').map((name) => server.file(`${storeNames.versions}/files/${name}`))).toEqual(['3'])
  await close()
})

test('rows follow the disk: what is gone from a store has none, and what has none gets one that its user alone sees', async () => {
  server.put({ 'gone.txt': 'g', 'lost.txt': 'l' })
  await remove('/gone.txt')
  await remove('/lost.txt')
  const [gone] = stored('trash').filter((name) => name.startsWith('gone'))
  renameSync(join(server.root, storeNames.trash, 'files', gone ?? ''), join(server.root, 'gone.txt'))
  await db.deleteFrom('kept').where('location', '=', '/lost.txt').execute()
  // No other account knows who could see it.
  await server.addUser('bob')
  const asBob = await server.as('bob')
  const { sweep, close } = upkeep()
  await sweep()
  expect((await paths()).toSorted()).toEqual(['/b.txt', '/lost.txt'])
  expect((await jsonIn<Trash>(asBob('/api/trash'))).items.map(({ path }) => path)).toEqual(['/b.txt'])
  await close()
})

test('an entry of a store that has no info shows with the top folder as its place', async () => {
  writeFileSync(join(server.root, storeNames.trash, 'files', 'alone.txt'), 'x')
  const { sweep, close } = upkeep()
  await sweep()
  expect(await paths()).toContain('/alone.txt')
  await close()
})

test('what another program has put into the trash is not ended by its age or its size', async () => {
  const trash = join(server.root, storeNames.trash)
  writeFileSync(join(trash, 'files', 'years.txt'), 'old')
  const info = '[Trash Info]\nPath=years.txt\nDeletionDate=2021-01-01T00:00:00\n'
  writeFileSync(join(trash, 'info', 'years.txt.trashinfo'), info)
  const { time, sweep, close } = upkeep()
  for (let hour = 0; hour < 3; hour += 1) {
    time.running += 3_600_000
    await sweep()
  }
  expect(stored('trash')).toContain('years.txt')
  const { items } = await jsonIn<Trash>(ask('/api/trash'))
  expect(items.find(({ path }) => path === '/years.txt')?.endsAt).toBeUndefined()
  await close()
})

test('versions that a save of the last day needs stay, and go on a disk that is nearly full, which undo then tells', async () => {
  server.put({ 'often.txt': 'first' })
  for (const body of ['second', 'third', 'fourth']) await ask('/api/resources/often.txt', { method: 'PUT', body })
  const whyNot = async () =>
    (await jsonIn<Operation[]>(ask('/api/operations')))
      .filter(({ names }) => names.includes('often.txt'))
      .map(({ why }) => why)
  const sweepTwice = async ({ time, sweep, close }: ReturnType<typeof upkeep>) => {
    time.now += 600_000
    for (let hour = 0; hour < 2; hour += 1) {
      await sweep()
      time.running += 3_600_000
    }
    await close()
  }
  await sweepTwice(upkeep())
  expect(await whyNot()).toEqual([undefined, undefined, undefined])
  const nearlyFull = (base: string) =>
    new Proxy(storageAt(base), {
      get: (storage, verb: keyof Storage) =>
        verb === 'usage' ? async () => ({ total: 100_000, used: 99_000 }) : storage[verb],
    })
  await sweepTwice(upkeep(true, nearlyFull))
  expect(await whyNot()).toEqual([undefined, 'no-room', 'no-room'])
  const [, save] = (await jsonIn<Operation[]>(ask('/api/operations'))).filter(({ names }) =>
    names.includes('often.txt'),
  )
  const body = JSON.stringify({ kind: 'undo', operation: save?.id })
  const refused = await ask('/api/jobs', { method: 'POST', body, headers: { accept: 'application/json' } })
  expect(await refused.json()).toMatchObject({
    message: 'What it needs had to go, because the disk was nearly full',
  })
})
