import { afterAll, beforeEach, expect, mock, setDefaultTimeout, test } from 'bun:test'
import type { Kysely } from 'kysely'
import type { Database } from '../src/database/schema.ts'

setDefaultTimeout(60_000)

/** How many rows there were of each kind whenever the log was last forced onto the disk. */
const synced: { sessions: number; shut: number; shares: number; uploads: number }[] = []
const { durable: force } = await import('../src/database/durable.ts')
mock.module('../src/database/durable.ts', () => ({
  async durable(db: Kysely<Database>) {
    await force(db)
    const count = async (table: 'session' | 'share' | 'upload') =>
      (await db.selectFrom(table).selectAll().execute()).length
    const changing = await db.selectFrom('share').selectAll().where('change_id', 'is not', null).execute()
    synced.push({
      sessions: await count('session'),
      shut: changing.length,
      shares: await count('share'),
      uploads: await count('upload'),
    })
  },
}))

const { startServer } = await import('./server.ts')
const server = await startServer()
await server.addUser('ann')
afterAll(() => server.stop())
beforeEach(() => void synced.splice(0))

test('the end of a session survives a power cut once it is acknowledged', async () => {
  const [one, two, three] = [await server.as('ann'), await server.as('ann'), await server.as('ann')]
  expect((await three('/api/logout', { method: 'POST' })).status).toBe(200)
  expect(synced.at(-1)).toMatchObject({ sessions: 2 })
  const sessions = (await (await one('/api/sessions')).json()) as { id: string; current: boolean }[]
  const { id } = sessions.find(({ current }) => !current) as { id: string }
  expect((await one(`/api/sessions/${id}`, { method: 'DELETE' })).status).toBe(200)
  expect(synced.at(-1)).toMatchObject({ sessions: 1 })
  expect((await two('/api/resources/')).status).toBe(401)
  await server.as('ann')
  expect((await one('/api/sessions', { method: 'DELETE' })).status).toBe(200)
  expect(synced.at(-1)).toMatchObject({ sessions: 1 })
})

test('a link is shut on the disk before its file is touched, and its end is there before that is acknowledged', async () => {
  const ann = await server.as('ann')
  server.put({ 'shared.txt': 'shared' })
  expect((await ann('/api/share/shared.txt', { method: 'POST', body: '{}' })).status).toBe(200)
  synced.splice(0)
  expect((await ann('/api/resources/shared.txt', { method: 'DELETE' })).status).toBe(204)
  expect([synced.at(0), synced.at(-1)]).toMatchObject([
    { shut: 1, shares: 1 },
    { shut: 0, shares: 0 },
  ])
})

test('an upload is known for good once a part of it is acknowledged', async () => {
  const ann = await server.as('ann')
  const headers = { 'tus-resumable': '1.0.0' }
  const begin = { method: 'POST', headers: { ...headers, 'upload-length': '10' } }
  expect((await ann('/api/tus/part.bin', begin)).status).toBe(201)
  const piece = { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  expect((await ann('/api/tus/part.bin', { method: 'PATCH', headers: piece, body: 'half ' })).status).toBe(204)
  expect(synced.at(-1)).toMatchObject({ uploads: 1 })
})
