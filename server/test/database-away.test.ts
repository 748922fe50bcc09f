import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from './postgres.ts'
import { until } from './process.ts'
import { type Ask, password, startServer, type TestServer } from './server.ts'
import { tusOf } from './tus.ts'

setDefaultTimeout(120_000)

const postgres = await startPostgres()
let server: TestServer
let ann: Ask

beforeAll(async () => {
  if (postgres === undefined) return
  server = await startServer({ database: await postgres.make('away') })
  await server.addUser('ann')
  ann = await server.as('ann')
})
afterAll(async () => {
  await server?.stop()
  postgres?.end()
})

const back = () => until(async () => (await server.ask('/health')).status === 200)

describe.skipIf(postgres === undefined)('while the database is away', () => {
  test.each(['SIGINT', 'SIGQUIT'] as const)(
    'requests are refused with a sentence, and answered again afterwards (%s)',
    async (signal) => {
      server.put({ 'note.txt': 'note' })
      await postgres?.stop(signal)
      for (const path of ['/api/resources/', '/api/raw/note.txt', '/api/users']) {
        const response = await ann(path, { headers: { accept: 'application/json' } })
        expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
        expect(await response.text()).toContain('The database does not answer')
      }
      const signIn = { method: 'POST', body: JSON.stringify({ username: 'ann', password }) }
      expect((await server.ask('/api/login', signIn)).status).toBe(503)
      // An answer counts for a second.
      await until(async () => (await server.ask('/health')).status === 503)
      expect(await (await server.ask('/health')).text()).toContain('The database does not answer')
      await postgres?.start()
      await back()
      expect(await (await ann('/api/raw/note.txt')).text()).toBe('note')
    },
  )

  test('an upload keeps its bytes, and goes on when the database is back', async () => {
    const content = randomBytes(3_000_000)
    const tus = tusOf(ann)
    expect((await tus.create('/large.bin', content.length)).status).toBe(201)
    expect((await tus.append('/large.bin', 0, content.subarray(0, 1_000_000))).status).toBe(204)

    // The database goes in the middle of the second piece.
    const [half, rest] = [content.subarray(1_000_000, 1_500_000), content.subarray(1_500_000, 2_000_000)]
    const gone = Promise.withResolvers<void>()
    const piece = new ReadableStream({
      async start(controller) {
        controller.enqueue(half)
        await gone.promise
        controller.enqueue(rest)
        controller.close()
      },
    })
    const appending = tus.append('/large.bin', 1_000_000, piece)
    await Bun.sleep(100)
    await postgres?.stop()
    gone.resolve()
    expect([204, 503]).toContain((await appending).status)
    expect((await tus.head('/large.bin')).status).toBe(503)

    await postgres?.start()
    await back()
    const offset = Number(await tus.offset('/large.bin'))
    expect(offset).toBeGreaterThanOrEqual(1_000_000)
    expect((await tus.append('/large.bin', offset, content.subarray(offset))).status).toBe(204)
    expect(readFileSync(join(server.root, 'large.bin')).equals(content)).toBe(true)
  })
})
