import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ShareLink } from '@filestead/contract'
import { openOperations } from '../src/history/operations/store.ts'
import { jsonIn, statusOf } from './answers.ts'
import { until } from './process.ts'
import { operationsOf, startJob } from './random-changes.ts'
import { type Ask, password, startServer, type TestServer } from './server.ts'
import { tusOf } from './tus.ts'

/** A statement that was executed, and how many rows it returned. */
interface Executed {
  readonly sql: string
  readonly rows: number
}

let executed: Executed[] = []
const prepare = Database.prototype.prepare

// The server prepares every statement on its connections.
Database.prototype.prepare = function (this: Database, sql: string, ...rest: []) {
  const statement = prepare.call(this, sql, ...rest)
  for (const method of ['all', 'get', 'run', 'values'] as const) {
    const execute = statement[method].bind(statement) as (...parameters: unknown[]) => unknown
    const counted = (...parameters: unknown[]) => {
      const result = execute(...parameters)
      // Checks of the database file run beside the requests, on a timer.
      if (!/^pragma/i.test(sql)) executed.push({ sql, rows: Array.isArray(result) ? result.length : 1 })
      return result
    }
    Object.defineProperty(statement, method, { value: counted })
  }
  return statement
} as typeof prepare

let server: TestServer
let alice: Ask
let link: ShareLink
beforeAll(async () => {
  server = await startServer()
  await server.addUser('alice')
  alice = await server.as('alice')
  server.put({ 'shared/a.txt': 'a', 'box/a.txt': 'a' })
  link = await jsonIn<ShareLink>(alice('/api/share/shared', { method: 'POST', body: '{}' }))
  expect((await tusOf(alice).create('/box/unfinished.bin', 5)).status).toBe(201)
})
afterAll(async () => {
  Database.prototype.prepare = prepare
  await server.stop()
})

const logIn = (username: string, secret: string) =>
  server.ask('/api/login', { method: 'POST', body: JSON.stringify({ username, password: secret }) })

const deletedUploads = () => executed.filter(({ sql }) => sql.startsWith('delete from "upload" where "id" in')).length

/** Requests for one file, one account or one link. Each leaves the state unchanged. */
const requests: Record<string, () => Promise<number>> = {
  list: () => statusOf(alice('/api/resources/')),
  read: () => statusOf(alice('/api/raw/box/a.txt')),
  save: () => statusOf(alice('/api/resources/box/a.txt', { method: 'PUT', body: 'a' })),
  create: () => statusOf(alice('/api/resources/box/new.txt?override=true', { method: 'POST', body: 'a' })),
  rename: () => statusOf(alice('/api/resources/box?action=rename&destination=%2Fbox2', { method: 'PATCH' })),
  renameBack: () => statusOf(alice('/api/resources/box2?action=rename&destination=%2Fbox', { method: 'PATCH' })),
  delete: () => statusOf(alice('/api/resources/box/new.txt', { method: 'DELETE' })),
  upload: async () => {
    const before = deletedUploads()
    // A small one has no row.
    const content = 'x'.repeat(100_000)
    const { status } = await tusOf(alice).create('/box/tus.txt', content.length)
    const last = await tusOf(alice).append('/box/tus.txt', 0, content)
    // The row of a complete upload is deleted a moment later, together with others.
    await until(() => deletedUploads() > before)
    return last.status === 204 ? status : 0
  },
  deleteUploaded: () => statusOf(alice('/api/resources/box/tus.txt', { method: 'DELETE' })),
  share: () => statusOf(alice('/api/share/box/a.txt')),
  visit: () => statusOf(server.ask(`/api/public/share/${link.hash}`)),
  download: () => statusOf(server.ask(`/api/public/dl/${link.hash}/a.txt`)),
  signIn: () => statusOf(logIn('alice', password)),
  preferences: () => {
    const body = { what: 'user', which: ['viewMode'], data: { id: link.userID, viewMode: 'mosaic' } }
    return statusOf(alice(`/api/users/${link.userID}`, { method: 'PUT', body: JSON.stringify(body) }))
  },
  wrong: () => statusOf(logIn('alice', 'wrong')),
  stranger: () => statusOf(logIn('stranger', 'wrong')),
}

interface Measured {
  readonly status: number
  readonly statements: string[]
  readonly rows: number
}

/** The statements that each request executed, and how many rows they returned. */
async function measured(): Promise<Record<string, Measured>> {
  // The first round fills caches and clears the table of attempts, which happens once a minute.
  for (const ask of Object.values(requests)) await ask()
  const found: Record<string, Measured> = {}
  for (const [name, ask] of Object.entries(requests)) {
    executed = []
    const status = await ask()
    // The row of a finished upload is deleted a moment later, during whichever request that is.
    // What comes in one turn of the event loop shares a transaction, which depends on the moment.
    const ofRequest = executed.filter(({ sql }) => !/^(delete from "upload"|begin|commit)/.test(sql))
    const statements = ofRequest.map(({ sql }) => sql).sort()
    found[name] = { status, statements, rows: ofRequest.reduce((sum, { rows }) => sum + rows, 0) }
  }
  return found
}

/** 10,000 users with a session and a link each, 100,000 unfinished uploads in their scopes, and 100,000 attempts. */
function grow(): void {
  const db = new Database(`${server.root}/../filestead.db`)
  const numbers = (most: number) => `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${most})`
  const copyOf = (table: string, where: string, changed: Record<string, string>, most: number) => {
    const columns = (db.query(`pragma table_info("${table}")`).all() as { name: string }[]).map(({ name }) => name)
    const values = columns.map((column) => changed[column] ?? `t."${column}"`)
    const names = columns.map((column) => `"${column}"`).join()
    db.run(
      `${numbers(most)} insert into "${table}" (${names}) select ${values.join()} from n, (select * from "${table}" where ${where} limit 1) t`,
    )
  }
  db.run('begin')
  copyOf('user', "username = 'alice'", { id: '1000 + i', username: "'user ' || i", scope: "'/user ' || i" }, 10_000)
  copyOf('session', '1', { id: "'session ' || i", user_id: '1000 + i' }, 10_000)
  copyOf('share', '1', { hash: "'hash ' || i", user_id: '1000 + i', path: "'/elsewhere ' || i" }, 10_000)
  const upload = { id: "'upload ' || i", scope: "'/user ' || (i % 10000)", path: "'/in/' || i", place: "'/in/' || i" }
  copyOf('upload', '1', upload, 100_000)
  copyOf('attempt', '1', { target: "'target ' || i" }, 99_000)
  db.run('commit')
  db.close()
}

test('a request runs as many statements and reads as many rows with 10,000 users and links and 100,000 uploads and attempts as with few', async () => {
  const few = await measured()
  expect(Object.values(few).filter(({ statements }) => statements.length > 0)).not.toEqual([])
  grow()
  expect(await measured()).toEqual(few)
}, 120_000)

/** Statements that read a whole table of these, as SQLite plans them. */
function scansOf(tables: string, { root }: TestServer): string[] {
  const statements = [...new Set(executed.map(({ sql }) => sql))].filter((sql) =>
    /^(select|insert|update|delete)/i.test(sql),
  )
  expect(statements.length).toBeGreaterThan(10)
  const db = new Database(`${root}/../filestead.db`, { readonly: true })
  const scans = statements.flatMap((sql) =>
    (prepare.call(db, `explain query plan ${sql}`).all() as { detail: string }[])
      .filter(({ detail }) => new RegExp(`^SCAN (${tables})\\b`).test(detail))
      .map(({ detail }) => `${detail}: ${sql}`),
  )
  db.close()
  return scans
}

test('no request scans the table of users, sessions, links, uploads or attempts', async () => {
  executed = []
  for (const ask of Object.values(requests)) await ask()
  expect(scansOf('user|session|share|upload|attempt', server)).toEqual([])
})

test('taking back, and taking that back again and again, scans no table of what was done', async () => {
  await using keeping = await startServer({ history: { trash: 'on', versions: true } })
  await keeping.addUser('bob')
  const bob = await keeping.as('bob')
  keeping.put({ 'a.txt': 'a', 'box/b.txt': 'b', 'box/in/c.txt': 'c' })
  executed = []
  for (const name of ['a.txt', 'box']) {
    expect(await statusOf(bob(`/api/resources/${name}`, { method: 'DELETE' }))).toBe(204)
    const [removal] = await operationsOf(bob)
    for (let undone = removal?.id ?? '', round = 0; round < 5; round += 1) {
      const { id, state, failures } = await startJob(bob, { kind: 'undo', operation: undone })
      expect([name, round, state, failures]).toEqual([name, round, 'done', []])
      undone = id
    }
  }
  // What dead servers had begun is looked for in every round of the cleanup.
  await openOperations(keeping.app.deps.db)
  expect(scansOf('operation(?! USING INDEX operation_node)|known_item', keeping)).toEqual([])
})
