import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { actionOf } from '../src/http/actions.ts'
import { Query } from '../src/http/query.ts'
import { createLog } from '../src/log/log.ts'
import { type Ask, password, startServer, type TestServer } from './server.ts'
import { tusOf } from './tus.ts'

type Line = Record<string, unknown>

let server: TestServer
let ann: Ask
let boss: Ask
beforeAll(async () => {
  server = await startServer({ settings: { signup: true, createUserDir: true } })
  await server.addUser('ann', { scope: '/home/ann' })
  await server.addUser('boss', { isAdmin: true })
  ann = await server.as('ann')
  boss = await server.as('boss')
}, 120_000)
afterAll(() => server.stop())
beforeEach(() => void server.logged.splice(0))

/** The events of the log since the test began, without what differs from run to run. */
const events = (of: TestServer = server): Line[] =>
  (of.logged as [Line | string, string?][]).flatMap(([facts]) => {
    if (typeof facts === 'string' || facts.event === undefined) return []
    const { ms, id, address, ...rest } = facts
    expect([typeof ms === 'number' || ms === undefined, typeof id, address]).toEqual([true, 'string', '127.0.0.1'])
    return [rest]
  })

const ofAnn = { door: 'web', user: 'ann', userId: 1, scope: '/home/ann' }
const errno = 'ENOENT'
const done = async (answer: Promise<Response>) => {
  const response = await answer
  await response.arrayBuffer()
  expect(response.status).toBeLessThan(400)
}

test('each change of a file logs one line with user, action and path', async () => {
  await done(ann('/api/resources/docs/', { method: 'POST' }))
  await done(ann('/api/resources/docs/a%20b.txt', { method: 'POST', body: 'hello' }))
  await done(ann('/api/resources/docs/a%20b.txt', { method: 'PUT', body: 'hello you' }))
  await done(ann('/api/resources/docs/a%20b.txt?action=copy&destination=/docs/c%252Bd.txt', { method: 'PATCH' }))
  await done(ann('/api/resources/docs/a%20b.txt?action=rename&destination=/docs/e.txt', { method: 'PATCH' }))
  await done(ann('/api/resources/docs/e.txt', { method: 'DELETE' }))
  expect(events()).toEqual([
    { event: 'create-folder', ...ofAnn, path: '/docs/', status: 200 },
    { event: 'create', ...ofAnn, path: '/docs/a b.txt', bytes: 5, status: 200 },
    { event: 'save', ...ofAnn, path: '/docs/a b.txt', bytes: 9, status: 200 },
    { event: 'copy', ...ofAnn, path: '/docs/a b.txt', to: '/docs/c+d.txt', status: 200 },
    { event: 'move', ...ofAnn, path: '/docs/a b.txt', to: '/docs/e.txt', status: 200 },
    { event: 'delete', ...ofAnn, path: '/docs/e.txt', status: 204 },
  ])
})

test('an upload in pieces logs one line when it is complete, and one when it is cancelled', async () => {
  const tus = tusOf(ann)
  await done(tus.create('/large.bin', 10))
  await done(tus.append('/large.bin', 0, 'first'))
  expect(events()).toEqual([])
  await done(tus.append('/large.bin', 5, 'other'))
  await done(tus.create('/empty.bin', 0))
  await done(tus.create('/given-up.bin', 10))
  await done(ann('/api/tus/given-up.bin', { method: 'DELETE' }))
  expect(events()).toEqual([
    { event: 'upload', ...ofAnn, path: '/large.bin', bytes: 10, status: 204 },
    { event: 'upload', ...ofAnn, path: '/empty.bin', status: 201 },
    { event: 'cancel-upload', ...ofAnn, path: '/given-up.bin', status: 204 },
  ])
})

test('an upload that is cancelled by POST and a header is logged as cancelled', async () => {
  await done(tusOf(ann).create('/by-header.bin', 10))
  const method = (name: string) => ({ method: 'POST', headers: { 'x-http-method-override': name } })
  await done(ann('/api/tus/by-header.bin', method('HEAD')))
  await done(ann('/api/tus/by-header.bin', method('DELETE')))
  expect(events()).toEqual([{ event: 'cancel-upload', ...ofAnn, path: '/by-header.bin', status: 204 }])
})

test('a copy and a move that take another name log that name', async () => {
  server.put({ 'home/ann/taken/a.txt': 'a', 'home/ann/taken/b.txt': 'b', 'home/ann/taken/c.txt': 'c' })
  const to = (action: string) => `?action=${action}&destination=/taken/b.txt&rename=true`
  await done(ann(`/api/resources/taken/a.txt${to('copy')}`, { method: 'PATCH' }))
  await done(ann(`/api/resources/taken/c.txt${to('rename')}`, { method: 'PATCH' }))
  expect(events()).toEqual([
    { event: 'copy', ...ofAnn, path: '/taken/a.txt', to: '/taken/b(1).txt', status: 200 },
    { event: 'move', ...ofAnn, path: '/taken/c.txt', to: '/taken/b(2).txt', status: 200 },
  ])
})

test('a download logs one line for all of its ranges, and a listing logs none', async () => {
  server.put({ 'home/ann/film.mp4': 'x'.repeat(1000), 'home/ann/text.txt': 'a text', 'home/ann/folder/in.txt': 'in' })
  const part = (range: string) => done(ann('/api/raw/film.mp4?inline=true', { headers: { range: `bytes=${range}` } }))
  await part('1-99')
  await part('0-')
  await part('500-')
  await done(ann('/api/raw/film.mp4'))
  await done(ann('/api/raw/film.mp4', { method: 'HEAD' }))
  const { headers } = await ann('/api/raw/film.mp4', { method: 'HEAD' })
  expect((await ann('/api/raw/film.mp4', { headers: { 'if-none-match': headers.get('etag') ?? '' } })).status).toBe(304)
  await done(ann('/api/raw/folder?algo=zip'))
  await done(ann('/api/raw/?algo=tar&files=film.mp4,folder'))
  for (const path of ['resources/', 'resources/film.mp4', 'search/?query=x', 'usage/', 'shares'])
    await done(ann(`/api/${path}`))
  await done(ann('/api/resources/text.txt'))
  expect(events()).toEqual([
    { event: 'download', ...ofAnn, path: '/film.mp4', inline: true, bytes: 99, range: 'bytes 1-99/1000', status: 206 },
    { event: 'download', ...ofAnn, path: '/film.mp4', bytes: 1000, status: 200 },
    { event: 'archive', ...ofAnn, path: '/folder', bytes: expect.any(Number), status: 200 },
    { event: 'archive', ...ofAnn, path: '/', files: 'film.mp4,folder', status: 200 },
    { event: 'read', ...ofAnn, path: '/text.txt', status: 200 },
  ])
})

test('archives of different selections log a line each, with ranges too', async () => {
  server.put({ 'home/ann/chosen/a.txt': 'a', 'home/ann/chosen/b.txt': 'b' })
  const part = (files: string) =>
    done(ann(`/api/raw/chosen?algo=zip&files=${files}`, { headers: { range: 'bytes=0-9' } }))
  await part('a.txt')
  await part('b.txt')
  await part('b.txt')
  expect(events().map(({ event, files, status }) => [event, files, status])).toEqual([
    ['archive', 'a.txt', 206],
    ['archive', 'b.txt', 206],
  ])
})

test('a command logs its program and folder without arguments, and a refused command logs nothing', async () => {
  const other = await startServer({ disableExec: false })
  await other.addUser('cat', { commands: ['echo'] })
  const cookie = `auth=${await other.signIn('cat')}`
  other.logged.splice(0)
  for (const line of ['echo a-secret', 'env']) {
    const socket = new WebSocket(`${other.url.replace('http', 'ws')}/api/command/`, { headers: { cookie } })
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve))
    socket.addEventListener('open', () => socket.send(line))
    await closed
  }
  expect(events(other)).toEqual([{ event: 'command', door: 'web', user: 'cat', userId: 1, path: '/', command: 'echo' }])
  await other.stop()
})

test('log lines of a share and its visitors have the same id, which does not open the share', async () => {
  server.put({ 'home/ann/shared/one.txt': 'one' })
  const made = await ann('/api/share/shared', { method: 'POST', body: '{}' })
  const { hash } = (await made.json()) as { hash: string }
  await done(server.ask(`/api/public/share/${hash}`))
  await done(server.ask(`/api/public/dl/${hash}/one.txt`))
  await done(server.ask(`/api/public/dl/${hash}?algo=zip`))
  await done(ann(`/api/share/${hash}`, { method: 'DELETE' }))
  const link = `${hash.slice(0, 4)}…`
  const visitor = { door: 'link', link, owner: 'ann', ownerId: 1 }
  expect(events()).toEqual([
    { event: 'share', ...ofAnn, link, path: '/shared', status: 200 },
    { event: 'download', ...visitor, path: '/one.txt', bytes: 3, status: 200 },
    { event: 'archive', ...visitor, path: '/', bytes: expect.any(Number), status: 200 },
    { event: 'unshare', ...ofAnn, link, status: 200 },
  ])
  expect(JSON.stringify(server.logged)).not.toContain(hash)
})

test('sign-in, sign-up, sign-out and changes of users and settings are logged', async () => {
  const token = await server.signIn('ann')
  await done(server.ask('/api/logout', { method: 'POST', headers: { 'x-auth': token } }))
  const newcomer = { username: 'new', password: 'an unusual password' }
  await done(server.ask('/api/signup', { method: 'POST', body: JSON.stringify(newcomer) }))
  const data = { username: 'added', password: 'an unusual password', scope: '/', perm: {} }
  const body = JSON.stringify({ what: 'user', which: [], data, current_password: password })
  const added = await boss('/api/users', { method: 'POST', body })
  const target = Number(added.headers.get('location')?.split('/').at(-1))
  await done(boss(`/api/users/${target}`, { method: 'DELETE', body: JSON.stringify({ current_password: password }) }))
  const settings = await (await boss('/api/settings')).json()
  await done(boss('/api/settings', { method: 'PUT', body: JSON.stringify(settings) }))
  const ofBoss = { door: 'web', user: 'boss', userId: 2 }
  expect(events()).toEqual([
    { event: 'sign-in', door: 'web', user: 'ann', userId: 1, status: 200 },
    { event: 'sign-out', ...ofAnn, status: 200 },
    { event: 'sign-up', door: 'web', user: 'new', status: 200 },
    { event: 'add-user', ...ofBoss, target, status: 201 },
    { event: 'delete-user', ...ofBoss, target, status: 200 },
    { event: 'change-settings', ...ofBoss, status: 200 },
  ])
  expect(JSON.stringify(server.logged)).not.toContain('an unusual password')
})

test('a refusal is logged with the user and the action', async () => {
  const body = JSON.stringify({ username: 'ann', password: 'wrong horse battery' })
  expect((await server.ask('/api/login', { method: 'POST', body })).status).toBe(403)
  expect((await ann('/api/users')).status).toBe(403)
  expect((await ann('/api/resources/missing', { method: 'DELETE' })).status).toBe(404)
  expect(events()).toEqual([
    { event: 'sign-in', user: 'ann', method: 'POST', path: '/api/login', status: 403 },
    { event: 'list-users', user: 'ann', userId: 1, method: 'GET', path: '/api/users', status: 403 },
    { event: 'delete', user: 'ann', userId: 1, method: 'DELETE', path: '/api/resources/missing', status: 404, errno },
  ])
})

test('a request has an id of the server, or the one that a trusted proxy sent', async () => {
  const idOf = async (trustedProxies: string, id: string) => {
    const other = await startServer({ trustedProxies })
    await other.ask('/api/resources/', { headers: { 'x-request-id': id, 'x-forwarded-for': '192.0.2.7' } })
    const [{ id: told, address }] = other.logged.at(-1) as [Line]
    await other.stop()
    return [told, address]
  }
  expect(await idOf('127.0.0.1', 'proxy-1')).toEqual(['proxy-1', '192.0.2.7'])
  expect(await idOf('127.0.0.1', 'forged "id"')).toEqual([expect.not.stringContaining('forged'), '192.0.2.7'])
  expect(await idOf('', 'proxy-1')).toEqual([expect.not.stringContaining('proxy-1'), '127.0.0.1'])
})

test('every route of the API has an action for the log', () => {
  const unnamed = server.app.routes
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => / \/api\/(?!docs$|openapi\.json$)/.test(route) && !route.startsWith('OPTIONS '))
    .filter((route) => {
      const [method = '', path = ''] = route.split(' ')
      return actionOf(method, path.replace('*', 'x'), () => new Query(''))?.kind === undefined
    })
  expect(unnamed).toEqual([])
})

test('the access log has a line for each request, and the debug level logs reads too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-audit-'))
  const verbose = await startServer({ accessLog: true, logLevel: 'debug' })
  await verbose.addUser('ann')
  const asAnn = await verbose.as('ann')
  verbose.logged.splice(0)
  await done(asAnn('/api/resources/'))
  await asAnn('/api/raw/missing')
  await done(verbose.ask('/health'))
  const who = { user: 'ann', userId: 1 }
  expect(events(verbose)).toEqual([
    { event: 'list', door: 'web', ...who, path: '/', status: 200 },
    { event: 'access', method: 'GET', path: '/api/resources/', ...who, bytes: expect.any(Number), status: 200 },
    { event: 'download', ...who, method: 'GET', path: '/api/raw/missing', status: 404, errno },
    { event: 'access', method: 'GET', path: '/api/raw/missing', ...who, status: 404 },
    { event: 'access', method: 'GET', path: '/health', status: 200 },
  ])
  // The written lines: one JSON object each, with any characters in a name.
  const log = createLog(join(folder, 'log'))
  for (const entry of verbose.logged as [Record<string, unknown>][]) log.info(...entry)
  log.info({ event: 'delete', path: '/a\n{"event":"forged"}' })
  await log.flush()
  const lines = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).event)).toEqual([
    'list',
    'access',
    'download',
    'access',
    'access',
    'delete',
  ])
  rmSync(folder, { recursive: true })
  await verbose.stop()
})
