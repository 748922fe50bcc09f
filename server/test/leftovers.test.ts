import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { draftPrefix } from '../src/storage/path.ts'
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
    owner: 'node:gone',
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
}, 60_000)
