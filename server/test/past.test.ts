import { afterAll, beforeEach, expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderResource, Resource } from '@filestead/contract'
import sharp from 'sharp'
import { zipOf } from '../src/archives/reading/archives.fixture.ts'
import { touchAccess } from '../src/database/counters.ts'
import { transaction } from '../src/database/port.ts'
import { actionOf } from '../src/http/actions.ts'
import { Query } from '../src/http/query.ts'
import { jsonIn, statusOf } from './answers.ts'
import { keepByHand, setGrants } from './past-world.ts'
import { startServer } from './server.ts'
import { sendRaw } from './socket.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('ann')
await server.addUser('ben', { scope: '/home/ben' })
await server.addUser('cem', {
  scope: '/home/cem',
  rules: [{ allow: false, path: '/private', regex: false, regexp: null }],
})
const [ann, ben, cem] = [await server.as('ann'), await server.as('ben'), await server.as('cem')]
const { db } = server.app.deps

beforeEach(async () => {
  for (const name of readdirSync(server.root)) rmSync(join(server.root, name), { recursive: true })
  server.put({ 'home/ben/': '', 'home/cem/': '' })
  await db.deleteFrom('kept').execute()
  await db.deleteFrom('former_grant').execute()
  await setGrants(server, [])
})

const textIn = async (pending: Promise<Response>) => (await pending).text()
const namesIn = async (pending: Promise<Response>) =>
  (await jsonIn<FolderResource>(pending)).items.map(({ name }) => name)

test('a folder in the trash is listed, read and searched at the path that it had, and nowhere else', async () => {
  server.put({ 'docs/old/a.txt': 'a', 'docs/old/sub/b.txt': 'b', 'docs/new.txt': 'n' })
  const { id } = await keepByHand(server, { path: '/docs/old' })
  const past = `past=k.${id}`
  const folder = await jsonIn<FolderResource>(ann(`/api/resources/docs/old?${past}`))
  expect([folder.name, folder.path, folder.items.map(({ name }) => name).sort()]).toEqual([
    'old',
    '/docs/old',
    ['a.txt', 'sub'],
  ])
  expect(await textIn(ann(`/api/raw/docs/old/sub/b.txt?${past}`))).toBe('b')
  expect((await jsonIn<Resource>(ann(`/api/resources/docs/old/a.txt?${past}`))).content).toBe('a')
  expect(await textIn(ann(`/api/search/docs/old?query=b&${past}`))).toContain('b.txt')
  expect(await textIn(ann(`/api/folder-size/docs/old?${past}`))).toContain('"files":2')
  expect(await textIn(ann(`/api/raw/docs/old?algo=tar&${past}`))).toContain('b.txt')
  for (const path of ['', '/docs', '/docs/new.txt', '/docs/old2', '/docs/old/none'])
    for (const door of ['/api/resources', '/api/raw'])
      expect([door, path, await statusOf(ann(`${door}${path}?${past}`))]).toEqual([door, path, 404])
  expect(await statusOf(ann('/api/resources/docs/old'))).toBe(404)
})

test('a version is read at its path beside the present content, with ETags of its own, ranges and HEAD', async () => {
  server.put({ 'a.txt': 'older text' })
  const { id } = await keepByHand(server, { path: '/a.txt', store: 'versions' })
  server.put({ 'a.txt': 'newer' })
  const address = `/api/raw/a.txt?past=k.${id}`
  const [now, then] = [await ann('/api/raw/a.txt'), await ann(address)]
  expect([await now.text(), await then.text()]).toEqual(['newer', 'older text'])
  expect(now.headers.get('etag')).not.toBe(then.headers.get('etag'))
  expect(then.headers.get('content-disposition')).toContain('a.txt')
  expect(await textIn(ann(address, { headers: { range: 'bytes=0-4' } }))).toBe('older')
  const head = await ann(address, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '10'])
  const etag = then.headers.get('etag') ?? ''
  expect(await statusOf(ann(address, { headers: { 'if-none-match': etag } }))).toBe(304)
  expect(await statusOf(ann('/api/raw/a.txt', { headers: { 'if-none-match': etag } }))).toBe(200)
  const { checksums } = await jsonIn<Resource>(ann(`/api/resources/a.txt?checksum=md5&past=k.${id}`))
  expect(checksums?.md5).toBe(new Bun.CryptoHasher('md5').update('older text').digest('hex'))
})

test('pictures, their facts, archives and subtitles of the past are those of the past', async () => {
  const picture = (width: number) =>
    sharp({ create: { width, height: 9, channels: 3, background: '#0c0' } })
      .png()
      .toBuffer()
  server.put({
    'box/p.png': await picture(33),
    'box/p.zip': zipOf([{ name: 'inside.txt', content: 'old' }]),
    'box/s.srt': '1\n00:00:01,000 --> 00:00:02,000\nold words\n',
  })
  const { id } = await keepByHand(server, { path: '/box' })
  server.put({ 'box/p.png': await picture(7), 'box/p.zip': zipOf([{ name: 'other.txt', content: 'new' }]) })
  const past = `past=k.${id}`
  expect(await jsonIn<object>(ann(`/api/media/box/p.png?${past}`))).toMatchObject({ width: 33 })
  expect(await jsonIn<object>(ann('/api/media/box/p.png'))).toMatchObject({ width: 7 })
  const named = await ann(`/api/media/box?${past}`, { method: 'POST', body: '{"names":["p.png"]}' })
  expect(await named.json()).toMatchObject([{ name: 'p.png', width: 33 }])
  const sizeOf = async (address: string) => (await sharp(await (await ann(address)).arrayBuffer()).metadata()).width
  expect(await sizeOf(`/api/preview/big/box/p.png?inline=true&${past}`)).toBe(33)
  expect(await sizeOf('/api/preview/big/box/p.png?inline=true')).toBe(7)
  expect(await textIn(ann(`/api/archive/box/p.zip?${past}`))).toContain('inside.txt')
  expect(await textIn(ann('/api/archive/box/p.zip'))).toContain('other.txt')
  expect(await textIn(ann(`/api/archive-file/box/p.zip?inside=/inside.txt&${past}`))).toBe('old')
  expect(await textIn(ann(`/api/subtitle/box/s.srt?${past}`))).toContain('old words')
  const facts = await ann(`/api/entries/box?${past}`, { method: 'POST', body: '{"names":["s.srt"]}' })
  expect(await facts.json()).toMatchObject([{ name: 's.srt' }])
})

test('a page of the past is shown with the same protection as one of the present', async () => {
  server.put({ 'x.html': '<script>alert(1)</script>' })
  const { id } = await keepByHand(server, { path: '/x.html' })
  server.put({ 'x.html': '<script>alert(1)</script>' })
  const headersOf = async (address: string) => {
    const { headers } = await ann(address)
    return [headers.get('content-security-policy'), headers.get('x-content-type-options'), headers.get('content-type')]
  }
  expect(await headersOf(`/api/raw/x.html?inline=true&past=k.${id}`)).toEqual(
    await headersOf('/api/raw/x.html?inline=true'),
  )
})

test('a symlink in the past is listed, and leads nowhere', async () => {
  server.put({ 'secret/s.txt': 'SECRET', 'box/a.txt': 'a' })
  server.link('../secret', 'box/folder')
  server.link('../secret/s.txt', 'box/file')
  const { id } = await keepByHand(server, { path: '/box' })
  const past = `past=k.${id}`
  expect((await namesIn(ann(`/api/resources/box?${past}`))).sort()).toEqual(['a.txt', 'file', 'folder'])
  for (const path of ['file', 'folder', 'folder/s.txt'])
    expect([path, await statusOf(ann(`/api/raw/box/${path}?${past}`))]).toEqual([path, 404])
  for (const address of [`/api/raw/box?algo=tar&${past}`, `/api/search/box?query=s.txt&${past}`])
    expect(await textIn(ann(address))).not.toContain('SECRET')
  expect(await statusOf(ann(`/api/resources/box/folder?${past}`))).toBe(404)
})

test('nothing is changed by a request that names a past', async () => {
  server.put({ 'a.txt': 'older' })
  const { id } = await keepByHand(server, { path: '/a.txt', store: 'versions' })
  server.put({ 'a.txt': 'newer' })
  const past = `past=k.${id}`
  for (const [method, address] of [
    ['PUT', `/api/resources/a.txt?${past}`],
    ['POST', `/api/resources/b.txt?${past}`],
    ['DELETE', `/api/resources/a.txt?${past}`],
    ['PATCH', `/api/resources/a.txt?action=rename&destination=/c.txt&${past}`],
    ['POST', `/api/share/a.txt?${past}`],
    ['PUT', `/api/favourites/?${past}`],
  ] as const)
    expect([address, await statusOf(ann(address, { method, body: method === 'DELETE' ? null : '{}' }))]).toEqual([
      address,
      400,
    ])
  expect(
    readdirSync(server.root)
      .filter((name) => !name.startsWith('.'))
      .sort(),
  ).toEqual(['a.txt', 'home'])
  expect(server.file('a.txt')).toBe('newer')
})

test('a route that reads the past changes nothing', () => {
  const readers = server.app.routes.filter((each) => 'past' in each && each.past === true)
  expect(readers.length).toBeGreaterThan(10)
  for (const { method, path } of readers)
    expect([path, actionOf(method, path.replace('*', ''), () => new Query(''))?.kind]).not.toEqual([path, 'change'])
})

test('a past that is unknown, malformed or of another kind is not there', async () => {
  server.put({ 'a.txt': 'a' })
  for (const past of [
    'k.none',
    'k.',
    'k',
    '',
    'x.1',
    's.1.none',
    's.99.none',
    's.1.../..',
    '%00',
    'k.%2e%2e%2f',
    'k.1%00',
  ])
    expect([past, await statusOf(ann(`/api/raw/a.txt?past=${past}`))]).toEqual([past, 404])
})

test('no path leads out of a kept item', async () => {
  server.put({ 'secret.txt': 'SECRET', 'box/a.txt': 'a', 'other.txt': 'SECRET' })
  await keepByHand(server, { path: '/other.txt' })
  const { id } = await keepByHand(server, { path: '/box' })
  const token = await server.signIn('ann')
  const raw = (path: string) => sendRaw(server.url, 'GET', `/api/raw${path}?past=k.${id}`, { 'x-auth': token })
  expect((await raw('/box/a.txt')).body).toBe('a')
  for (const path of [
    '/box/../secret.txt',
    '/box/%2e%2e/secret.txt',
    '/box/..%2fsecret.txt',
    '/box/..%2f..%2f..%2fsecret.txt',
    '/box%2f..%2fsecret.txt',
    '/box/../.Trash-0/files/other.txt',
    '/.Trash-0/files',
    '/box/%2e%2e%2f.Trash-0',
    '//box//..//secret.txt',
    '/box/a.txt/../../secret.txt',
  ]) {
    const answer = await raw(path)
    expect([path, answer.status >= 400, answer.body.includes('SECRET')]).toEqual([path, true, false])
  }
})

test('an item is seen by the rights at the place that it had, and its contents by the right to download there', async () => {
  server.put({ 'team/plan/a.txt': 'a', 'team/plan/boss/pay.txt': 'PAY' })
  await setGrants(server, [
    ['user:2', '/team', 'see', 'download'],
    ['user:2', '/team/plan/boss'],
    ['user:3', '/team', 'see'],
  ])
  const { id } = await keepByHand(server, { path: '/team/plan' })
  const past = `past=k.${id}`
  expect(await namesIn(ben(`/api/resources/Files/team/plan?${past}`))).toEqual(['a.txt'])
  expect(await textIn(ben(`/api/raw/Files/team/plan/a.txt?${past}`))).toBe('a')
  for (const path of ['boss', 'boss/pay.txt'])
    expect(await statusOf(ben(`/api/raw/Files/team/plan/${path}?${past}`))).toBe(403)
  expect(await textIn(ben(`/api/raw/Files/team/plan?algo=tar&${past}`))).not.toContain('PAY')
  expect(await textIn(ben(`/api/search/Files/team?query=pay&${past}`))).not.toContain('pay.txt')
  expect((await namesIn(cem(`/api/resources/Files/team/plan?${past}`))).sort()).toEqual(['a.txt', 'boss'])
  expect(await statusOf(cem(`/api/raw/Files/team/plan/a.txt?${past}`))).toBe(403)
  const { content } = await jsonIn<Resource>(cem(`/api/resources/Files/team/plan/a.txt?${past}`))
  expect(content).toBeUndefined()
  await setGrants(server, [])
  expect(await statusOf(ben(`/api/resources/team/plan?${past}`))).toBe(404)
  expect(await statusOf(ben(`/api/resources/Files/team/plan?${past}`))).toBe(404)
  expect(await statusOf(server.ask(`/api/resources/team/plan?${past}`))).toBe(401)
})

test('rights that stand at the place now count as well as those that the item had', async () => {
  server.put({ 'team/plan/a.txt': 'a' })
  await setGrants(server, [['user:2', '/team', 'see', 'download']])
  const { id } = await keepByHand(server, { path: '/team/plan' })
  server.put({ 'team/plan/b.txt': 'b' })
  const look = () => statusOf(ben(`/api/raw/Files/team/plan/a.txt?past=k.${id}`))
  expect(await look()).toBe(200)
  await setGrants(server, [
    ['user:2', '/team', 'see', 'download'],
    ['user:2', '/team/plan'],
  ])
  expect(await look()).toBe(404)
})

test('what was withheld in a folder stays so when the folder around it is removed, too', async () => {
  server.put({ 'team/plan/pay.txt': 'PAY', 'team/open.txt': 'o' })
  await setGrants(server, [
    ['user:2', '/team', 'see', 'download'],
    ['user:2', '/team/plan'],
  ])
  const file = await keepByHand(server, { path: '/team/plan/pay.txt' })
  const plan = await keepByHand(server, { path: '/team/plan' })
  const moved = `${plan.place}/pay.txt`
  await db.updateTable('kept').set({ location: moved }).where('id', '=', file.id).execute()
  const look = (id: string) => statusOf(ben(`/api/raw/Files/team/plan/pay.txt?past=k.${id}`))
  expect(await Promise.all([look(file.id), look(plan.id)])).toEqual([404, 404])
  expect(await textIn(ann(`/api/raw/team/plan/pay.txt?past=k.${file.id}`))).toBe('PAY')
  const team = await keepByHand(server, { path: '/team' })
  await db
    .updateTable('kept')
    .set({ location: `${team.place}/plan` })
    .where('id', '=', plan.id)
    .execute()
  expect(await Promise.all([look(file.id), look(plan.id)])).toEqual([404, 404])
  expect(await textIn(ann(`/api/raw/team/plan/pay.txt?past=k.${file.id}`))).toBe('PAY')
  await db.deleteFrom('kept').where('id', '=', team.id).execute()
  expect(await statusOf(ann(`/api/raw/team/plan/pay.txt?past=k.${file.id}`))).toBe(404)
})

test('rights that went into a store change no paths of an account', async () => {
  server.put({ 'home/ben/own/a.txt': 'a', 'home/ben/b.txt': 'b' })
  await setGrants(server, [['everybody', '/home/ben/own', 'see']])
  expect(await statusOf(ben('/api/raw/b.txt'))).toBe(200)
  const { id } = await keepByHand(server, { path: '/home/ben/own' })
  expect(await textIn(ben('/api/raw/b.txt'))).toBe('b')
  expect(await statusOf(ben(`/api/resources/own?past=k.${id}`))).toBe(200)
  expect(await statusOf(ben(`/api/raw/own/a.txt?past=k.${id}`))).toBe(403)
})

test('rules and hidden dotfiles hold in the past', async () => {
  server.put({ 'home/cem/private/a.txt': 'SECRET', 'home/cem/box/private.txt': 'p' })
  const hidden = await keepByHand(server, { path: '/home/cem/private' })
  expect(await statusOf(cem(`/api/resources/private?past=k.${hidden.id}`))).toBe(404)
  expect(await textIn(ann(`/api/raw/home/cem/private/a.txt?past=k.${hidden.id}`))).toBe('SECRET')
  await server.addUser('dot', { hideDotfiles: true })
  const dot = await server.as('dot')
  server.put({ 'box/.env': 'x', 'box/a.txt': 'a', '.rc': 'x' })
  const [box, rc] = [await keepByHand(server, { path: '/box' }), await keepByHand(server, { path: '/.rc' })]
  expect(await namesIn(dot(`/api/resources/box?past=k.${box.id}`))).toEqual(['a.txt'])
  expect(await statusOf(dot(`/api/raw/.rc?past=k.${rc.id}`))).toBe(404)
})

test('an item whose rights are not known is for administrators and for the account that removed it', async () => {
  await server.addUser('root', { isAdmin: true })
  server.put({ 'a.txt': 'a' })
  const { id } = await keepByHand(server, { path: '/a.txt', isRestricted: true, userId: 99 })
  const look = async (name: string) => statusOf((await server.as(name))(`/api/raw/a.txt?past=k.${id}`))
  expect([await look('ann'), await look('root')]).toEqual([404, 200])
  await db.updateTable('kept').set({ user_id: 1 }).where('id', '=', id).execute()
  expect(await look('ann')).toBe(200)
})

test('a link shows the present, whatever past its visitor names', async () => {
  server.put({ 'pub/a.txt': 'older' })
  const { id } = await keepByHand(server, { path: '/pub/a.txt', store: 'versions' })
  server.put({ 'pub/a.txt': 'newer' })
  const { hash } = await jsonIn<{ hash: string }>(ann('/api/share/pub', { method: 'POST', body: '{}' }))
  expect(await textIn(server.ask(`/api/public/dl/${hash}/a.txt?past=k.${id}`))).toBe('newer')
})

test('a snapshot is read beneath the rights of now, and of folders that were moved or removed since', async () => {
  const snapshot = 'autosnap_2026-11-01_00:00:00_daily'
  const old = `.zfs/snapshot/${snapshot}`
  server.put({
    [`${old}/team/open.txt`]: 'open',
    [`${old}/team/pay/pay.txt`]: 'PAY',
    [`${old}/team/note/n.txt`]: 'NOTE',
    [`${old}/other/o.txt`]: 'OTHER',
    'team/pay/pay.txt': 'PAY',
    'team/note/n.txt': 'NOTE',
    'archive/': '',
  })
  await transaction(db, 'serializable', async (trx) => {
    const history = JSON.stringify({ trash: 'off', versions: false, trashDays: 7, snapshots: 'auto' })
    await trx.updateTable('mount').set({ history }).execute()
    await touchAccess(trx)
  })
  await setGrants(server, [
    ['user:2', '/team', 'see', 'download'],
    ['user:2', '/team/pay'],
    ['user:2', '/team/note'],
  ])
  const past = `past=s.1.${encodeURIComponent(snapshot)}`
  const look = async () => {
    const names = await namesIn(ben(`/api/resources/Files/team?${past}`))
    const read = ['pay/pay.txt', 'note/n.txt'].map((path) => statusOf(ben(`/api/raw/Files/team/${path}?${past}`)))
    return [names.sort(), ...(await Promise.all(read))]
  }
  expect(await textIn(ben(`/api/raw/Files/team/open.txt?${past}`))).toBe('open')
  expect(await textIn(ann(`/api/raw/team/pay/pay.txt?${past}`))).toBe('PAY')
  expect(await statusOf(ben(`/api/raw/Files/other/o.txt?${past}`))).toBe(403)
  expect(await look()).toEqual([['open.txt'], 403, 403])
  const moved = await ann('/api/resources/team/pay?action=rename&destination=/archive/pay', { method: 'PATCH' })
  const removed = await ann('/api/resources/team/note', { method: 'DELETE' })
  expect([moved.status, removed.status]).toEqual([200, 204])
  expect(await look()).toEqual([['open.txt'], 403, 403])
  expect(await textIn(ben(`/api/raw/Files/team?algo=tar&${past}`))).not.toContain('PAY')
})

test('a guest reads the past as far as grants for guests went', async () => {
  server.put({ 'open/box/a.txt': 'a', 'open/box/shut/b.txt': 'b' })
  await setGrants(server, [
    ['guest', '/open', 'see', 'download'],
    ['guest', '/open/box/shut'],
  ])
  const { id } = await keepByHand(server, { path: '/open/box' })
  expect(await textIn(server.ask(`/api/raw/open/box/a.txt?past=k.${id}`))).toBe('a')
  expect(await statusOf(server.ask(`/api/raw/open/box/shut/b.txt?past=k.${id}`))).toBe(403)
})
