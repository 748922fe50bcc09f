import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from './disk.ts'
import { startPostgres } from './postgres.ts'
import { initialise, serve, until } from './process.ts'
import { password, startServer } from './server.ts'
import { tusOf } from './tus.ts'

// Waits out the patience with a database: 15 seconds for a connection, 17 for an answer.
setDefaultTimeout(180_000)

const postgres = await startPostgres()
const folder = scratchFolder('hanging')
afterAll(() => postgres?.end())

/** None of its processes answers while the work is done. */
async function whileHanging<T>(work: () => Promise<T>): Promise<T> {
  await postgres?.hang()
  try {
    return await work()
  } finally {
    await postgres?.resume()
  }
}

describe.skipIf(postgres === undefined)('while the database hangs', () => {
  test('every request is refused, and afterwards all is as it was, and uploads go on', async () => {
    await using server = await startServer({ database: (await postgres?.make('hanging')) ?? '' })
    await server.addUser('ann')
    const ann = await server.as('ann')
    server.put({ 'note.txt': 'note' })
    const content = randomBytes(300_000)
    const tus = tusOf(ann)
    expect((await tus.create('/large.bin', content.length)).status).toBe(201)
    expect((await tus.append('/large.bin', 0, content.subarray(0, 100_000))).status).toBe(204)

    const statuses = await whileHanging(() =>
      Promise.all([
        // More than there are connections.
        ...Array.from({ length: 15 }, async () => (await ann('/api/raw/note.txt')).status),
        ann('/api/resources/new.txt', { method: 'POST', body: 'new' }).then(({ status }) => status),
        tus.append('/large.bin', 100_000, content.subarray(100_000, 200_000)).then(({ status }) => status),
        server
          .ask('/api/login', { method: 'POST', body: JSON.stringify({ username: 'ann', password }) })
          .then(({ status }) => status),
        until(async () => (await server.ask('/health')).status === 503).then(() => 503),
      ]),
    )
    expect(new Set(statuses)).toEqual(new Set([503]))

    await until(async () => (await server.ask('/health')).status === 200)
    await until(async () => (await ann('/api/raw/note.txt')).status === 200)
    expect((await ann('/api/resources/new.txt')).status).toBe(404)
    const at = Number(await tus.offset('/large.bin'))
    expect(at).toBeGreaterThanOrEqual(100_000)
    expect((await tus.append('/large.bin', at, content.subarray(at))).status).toBe(204)
    expect(readFileSync(join(server.root, 'large.bin')).equals(content)).toBe(true)
  })

  test('a server that is told to stop ends', async () => {
    const address = (await postgres?.make('stopped')) ?? ''
    await initialise(address, [], { env: {} })
    await using server = await serve(['-d', address, '-r', folder])
    const { code, stderr } = await whileHanging(() => {
      server.signal('SIGTERM')
      return server.ended
    })
    expect({ code, stderr }).toMatchObject({ code: 0 })
  })
})
