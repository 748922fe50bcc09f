import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { draftPrefix } from '../src/storage/path.ts'
import { draftsBelow } from './disk.ts'
import { headOf, openLine } from './line.ts'
import { until } from './process.ts'
import { type Ask, startServer } from './server.ts'
import { tusOf } from './tus.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('ann')
const { db } = server.app.deps
const start = server.clock.now

let ann: Ask
beforeEach(async () => {
  for (const name of readdirSync(server.root)) rmSync(join(server.root, name), { recursive: true })
  await db.deleteFrom('upload').execute()
  await db.deleteFrom('draft').execute()
  server.clock.now = start
  ann = await server.as('ann')
})

/** The session has expired by then. */
async function later(hours: number): Promise<Ask> {
  server.clock.now += hours * 3600
  return server.as('ann')
}

const drafts = () => draftsBelow(server.root).sort()

describe('Drafts whose rows were lost in a power cut', () => {
  /** A draft of an upload, and one of an unfinished save. */
  async function leave(): Promise<void> {
    mkdirSync(join(server.root, 'box'))
    expect((await tusOf(ann).create('/box/a', 100_000)).status).toBe(201)
    server.put({ [`box/${draftPrefix}0e5d2f0c-save`]: 'half of it', 'box/kept': '1' })
    await db.deleteFrom('upload').execute()
    expect(drafts()).toHaveLength(2)
  }

  test.each(['/api/resources/box', '/api/search/?query=kept'])(
    'are removed when %s finds them a day later',
    async (path) => {
      await leave()
      await (await ann(path)).text()
      await server.app.tidy()
      expect(drafts()).toHaveLength(2)
      const ask = await later(25)
      expect((await ask(path)).status).toBe(200)
      await until(() => drafts().length === 0)
      expect([drafts(), server.file('box/kept')]).toEqual([[], '1'])
    },
  )
})

test('orphaned drafts in the root and in the spool are removed at the start', async () => {
  await using fresh = { server: await startServer(), [Symbol.asyncDispose]: () => fresh.server.stop() }
  const { root, app } = fresh.server
  const spool = join(root, '../filestead.db-drafts')
  for (const folder of [root, spool]) {
    for (const name of ['old', 'young']) writeFileSync(join(folder, `${draftPrefix}${name}`), 'x')
    utimesSync(join(folder, `${draftPrefix}old`), 1, 1)
  }
  await app.tidy()
  expect([draftsBelow(root), draftsBelow(spool)]).toEqual([[`${draftPrefix}young`], [`${draftPrefix}young`]])
})

test('a read-only server removes no orphaned drafts', async () => {
  await using shown = {
    server: await startServer({ readOnly: true }),
    [Symbol.asyncDispose]: () => shown.server.stop(),
  }
  await shown.server.addUser('ann')
  shown.server.put({ [`${draftPrefix}old`]: 'of another server' })
  utimesSync(join(shown.server.root, `${draftPrefix}old`), 1, 1)
  const ask = await shown.server.as('ann')
  expect((await ask('/api/resources/')).status).toBe(200)
  await shown.server.app.tidy()
  expect(draftsBelow(shown.server.root)).toEqual([`${draftPrefix}old`])
})

test('a draft that is being received stays, at any age', async () => {
  const token = await server.signIn('ann')
  const line = await openLine(server.url)
  // Small files are received completely before a draft is made.
  const half = 'x'.repeat(100_000)
  await line.send(headOf('POST', '/api/resources/slow.bin', { 'x-auth': token, 'content-length': 2 * half.length }))
  await line.send(half)
  await until(() => drafts().length === 1)
  expect((await tusOf(ann).create('/begun.bin', half.length)).status).toBe(201)
  await db
    .updateTable('upload')
    .set({ expires_at: start + 100 * 3600 })
    .execute()
  for (const name of drafts()) utimesSync(join(server.root, name), 1, 1)
  const ask = await later(25)
  expect((await ask('/api/resources/')).status).toBe(200)
  await server.app.tidy()
  expect(drafts()).toHaveLength(2)
  await line.send(half)
  expect(await line.status).toBe(200)
  line.close()
  expect((await tusOf(ask).append('/begun.bin', 0, half)).status).toBe(204)
  expect([server.file('slow.bin'), server.file('begun.bin'), drafts()]).toEqual([half + half, half, []])
})
