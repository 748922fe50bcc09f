import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathOfDescriptor } from '../src/storage/disk/drafts.ts'
import { draftKnown, draftLedger, moveLedger, sourceFound } from '../src/storage/disk/ledger.ts'
import { draftPrefix, movingPrefix, parsePath } from '../src/storage/path.ts'
import { threadedDisk } from '../src/storage/testing/threads.fixture.ts'
import { threadedScopes } from '../src/storage/threads/scopes.ts'
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

test('what was being moved comes back also where its folder was renamed before, and without a row', async () => {
  const { db } = server.app.deps
  const root = mkdtempSync(join(tmpdir(), 'filestead-leftovers-'))
  const gone = { id: '4194305:1', isAlive: (id: string | null) => id === 'alive' }
  const [moved, unknown, others] = ['moved', 'unknown', 'others'].map((each) => `${movingPrefix}${each}`)
  mkdirSync(join(root, 'renamed'))
  for (const name of [moved, unknown, others]) writeFileSync(join(root, 'renamed', name ?? ''), name ?? '')
  await moveLedger(db, gone).begin(`${root}/before/${moved}`, `${root}/before/film.mp4`)
  await moveLedger(db, { ...gone, id: 'alive' }).begin(`${root}/before/${others}`, `${root}/before/other.mp4`)
  const now = () => Date.now() / 1000 + 90_000
  const disk = threadedDisk(root, { now, moves: moveLedger(db, gone), sourceFound: sourceFound(db, gone) })
  const scopes = threadedScopes({ ...disk, settings: { ...disk.settings, orphanAge: 3600 } })
  try {
    await scopes.storageAt('/').list(parsePath('/renamed'))
    await until(
      () =>
        readdirSync(join(root, 'renamed')).length === 3 && !readdirSync(join(root, 'renamed')).includes(unknown ?? ''),
    )
    await until(async () => (await db.selectFrom('leaving').selectAll().execute()).length === 1)
    expect(readdirSync(join(root, 'renamed')).sort()).toEqual([others ?? '', 'film.mp4', 'recovered-unknown'])
    expect(readFileSync(join(root, 'renamed', 'film.mp4'), 'utf8')).toBe(moved ?? '')
  } finally {
    scopes.close()
    rmSync(root, { recursive: true })
    await db.deleteFrom('leaving').execute()
  }
})
