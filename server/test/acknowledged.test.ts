import { Database as Sqlite } from 'bun:sqlite'
import { afterAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, linkSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { durable } from '../src/database/port.ts'
import { until } from './process.ts'
import { password, startServer } from './server.ts'
import { tusOf } from './tus.ts'

setDefaultTimeout(120_000)

// ARCHITECTURE.md, "What is durable when it is acknowledged": a line there, a test here.

const folder = mkdtempSync(join(tmpdir(), 'filestead-cut-'))
const database = join(folder, 'filestead.db')
/** What a power cut leaves in the worst case: all that was synced, and nothing that was written since. One file a sync. */
const cuts: string[] = []
let made = 0
const server = await startServer({
  database,
  synced() {
    made += 1
    const cut = join(folder, `cut-${made}`)
    for (const end of ['', '-wal']) copyFileSync(`${database}${end}`, `${cut}${end}`)
    cuts.push(cut)
  },
})
await server.addUser('ann')
await server.addUser('root', { isAdmin: true })
const root = await server.as('root')
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})
beforeEach(() => settled())

/** Counts everything written by the set-up of a test as synced, and nothing after it. */
async function settled(): Promise<void> {
  await durable(server.app.deps.db)
  cuts.splice(0, cuts.length - 1)
}

function rowsAfter(cut: string | undefined, query: string): unknown[] {
  const sqlite = new Sqlite(cut ?? '', { readonly: true })
  try {
    return sqlite.query(query).all()
  } finally {
    sqlite.close()
  }
}
const afterPowerCut = (query: string) => rowsAfter(cuts.at(-1), query)
const sessionsOf = (name: string) =>
  afterPowerCut(`select session.id from session join user on user.id = user_id where username = '${name}'`)

test('a sign-in is not synced, so a power cut undoes it', async () => {
  const before = sessionsOf('ann').length
  await server.signIn('ann')
  expect(sessionsOf('ann')).toHaveLength(before)
  await settled()
  expect(sessionsOf('ann')).toHaveLength(before + 1)
})

test('ending a session, another session or all others is synced before the answer', async () => {
  const [one, , three] = [await server.as('ann'), await server.as('ann'), await server.as('ann')]
  await settled()
  const known = sessionsOf('ann').length
  expect((await three('/api/logout', { method: 'POST' })).status).toBe(200)
  expect(sessionsOf('ann')).toHaveLength(known - 1)
  const sessions = (await (await one('/api/sessions')).json()) as { id: string; current: boolean }[]
  const { id } = sessions.find(({ current }) => !current) as { id: string }
  expect((await one(`/api/sessions/${id}`, { method: 'DELETE' })).status).toBe(200)
  expect(sessionsOf('ann')).toHaveLength(known - 2)
  await server.as('ann')
  expect((await one('/api/sessions', { method: 'DELETE' })).status).toBe(200)
  expect(sessionsOf('ann')).toHaveLength(1)
})

test('a new password and the end of the older sessions are synced before the answer', async () => {
  await server.addUser('bob')
  await server.signIn('bob')
  await settled()
  const [before] = afterPowerCut("select id, password_hash from user where username = 'bob'") as [
    { id: number; password_hash: string },
  ]
  expect(sessionsOf('bob')).toHaveLength(1)
  const body = JSON.stringify({
    what: 'user',
    which: ['password'],
    current_password: password,
    data: { id: before.id, password: 'another horse battery' },
  })
  expect((await root(`/api/users/${before.id}`, { method: 'PUT', body })).status).toBe(200)
  const [after] = afterPowerCut("select password_hash from user where username = 'bob'")
  expect(after).not.toEqual({ password_hash: before.password_hash })
  expect(sessionsOf('bob')).toEqual([])
})

test('creating and removing a user are synced before the answer', async () => {
  const data = { username: 'eve', password: 'another horse battery', scope: '/', perm: {} }
  const body = JSON.stringify({ what: 'user', which: [], current_password: password, data })
  expect((await root('/api/users', { method: 'POST', body })).status).toBe(201)
  const [eve] = afterPowerCut("select id from user where username = 'eve'") as [{ id: number }]
  const removal = { method: 'DELETE', body: JSON.stringify({ current_password: password }) }
  expect((await root(`/api/users/${eve.id}`, removal)).status).toBe(200)
  expect(afterPowerCut("select id from user where username = 'eve'")).toEqual([])
})

test('a change of the settings is synced before the answer', async () => {
  const wanted = (await (await root('/api/settings')).json()) as object
  const body = JSON.stringify({ ...wanted, createUserDir: true })
  expect((await root('/api/settings', { method: 'PUT', body })).status).toBe(200)
  const [row] = afterPowerCut("select value from setting where name = 'settings'") as [{ value: string }]
  expect(JSON.parse(row.value)).toMatchObject({ createUserDir: true })
})

test('a new share, its suspension before its file changes, and its end are synced', async () => {
  const ann = await server.as('ann')
  server.put({ 'shared.txt': 'shared' })
  expect((await ann('/api/share/shared.txt', { method: 'POST', body: '{}' })).status).toBe(200)
  const doubts = 'select change_id is not null as isShut from share'
  expect(afterPowerCut(doubts)).toEqual([{ isShut: 0 }])
  cuts.splice(0)
  expect((await ann('/api/resources/shared.txt', { method: 'DELETE' })).status).toBe(204)
  expect(cuts.map((cut) => rowsAfter(cut, doubts))).toContainEqual([{ isShut: 1 }])
  expect(afterPowerCut(doubts)).toEqual([])

  server.put({ 'again.txt': 'again' })
  const response = await ann('/api/share/again.txt', { method: 'POST', body: '{}' })
  const { hash } = (await response.json()) as { hash: string }
  expect((await ann(`/api/share/${hash}`, { method: 'DELETE' })).status).toBe(200)
  expect(afterPowerCut('select hash from share')).toEqual([])
})

test('a part of an upload is synced behind its sender, who goes on after a power cut from what was', async () => {
  const ann = await server.as('ann')
  const tus = tusOf(ann)
  expect((await tus.create('/part.bin', 10)).status).toBe(201)
  expect((await tus.append('/part.bin', 0, 'half ')).status).toBe(204)
  expect(afterPowerCut('select location from upload')).toEqual([])
  const rows = () => afterPowerCut('select location, synced from upload')
  await until(() => rows().length > 0)
  expect(rows()).toEqual([{ location: '/part.bin', synced: 5 }])

  // Two more bytes arrive, of which a power cut leaves garbage.
  expect((await tus.append('/part.bin', 5, '??')).status).toBe(204)
  await server.app.deps.db.updateTable('upload').set({ kernel: 'of the last boot' }).execute()
  expect(await tus.offset('/part.bin')).toBe(5)
  expect((await tus.append('/part.bin', 7, 'end')).status).toBe(409)
  expect((await tus.append('/part.bin', 5, 'more.')).status).toBe(204)
  expect(server.file('part.bin')).toBe('half more.')
})

test('the row of a draft is synced before its bytes are copied into a file that a rename cannot replace', async () => {
  const ann = await server.as('ann')
  server.put({ 'one.txt': 'before' })
  linkSync(join(server.root, 'one.txt'), join(server.root, 'two.txt'))
  cuts.splice(0)
  expect((await ann('/api/resources/one.txt', { method: 'PUT', body: 'after' })).status).toBe(200)
  const targets = cuts.map((cut) => rowsAfter(cut, 'select target from draft where target is not null'))
  expect(targets).toContainEqual([{ target: join(server.root, 'one.txt') }])
  expect(server.file('two.txt')).toBe('after')
})
