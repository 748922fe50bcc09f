import { afterAll, beforeEach, expect, test } from 'bun:test'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ShareLink } from '@filestead/contract'
import { joinNodes } from '../src/nodes/node.ts'
import { parsePath } from '../src/storage/path.ts'
import { jsonIn, statusOf } from './answers.ts'
import { isOnPostgres } from './database.ts'
import { type Ask, startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('admin', { isAdmin: true })
await server.addUser('alice', { scope: '/home' })
const [admin, alice] = [await server.as('admin'), await server.as('alice')]

beforeEach(async () => {
  rmSync(`${server.root}/home`, { recursive: true, force: true })
  await server.app.deps.db.deleteFrom('share').execute()
  await server.app.deps.db.deleteFrom('change').execute()
  server.put({
    'home/a.txt': 'A',
    'home/ab.txt': 'AB',
    'home/d/in.txt': 'in',
    'home/d/e/f.txt': 'f',
    'home/dd/x.txt': 'x',
  })
})

const share = async (ask: Ask, path: string) =>
  (await jsonIn<ShareLink>(ask(`/api/share${path}`, { method: 'POST', body: '{}' }))).hash
const move = (ask: Ask, from: string, to: string, more = '') =>
  statusOf(ask(`/api/resources${from}?action=rename&destination=${encodeURIComponent(to)}${more}`, { method: 'PATCH' }))
const remove = (ask: Ask, path: string) => statusOf(ask(`/api/resources${path}`, { method: 'DELETE' }))
const put = (ask: Ask, path: string, body: string) => statusOf(ask(`/api/resources${path}`, { method: 'POST', body }))
const pathOf = async (hash: string) =>
  (await jsonIn<ShareLink[]>(admin('/api/shares'))).find((link) => link.hash === hash)?.path
const textOf = async (hash: string, rest = '') => {
  const response = await server.ask(`/api/public/dl/${hash}${rest}`)
  return response.ok ? response.text() : response.status
}

test('a share follows its renamed file, and a new file with the old name is not shared', async () => {
  const hash = await share(alice, '/a.txt')
  expect(await move(alice, '/a.txt', '/moved.txt')).toBe(200)
  expect(await put(alice, '/a.txt', 'PRIVATE')).toBe(200)
  expect([await pathOf(hash), await textOf(hash)]).toEqual(['/moved.txt', 'A'])
})

test('shares below a moved folder follow it, and shares of names with the same prefix stay', async () => {
  const [folder, inner, file, alike] = [
    await share(alice, '/d'),
    await share(admin, '/home/d/e'),
    await share(alice, '/d/e/f.txt'),
    await share(alice, '/dd'),
  ]
  expect(await move(alice, '/d/', '/box/new')).toBe(200)
  expect(await pathOf(folder)).toBe('/box/new')
  expect(await pathOf(inner)).toBe('/home/box/new/e')
  expect(await pathOf(file)).toBe('/box/new/e/f.txt')
  expect(await pathOf(alike)).toBe('/dd')
  expect([await textOf(inner, '/f.txt'), await textOf(file)]).toEqual(['f', 'f'])
})

test('a share follows a move that chose a free name', async () => {
  const hash = await share(alice, '/a.txt')
  expect(await move(alice, '/a.txt', '/ab.txt', '&rename=true')).toBe(200)
  expect([await pathOf(hash), await textOf(hash)]).toEqual(['/ab(1).txt', 'A'])
})

test('a share ends when its file leaves the scope of the owner', async () => {
  const [own, foreign] = [await share(alice, '/a.txt'), await share(admin, '/home/a.txt')]
  expect(await move(admin, '/home/a.txt', '/outside.txt')).toBe(200)
  expect([await pathOf(own), await pathOf(foreign)]).toEqual([undefined, '/outside.txt'])
  const root = await share(alice, '/')
  expect(await move(admin, '/home', '/elsewhere')).toBe(200)
  expect(await pathOf(root)).toBeUndefined()
  await move(admin, '/elsewhere', '/home')
})

test('removing a file or folder ends its shares of all owners, and no others', async () => {
  const gone = [await share(alice, '/d'), await share(alice, '/d/in.txt'), await share(admin, '/home/d/e/f.txt')]
  const kept = [await share(alice, '/dd'), await share(admin, '/home'), await share(alice, '/a.txt')]
  expect(await remove(alice, '/d/')).toBe(204)
  expect(await put(alice, '/d/in.txt', 'PRIVATE')).toBe(200)
  for (const hash of gone) expect([await pathOf(hash), await textOf(hash)]).toEqual([undefined, 404])
  for (const hash of kept) expect(await pathOf(hash)).toBeString()
})

test('a file replaced by a move loses its share, and the moved file keeps its own', async () => {
  const [replaced, moved] = [await share(alice, '/ab.txt'), await share(alice, '/a.txt')]
  expect(await move(alice, '/a.txt', '/ab.txt', '&override=true')).toBe(200)
  expect([await textOf(replaced), await textOf(moved)]).toEqual([404, 'A'])
})

test('merged folders keep their shares, and files replaced in them lose theirs', async () => {
  server.put({ 'home/d/x.txt': 'other', 'home/dd/kept.txt': 'kept' })
  const [folder, replaced, kept] = [
    await share(alice, '/dd'),
    await share(alice, '/dd/x.txt'),
    await share(alice, '/dd/kept.txt'),
  ]
  const moved = await share(alice, '/d/x.txt')
  expect(await move(alice, '/d', '/dd', '&override=true')).toBe(200)
  expect(await textOf(replaced)).toBe(404)
  expect([await textOf(folder, '/in.txt'), await textOf(kept), await textOf(moved)]).toEqual(['in', 'kept', 'other'])
})

test('a saved file keeps its share', async () => {
  const hash = await share(alice, '/a.txt')
  expect(await statusOf(alice('/api/resources/a.txt', { method: 'PUT', body: 'saved' }))).toBe(200)
  expect(await textOf(hash)).toBe('saved')
  expect(await put(alice, '/a.txt?override=true', 'uploaded')).toBe(200)
  expect(await textOf(hash)).toBe('uploaded')
})

test('a refused change leaves the shares unchanged', async () => {
  const [one, two] = [await share(alice, '/a.txt'), await share(alice, '/ab.txt')]
  expect(await move(alice, '/a.txt', '/ab.txt')).toBe(409)
  expect(await move(alice, '/a.txt', '/d', '&override=true')).toBe(409)
  expect(await move(alice, '/a.txt', '/a.txt')).toBe(200)
  expect(await remove(alice, '/none')).toBe(404)
  expect([await textOf(one), await textOf(two)]).toEqual(['A', 'AB'])
})

test('a share of a symlink follows the symlink, and a share through a symlink follows its file', async () => {
  server.link('d', 'home/way')
  const [through, link] = [await share(alice, '/way/in.txt'), await share(alice, '/way')]
  expect(await move(alice, '/d/in.txt', '/out.txt')).toBe(200)
  expect([await pathOf(through), await textOf(through)]).toEqual(['/out.txt', 'in'])
  expect(await move(alice, '/way', '/path')).toBe(200)
  expect([await pathOf(link), await textOf(link, '/e/f.txt')]).toEqual(['/path', 'f'])
  expect(await remove(alice, '/d')).toBe(204)
  expect(await textOf(link)).toBe(404)
})

test('a share created while its file moves away is refused, and a new file with the name is not shared', async () => {
  // Hashing its password keeps it waiting between the look at the file and its row.
  const body = JSON.stringify({ password: 'correct horse' })
  const making = alice('/api/share/a.txt', { method: 'POST', body })
  let isMade = false
  void making.then(() => {
    isMade = true
  })
  for (let turn = 0; !isMade; turn += 1) {
    const [from, to] = turn % 2 === 0 ? ['/a.txt', '/b.txt'] : ['/b.txt', '/a.txt']
    expect(await move(alice, from, to)).toBe(200)
  }
  const { status } = await making
  const links = await jsonIn<ShareLink[]>(admin('/api/shares'))
  expect([status, links.length]).toBeOneOf([
    [200, 1],
    [404, 0],
  ])
  for (const { path } of links) expect(server.file(`home${path}`)).toBe('A')
})

/** The state after a crash between the intent and the outcome. */
async function intend(hash: string, node: string, { to, was }: { to: string | null; was: string | null }) {
  const { db } = server.app.deps
  const { location } = await db.selectFrom('share').selectAll().where('hash', '=', hash).executeTakeFirstOrThrow()
  const id = Bun.randomUUIDv7()
  const notes = JSON.stringify({ shares: [{ hash, location, to, was }] })
  const made = {
    user_id: 1,
    username: 'alice',
    door: 'web',
    from_location: location,
    to_location: to,
    size: null,
    began_at: 0,
  }
  await db
    .insertInto('change')
    .values({ ...made, id, node, kind: to === null ? 'remove' : 'move', notes })
    .execute()
  await db.updateTable('share').set({ change_id: id }).where('hash', '=', hash).execute()
}

const identityOf = async (path: string) => {
  const entry = await server.app.deps.storageAt('/home').stat(parsePath(path))
  return `${entry.id} ${entry.version}`
}
const intents = async () => (await server.app.deps.db.selectFrom('change').selectAll().execute()).length
const dead = '1:1'

test('a share whose file was moving during a crash is suspended, and follows its file afterwards', async () => {
  const [before, after, gone] = [
    await share(alice, '/a.txt'),
    await share(alice, '/ab.txt'),
    await share(alice, '/dd/x.txt'),
  ]
  const was = { a: await identityOf('/a.txt'), ab: await identityOf('/ab.txt'), x: await identityOf('/dd/x.txt') }
  await intend(before, dead, { to: '/home/never.txt', was: was.a })
  await intend(after, dead, { to: '/home/moved.txt', was: was.ab })
  await intend(gone, dead, { to: null, was: was.x })
  renameSync(join(server.root, 'home/ab.txt'), join(server.root, 'home/moved.txt'))
  rmSync(join(server.root, 'home/dd/x.txt'))
  server.put({ 'home/ab.txt': 'PRIVATE', 'home/dd/x.txt': 'PRIVATE' })
  expect([await textOf(before), await textOf(after), await textOf(gone)]).toEqual([404, 404, 404])
  await server.app.tidy()
  expect([await textOf(before), await textOf(after), await textOf(gone)]).toEqual(['A', 'AB', 404])
  expect([await pathOf(after), await pathOf(gone), await intents()]).toEqual(['/moved.txt', undefined, 0])
})

test('a share suspended by an unknown change ends', async () => {
  const hash = await share(alice, '/a.txt')
  await server.app.deps.db.updateTable('share').set({ change_id: 'none' }).where('hash', '=', hash).execute()
  expect(await textOf(hash)).toBe(404)
  await server.app.tidy()
  expect(await pathOf(hash)).toBeUndefined()
})

// With PostgreSQL a node is known by its connection: nodes-death.test.ts.
test.skipIf(isOnPostgres)(
  'a share that another server is moving stays suspended until that server is gone',
  async () => {
    const hash = await share(alice, '/ab.txt')
    const another = joinNodes(join(server.root, '../filestead.db-drafts'))
    await intend(hash, another.id, { to: '/home/moved.txt', was: await identityOf('/ab.txt') })
    await server.app.tidy()
    expect([await intents(), await textOf(hash)]).toEqual([1, 404])
    await another.leave()
    await server.app.tidy()
    expect([await intents(), await textOf(hash)]).toEqual([0, 'AB'])
  },
)
