import { afterAll, expect, test } from 'bun:test'
import { Client } from 'pg'
import { startPostgres } from './postgres.ts'
import { startServer } from './server.ts'

const postgres = await startPostgres()
afterAll(() => postgres?.end())

/** What the server asks PostgreSQL meanwhile, but for what nodes do every few seconds. */
async function queriesDuring(work: () => Promise<unknown>): Promise<string[]> {
  const asked: string[] = []
  const { query } = Client.prototype
  Client.prototype.query = function (this: Client, ...args: unknown[]) {
    const [first] = args as [string | { text: string }]
    asked.push(typeof first === 'string' ? first : first.text)
    return Reflect.apply(query, this, args)
  } as typeof query
  try {
    await work()
  } finally {
    Client.prototype.query = query
  }
  return asked.filter((text) => !/"node"|"message"|pg_locks/.test(text))
}

test.skipIf(postgres === undefined)('a request that reads asks PostgreSQL once, also beside other nodes', async () => {
  await using server = await startServer({ database: await postgres?.make('queries') })
  server.put({ 'folder/a.txt': 'a', 'b.bin': new Uint8Array(10_000) })
  await server.addUser('ann')
  const ask = await server.as('ann')
  const paths = [
    '/api/resources/folder/',
    '/api/resources/folder/a.txt',
    '/api/raw/b.bin',
    '/api/raw/folder/a.txt?inline=true',
  ]
  const readAll = async () => {
    for (const path of paths) expect((await ask(path)).status, path).toBe(200)
  }
  // The first request reads settings and grants.
  await readAll()
  const alone = await queriesDuring(readAll)
  expect(alone).toHaveLength(paths.length)
  expect(new Set(alone).size).toBe(1)

  const { db, node } = server.app.deps
  // Of another machine, of which only the database tells.
  for (const id of ['process:elsewhere:1:1:1', 'process:elsewhere:1:2:1', 'process:elsewhere:1:3:1'])
    await db
      .insertInto('node')
      .values({
        id,
        host: 'elsewhere',
        kernel: 'elsewhere',
        version: '',
        started_at: 1,
        lease: 'beats',
        beaten_at: 1,
        beats: 1,
      })
      .execute()
  await node.refresh()
  expect(node.others()).toHaveLength(3)
  expect(await queriesDuring(readAll)).toEqual(alone)
})
