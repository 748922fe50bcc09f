import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setReadOnly } from './broken-writes.ts'
import { draftsBelow } from './disk.ts'
import { until } from './process.ts'
import { type Ask, startServer, type TestServer } from './server.ts'

setDefaultTimeout(120_000)

let server: TestServer
let ann: Ask

beforeEach(async () => {
  server = await startServer()
  await server.addUser('ann')
  ann = await server.as('ann')
  server.put({ 'note.txt': 'note', 'box/in.txt': 'in', 'shared.txt': 'shared' })
})
afterEach(() => server.stop())

/** Every write is refused, as it is on a volume that has become read-only. */
const writable = (isIt: boolean) => setReadOnly(server.app.deps.db, !isIt)

const share = async (path: string, terms: object = {}): Promise<string> => {
  const made = await ann(`/api/share${path}`, { method: 'POST', body: JSON.stringify(terms) })
  return ((await made.json()) as { hash: string }).hash
}

test('list, read, delete, shares and sign-in work with a read-only database', async () => {
  const link = await share('/shared.txt')
  const short = await share('/note.txt', { expires: '1', unit: 'hours' })
  await writable(false)
  for (const later of [0, 61, 3600]) {
    server.clock.now += later
    server.put({ 'box/in.txt': 'in', 'lone.txt': 'alone' })
    expect((await ann('/api/resources/')).status).toBe(200)
    expect(await (await ann('/api/raw/note.txt')).text()).toBe('note')
    for (const name of ['box', 'lone.txt']) {
      expect((await ann(`/api/resources/${name}`, { method: 'DELETE' })).status).toBe(204)
      expect(existsSync(join(server.root, name))).toBe(false)
    }
    expect(draftsBelow(server.root)).toEqual([])
    expect(await (await server.ask(`/api/public/dl/${link}`)).text()).toBe('shared')
    ann = await server.as('ann')
    const body = JSON.stringify({ username: 'ann', password: 'wrong' })
    expect((await server.ask('/api/login', { method: 'POST', body })).status).toBe(403)
    expect((await ann('/api/resources/note.txt', { method: 'PUT', body: 'changed' })).status).toBe(503)
  }
  // Its time is up, though its row cannot be deleted.
  expect((await server.ask(`/api/public/dl/${short}`)).status).toBe(404)
  const listed = (await (await ann('/api/shares')).json()) as { hash: string }[]
  expect(listed.map(({ hash }) => hash)).toEqual([link])
})

test('/health reports that the database cannot be written', async () => {
  await writable(false)
  const response = await server.ask('/health')
  expect([response.status, await response.json()]).toEqual([
    503,
    { status: 'Unavailable', reason: 'The database cannot be written' },
  ])
})

test('sign-out with a read-only database ends the session at once and reports that it was not stored', async () => {
  const token = await server.signIn('ann')
  const again: Ask = (path, init) => server.ask(path, { ...init, headers: { 'x-auth': token } })
  await writable(false)
  expect((await again('/api/logout', { method: 'POST' })).status).toBe(503)
  expect((await again('/api/resources/')).status).toBe(401)
  await writable(true)
  server.clock.now += 60
  expect((await again('/api/resources/')).status).toBe(401)
  expect((await ann('/api/resources/')).status).toBe(200)
  await until(async () => (await sessionCount()) === 1)
  expect(await sessionCount()).toBe(1)
})

const sessionCount = async () => (await server.app.deps.db.selectFrom('session').selectAll().execute()).length

test('a cancelled upload frees its space with a read-only database too', async () => {
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '100000' }
  expect((await ann('/api/tus/film.mkv', { method: 'POST', headers })).status).toBe(201)
  expect(draftsBelow(server.root)).toHaveLength(1)
  await writable(false)
  expect((await ann('/api/tus/film.mkv', { method: 'DELETE', headers: { 'tus-resumable': '1.0.0' } })).status).toBe(204)
  expect(draftsBelow(server.root)).toEqual([])
  expect((await ann('/api/tus/film.mkv', { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } })).status).toBe(404)
})
