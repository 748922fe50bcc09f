import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathOfDescriptor } from '../src/storage/disk/drafts.ts'
import { draftKnown, draftLedger, moveLedger } from '../src/storage/disk/ledger.ts'
import { draftPrefix, movingPrefix } from '../src/storage/path.ts'
import { until } from './process.ts'
import { startServer, type TestServer } from './server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

test('requests are answered while thousands of leftovers of a crash are removed', async () => {
  const { db } = server.app.deps
  const none = { target: null, device: null, inode: null, born: null, size: null, modified: null }
  const rows = Array.from({ length: 4000 }, (_, i) => ({
    ...none,
    place: join(server.root, `${draftPrefix}${i}`),
    owner: '4194305:1',
  }))
  for (let at = 0; at < rows.length; at += 100)
    await db
      .insertInto('draft')
      .values(rows.slice(at, at + 100))
      .execute()
  const left = async () => (await db.selectFrom('draft').select('place').execute()).length
  await server.app.guard()
  const tidying = server.app.tidy()
  expect((await server.ask('/health')).status).toBe(200)
  // Without pauses the answer would have to wait until none is left.
  expect(await left()).toBeGreaterThan(0)
  await tidying
  expect(await left()).toBe(0)
}, 120_000)

test('a draft in a folder whose name is not UTF-8 is cleared away after a crash, and a move there comes back', async () => {
  const { db } = server.app.deps
  const folder = Buffer.concat([Buffer.from(`${server.root}/caf`), Buffer.from([0xe9])])
  const at = (name: string) => Buffer.concat([folder, Buffer.from(`/${name}`)])
  const [draft, hidden] = [`${draftPrefix}left`, `${movingPrefix}left`]
  mkdirSync(folder)
  writeFileSync(at(draft), 'half')
  writeFileSync(at(hidden), 'moved')
  const descriptor = openSync(folder, 'r')
  const path = pathOfDescriptor(descriptor)
  closeSync(descriptor)
  const gone = { id: '4194305:1', isAlive: () => false }
  await draftLedger(db, gone).begin(`${path}/${draft}`)
  await moveLedger(db, gone).begin(`${path}/${hidden}`, `${path}/file`)
  expect(await draftKnown(db, gone)(`${path}/${draft}`)).toBe(true)
  await server.app.tidy()
  expect(readdirSync(folder)).toEqual(['file'])
  // A thread does not wait until the row is gone.
  await until(async () => (await db.selectFrom('draft').selectAll().execute()).length === 0)
  expect(await db.selectFrom('leaving').selectAll().execute()).toEqual([])
})
