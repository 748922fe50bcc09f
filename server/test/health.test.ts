import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { isOnPostgres } from './database.ts'
import { until } from './process.ts'
import { startServer, type TestServer } from './server.ts'

setDefaultTimeout(120_000)

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

async function withServer(work: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer()
  try {
    await work(server)
  } finally {
    await server.stop()
  }
}

/** Asks until the answer changes: the server keeps the result of its check for a second. */
async function answerOnce(server: TestServer, status: number): Promise<unknown> {
  let answer: { status: number; body: unknown } | undefined
  await until(async () => {
    const response = await server.ask('/health')
    answer = { status: response.status, body: await response.json() }
    return response.status === status
  })
  expect(answer?.status).toBe(status)
  return answer?.body
}

test('a healthy server answers 200 in the format of File Browser', () =>
  withServer(async (server) => {
    for (const method of methods) {
      const response = await server.ask('/health', { method })
      expect([method, response.status, await response.text()]).toEqual([method, 200, '{"status":"OK"}'])
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
  }))

test('a missing served folder is reported with its reason and without its name, until it is back', () =>
  withServer(async (server) => {
    await answerOnce(server, 200)
    renameSync(server.root, `${server.root}-away`)
    const body = await answerOnce(server, 503)
    expect(body).toEqual({ status: 'Unavailable', reason: 'The served folder is not there' })
    expect(Bun.inspect(server.logged)).toContain('The served folder is not there')
    renameSync(`${server.root}-away`, server.root)
    expect(await answerOnce(server, 200)).toEqual({ status: 'OK' })
    rmdirSync(server.root)
    await Bun.file(server.root).writer().end()
    expect(await answerOnce(server, 503)).toEqual(body)
  }))

test.skipIf(isOnPostgres)('a removed or replaced database file is reported', () =>
  withServer(async (server) => {
    await answerOnce(server, 200)
    const file = join(server.root, '../filestead.db')
    renameSync(file, `${file}-away`)
    const reason = 'The file of the database has been removed or replaced'
    expect(await answerOnce(server, 503)).toEqual({ status: 'Unavailable', reason })
    mkdirSync(file)
    expect(await answerOnce(server, 503)).toEqual({ status: 'Unavailable', reason })
  }),
)

test('an unreadable database is reported', () =>
  withServer(async (server) => {
    await answerOnce(server, 200)
    await server.app.deps.db.schema.dropTable('setting').execute()
    expect(await answerOnce(server, 503)).toEqual({ status: 'Unavailable', reason: 'The database cannot be read' })
  }))
