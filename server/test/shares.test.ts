import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ShareLink, User } from '@filestead/contract'
import { actorOf } from '../src/access/actor.ts'
import { listShares } from '../src/shares/shares.ts'
import { jsonIn, statusOf } from './answers.ts'
import { type Ask, startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
let alice: Ask
let bob: Ask
let admin: Ask

beforeAll(async () => {
  server.put({ 'a.txt': 'A', 'alice/own.txt': 'own', 'alice/d/in.txt': 'in', 'secret/s.txt': 's' })
  await server.addUser('admin', { isAdmin: true })
  await server.addUser('alice', { scope: '/alice' })
  await server.addUser('bob', { rules: [{ regex: false, allow: false, path: '/secret', regexp: { raw: '' } }] })
  await server.addUser('no-share', { lacks: ['share'] })
  ;[alice, bob, admin] = [await server.as('alice'), await server.as('bob'), await server.as('admin')]
})

const post = (ask: Ask, path: string, terms: unknown = {}) =>
  ask(`/api/share${path}`, { method: 'POST', body: typeof terms === 'string' ? terms : JSON.stringify(terms) })
const share = (ask: Ask, path: string, terms?: unknown) => jsonIn<ShareLink>(post(ask, path, terms))
const drop = (ask: Ask, hash: string) => statusOf(ask(`/api/share/${hash}`, { method: 'DELETE' }))
const hashesIn = async (pending: Promise<Response>) => (await jsonIn<ShareLink[]>(pending)).map(({ hash }) => hash)

test('a share has a new link of 128 random bits', async () => {
  const link = await share(alice, '/own.txt')
  expect(link).toEqual({
    hash: expect.stringMatching(/^[\w-]{22}$/),
    path: '/own.txt',
    userID: 2,
    expire: 0,
    hasPassword: false,
    created: server.clock.now,
  })
  expect((await share(alice, '/own.txt')).hash).not.toBe(link.hash)
  expect(await share(alice, '/d/')).toMatchObject({ path: '/d' })
  expect(await share(alice, '/')).toMatchObject({ path: '/' })
  expect(await share(alice, '')).toMatchObject({ path: '/' })
})

test.each([
  [{ expires: '90', unit: 'seconds' }, 90],
  [{ expires: '2', unit: 'minutes' }, 120],
  [{ expires: '1' }, 3600],
  [{ expires: 5, unit: '' }, 18_000],
  [{ expires: '3', unit: 'days' }, 259_200],
])('a share with %j expires after %i seconds', async (terms, seconds) => {
  expect((await share(alice, '/own.txt', terms)).expire).toBe(server.clock.now + seconds)
})

test('a share has the label that its owner gave it, and links without one have none', async () => {
  const { hash, label } = await share(alice, '/d/in.txt', { label: ' for the family ' })
  expect(label).toBe('for the family')
  const plain = await share(alice, '/d/in.txt')
  const links = await jsonIn<ShareLink[]>(alice('/api/share/d/in.txt'))
  expect(links.find((link) => link.hash === hash)).toMatchObject({ label: 'for the family', created: server.clock.now })
  expect(links.find((link) => link.hash === plain.hash)).not.toHaveProperty('label')
  expect(await statusOf(post(alice, '/d/in.txt', { label: 'x'.repeat(101) }))).toBe(400)
  expect(await statusOf(post(alice, '/d/in.txt', { label: 7 }))).toBe(400)
})

test('the names of a folder that have links of the caller are told, and no others', async () => {
  const namesIn = (ask: Ask, folder: string) => jsonIn<string[]>(ask(`/api/shared${folder}`))
  server.put({ 'carol/a%b_.txt': '', 'carol/sub/in.txt': '', 'carol/sub2/in.txt': '', 'carol/sub/deep/x.txt': '' })
  await server.addUser('carol', { scope: '/carol' })
  const carol = await server.as('carol')
  expect(await namesIn(carol, '/')).toEqual([])
  const { hash } = await share(carol, '/a%25b_.txt')
  await share(carol, '/a%25b_.txt')
  await share(carol, '/sub2/in.txt')
  await share(carol, '/sub/deep')
  const short = await share(carol, '/sub', { expires: '1', unit: 'seconds' })
  await share(admin, '/carol/sub/deep/x.txt')
  expect((await namesIn(carol, '/')).sort()).toEqual(['a%b_.txt', 'sub'])
  expect(await namesIn(carol, '')).toHaveLength(2)
  expect(await namesIn(carol, '/sub/')).toEqual(['deep'])
  expect(await namesIn(carol, '/sub/deep')).toEqual([])
  expect(await namesIn(admin, '/carol/sub/deep')).toEqual(['x.txt'])
  expect(await namesIn(alice, '/sub')).toEqual([])

  await carol('/api/resources/sub/deep?action=rename&destination=/sub/deeper', { method: 'PATCH' })
  expect(await namesIn(carol, '/sub')).toEqual(['deeper'])
  await drop(carol, hash)
  server.clock.now += 5
  expect(await namesIn(carol, '/')).toEqual(['a%b_.txt'])
  expect(await drop(carol, short.hash)).toBe(404)
  expect(await statusOf((await server.as('no-share'))('/api/shared/'))).toBe(403)
})

test('units in other letter case mean the same', async () => {
  const link = await share(alice, '/own.txt', { Password: 'secret', EXPIRES: '2', Unit: 'minutes' })
  expect(link).toMatchObject({ hasPassword: true, expire: server.clock.now + 120 })
  expect(await share(alice, '/own.txt', { password: 'secret', Password: '' })).toMatchObject({ hasPassword: true })
  expect(await statusOf(post(alice, '/own.txt', { Expires: 'soon' }))).toBe(400)
})

test.each([
  '',
  '{"pass',
  '[]',
  'null',
  '{"expires":"abc"}',
  '{"expires":"-5","unit":"days"}',
  '{"expires":"0"}',
  '{"expires":0}',
  '{"expires":1.5}',
  '{"expires":"1.5"}',
  '{"expires":"999999999999999","unit":"days"}',
  '{"expires":"9223372036854775807","unit":"days"}',
  '{"expires":"1","unit":"fortnights"}',
  '{"password":7}',
])('%p is refused as a share', async (body) => {
  const before = await hashesIn(alice('/api/shares'))
  expect(await statusOf(post(alice, '/own.txt', body))).toBe(400)
  expect(await hashesIn(alice('/api/shares'))).toEqual(before)
})

test('only an existing and visible entry can be shared', async () => {
  expect(await statusOf(post(alice, '/later.txt'))).toBe(404)
  expect(await statusOf(post(bob, '/secret/s.txt'))).toBe(403)
  expect(await statusOf(post(bob, '/secret/none.txt'))).toBe(403)
  server.link('../secret/s.txt', 'alice/out')
  server.link('secret', 'way-in')
  server.link('nowhere', 'alice/dead')
  expect(await statusOf(post(alice, '/out'))).toBe(403)
  expect(await statusOf(post(bob, '/way-in'))).toBe(403)
  expect(await statusOf(post(bob, '/way-in/s.txt'))).toBe(403)
  expect(await statusOf(post(alice, '/dead'))).toBe(404)
  expect(await statusOf(post(alice, '/%2e%2e/a.txt'.replaceAll('%2e', '%252e')))).toBe(404)
})

test('the list has the own shares, or all for an administrator, and no secret', async () => {
  const [mine, theirs] = [await share(alice, '/own.txt', { password: 'open sesame' }), await share(bob, '/a.txt')]
  const text = await (await alice('/api/shares')).text()
  const list: ShareLink[] = JSON.parse(text)
  expect(list.map(({ hash }) => hash)).toContain(mine.hash)
  expect(list.map(({ hash }) => hash)).not.toContain(theirs.hash)
  expect(list.find(({ hash }) => hash === mine.hash)).toEqual({ ...mine, hasPassword: true })
  expect(text).not.toMatch(/argon|token|password_hash/)
  const all = await jsonIn<ShareLink[]>(admin('/api/shares'))
  expect(all).toEqual(all.toSorted((a, b) => a.userID - b.userID || a.expire - b.expire || (a.hash < b.hash ? -1 : 1)))
  expect(all.map(({ hash }) => hash)).toEqual(expect.arrayContaining([mine.hash, theirs.hash]))
})

test('the shares of a path are the own ones, and for administrators those of the same entry in any scope', async () => {
  server.put({ 'alice/x/y.txt': 'y' })
  const [first, second] = [await share(alice, '/x/y.txt'), await share(alice, '/x/')]
  expect(await hashesIn(alice('/api/share/x/y.txt'))).toEqual([first.hash])
  expect(await hashesIn(alice('/api/share/x'))).toEqual([second.hash])
  expect(await hashesIn(alice('/api/share/x/'))).toEqual([second.hash])
  expect(await hashesIn(bob('/api/share/alice/x'))).toEqual([])
  expect(await hashesIn(admin('/api/share/alice/x/'))).toEqual([second.hash])
  expect(await hashesIn(admin('/api/share/x'))).toEqual([])
  expect(await hashesIn(alice('/api/share/none'))).toEqual([])
})

test('a link whose file is out of the sight of its owner is listed without path and name, and can be deleted', async () => {
  server.put({ 'moving.txt': 'm', 'secret/': '' })
  const { hash } = await share(bob, '/moving.txt')
  const moved = '/api/resources/moving.txt?action=rename&destination=/secret/elsewhere.txt'
  expect(await statusOf(admin(moved, { method: 'PATCH' }))).toBe(200)
  for (const ask of [bob, admin]) {
    const text = await (await ask('/api/shares')).text()
    expect(text).not.toContain('elsewhere')
    expect((JSON.parse(text) as ShareLink[]).find((link) => link.hash === hash)).toMatchObject({ path: '' })
  }
  expect(await jsonIn<unknown[]>(bob('/api/share/secret/elsewhere.txt'))).toEqual([])
  expect(await jsonIn<unknown[]>(bob('/api/shared/secret'))).toEqual([])
  expect(await jsonIn<ShareLink[]>(admin('/api/share/secret/elsewhere.txt'))).toMatchObject([{ hash, path: '' }])
  expect(await drop(bob, hash)).toBe(200)
})

test('only the owner and administrators can delete a share', async () => {
  const { hash } = await share(alice, '/own.txt')
  expect(await drop(bob, hash)).toBe(403)
  expect(await statusOf(server.ask(`/api/public/dl/${hash}`))).toBe(200)
  expect(await drop(alice, hash)).toBe(200)
  expect(await drop(alice, hash)).toBe(404)
  expect(await drop(admin, (await share(alice, '/own.txt')).hash)).toBe(200)
  expect(await drop(alice, '')).toBe(400)
  expect(await drop(alice, "'%20or%201=1")).toBe(404)
  expect(await statusOf(server.ask(`/api/public/dl/${hash}`))).toBe(404)
})

test('expired shares are removed, in any number', async () => {
  const before = await hashesIn(alice('/api/shares'))
  const links: ShareLink[] = []
  for (let count = 0; count < 4; count += 1) links.push(await share(alice, '/own.txt', { expires: 1, unit: 'seconds' }))
  const [{ hash = '' } = {}] = links
  expect(await statusOf(server.ask(`/api/public/share/${hash}`))).toBe(200)
  server.clock.now += 1
  expect(await statusOf(server.ask(`/api/public/share/${hash}`))).toBe(404)
  expect((await hashesIn(alice('/api/shares'))).sort()).toEqual(before.sort())
  expect(await drop(alice, links[3]?.hash ?? '')).toBe(404)
})

test('a clock that is ahead for a moment ends no share', async () => {
  const { hash } = await share(alice, '/own.txt', { expires: '30', unit: 'days' })
  const { db, clock, access, settings } = server.app.deps
  const everybody = actorOf(
    User.parse({ username: 'x', scope: '/', perm: { admin: true, share: true, download: true } }),
    [],
  )
  server.clock.now += 365 * 86_400
  expect(await statusOf(server.ask(`/api/public/share/${hash}`))).toBe(404)
  expect(
    (await listShares({ db, clock, access, settings }, { actor: everybody })).map((link) => link.hash),
  ).not.toContain(hash)
  server.clock.now -= 365 * 86_400
  expect(await statusOf(server.ask(`/api/public/share/${hash}`))).toBe(200)
  expect(await drop(alice, hash)).toBe(200)
})

test('a user has a limited number of shares, and a rename ends none of the others', async () => {
  await server.addUser('busy', { scope: '/busy' })
  server.put({ 'busy/a.txt': 'a' })
  const busy = await server.as('busy')
  const { db } = server.app.deps
  const { id } = await db.selectFrom('user').select('id').where('username', '=', 'busy').executeTakeFirstOrThrow()
  const row = { user_id: id, expires_at: 0, password_hash: '' }
  for (let from = 0; from < 10_000; from += 500) {
    const some = Array.from({ length: 500 }, (_, index) => from + index)
    await db
      .insertInto('share')
      .values(some.map((at) => ({ ...row, hash: `busy-${at}`, location: `/busy/p${at}/file.txt` })))
      .execute()
  }
  const refused = await post(busy, '/a.txt')
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('10000 links already')])
  expect(await drop(busy, 'busy-7')).toBe(200)
  const { hash } = await share(busy, '/a.txt')
  const renamed = busy('/api/resources/a.txt?action=rename&destination=%2Fb.txt', { method: 'PATCH' })
  expect(await statusOf(renamed)).toBe(200)
  expect(await (await server.ask(`/api/public/dl/${hash}`)).text()).toBe('a')
})

test('every request for shares is refused without the permission to share', async () => {
  const ask = await server.as('no-share')
  for (const path of ['/api/shares', '/api/share/a.txt']) expect(await statusOf(ask(path))).toBe(403)
  expect(await statusOf(post(ask, '/a.txt'))).toBe(403)
  expect(await drop(ask, 'unknown')).toBe(403)
  expect(await statusOf(server.ask('/api/shares'))).toBe(401)
})

test('a link of eight characters from File Browser works like any other', async () => {
  const row = {
    hash: 'aB3_-xYz',
    user_id: 2,
    location: '/alice/d',
    expires_at: 0,
    password_hash: '',
  }
  await server.app.deps.db.insertInto('share').values(row).execute()
  expect(await jsonIn(server.ask('/api/public/share/aB3_-xYz'))).toMatchObject({ name: 'd', numFiles: 1 })
  expect(await statusOf(server.ask('/api/public/share/ab3_-xyz'))).toBe(404)
  expect(await hashesIn(alice('/api/share/d'))).toContain('aB3_-xYz')
  expect(await drop(alice, 'aB3_-xYz')).toBe(200)
})
