import { afterAll, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { type Permission, permissionNames, Settings } from '@filestead/contract'
import { forAnyone, type Needs, type Route, type UserRoute } from '../src/access/routes.ts'
import type { UploadRow } from '../src/database/schema.ts'
import { behindDoors, type DoorDeps } from '../src/doors/doors.ts'
import type { Method } from '../src/http/router.ts'
import { saveDocument } from '../src/settings/store.ts'
import { draftPrefix } from '../src/storage/path.ts'
import { hashPassword } from '../src/users/passwords.ts'
import { treeOf } from './disk.ts'
import { claimsIn } from './jwt.ts'
import { type Ask, password, startServer } from './server.ts'

interface Sample {
  path: string
  body?: unknown
  headers?: Record<string, string>
}

/** A request for every route that, with the right permission, does what the route is for. */
const samples: Record<string, (id: number) => Sample> = {
  'GET /api/renew': () => ({ path: '/api/renew' }),
  'POST /api/renew': () => ({ path: '/api/renew' }),
  'POST /api/logout': () => ({ path: '/api/logout' }),
  'GET /api/sessions': () => ({ path: '/api/sessions' }),
  'DELETE /api/sessions': () => ({ path: '/api/sessions' }),
  'DELETE /api/sessions/:id': () => ({ path: '/api/sessions/unknown' }),
  'GET /api/resources/recursive/*': () => ({ path: '/api/resources/recursive/box' }),
  'GET /api/resources/*': () => ({ path: '/api/resources/kept.txt' }),
  'POST /api/resources/*': () => ({ path: '/api/resources/made.txt', body: 'made' }),
  'PUT /api/resources/*': () => ({ path: '/api/resources/kept.txt', body: 'changed' }),
  'PATCH /api/resources/*': () => ({ path: '/api/resources/kept.txt?destination=%2Fbox%2Fother.txt' }),
  'DELETE /api/resources/*': () => ({ path: '/api/resources/kept.txt' }),
  'GET /api/raw/*': () => ({ path: '/api/raw/kept.txt' }),
  'POST /api/raw/*': () => ({ path: '/api/raw/box', body: 'files=in.txt' }),
  'GET /api/preview/*': () => ({ path: '/api/preview/thumb/picture.gif' }),
  'GET /api/subtitle/*': () => ({ path: '/api/subtitle/words.vtt' }),
  'GET /api/search/*': () => ({ path: '/api/search/?query=kept' }),
  'GET /api/usage/*': () => ({ path: '/api/usage/' }),
  'GET /api/command/*': () => ({ path: '/api/command/' }),
  'POST /api/tus/*': () => ({ path: '/api/tus/made.txt', headers: { 'upload-length': '0' } }),
  'GET /api/tus/*': () => ({ path: '/api/tus/begun.txt' }),
  'PATCH /api/tus/*': () => ({
    path: '/api/tus/begun.txt',
    body: 'made',
    headers: { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
  }),
  'DELETE /api/tus/*': () => ({ path: '/api/tus/begun.txt' }),
  'GET /api/users': () => ({ path: '/api/users' }),
  'POST /api/users': () => ({
    path: '/api/users',
    body: { what: 'user', which: [], current_password: password, data: { username: 'made', password } },
  }),
  'GET /api/users/:id{[0-9]+}': (id) => ({ path: `/api/users/${id}` }),
  'PUT /api/users/:id{[0-9]+}': (id) => ({
    path: `/api/users/${id}`,
    body: { what: 'user', which: ['locale'], data: { id, locale: 'de' } },
  }),
  'DELETE /api/users/:id{[0-9]+}': (id) => ({ path: `/api/users/${id}`, body: { current_password: 'wrong' } }),
  'GET /api/shares': () => ({ path: '/api/shares' }),
  'GET /api/share/*': () => ({ path: '/api/share/kept.txt' }),
  'POST /api/share/*': () => ({ path: '/api/share/kept.txt', body: {} }),
  'DELETE /api/share/*': () => ({ path: '/api/share/open-link' }),
  'GET /api/settings': () => ({ path: '/api/settings' }),
  'GET /api/takeover': () => ({ path: '/api/takeover' }),
  'DELETE /api/takeover': () => ({ path: '/api/takeover' }),
  'PUT /api/settings': () => ({ path: '/api/settings', body: Settings.parse({ hideLoginButton: false }) }),
}

const server = await startServer({ disableExec: false })
afterAll(() => server.stop())
server.put({ 'picture.gif': 'GIF89a', 'words.vtt': 'WEBVTT' })
await server.addUser('all', { isAdmin: true })
await server.addUser('none', { lacks: [...permissionNames] })
for (const permission of permissionNames) {
  // Sharing means letting others download: nobody can have the one without the other.
  const lacks: Permission[] = permission === 'download' ? ['download', 'share'] : [permission]
  await server.addUser(`no-${permission}`, { lacks, isAdmin: permission !== 'admin' })
}

const lock = await hashPassword(password)
const names = ['all', 'none', ...permissionNames.map((permission) => `no-${permission}`)]
const linkOf = (hash: string, owner: string) => {
  const user_id = names.indexOf(owner) + 1
  return { hash, user_id, scope: '/', path: '/kept.txt', expires_at: 0, password_hash: '' }
}

const begunUpload: UploadRow = {
  id: 'begun',
  user_id: names.indexOf('all') + 1,
  scope: '/',
  path: '/begun.txt',
  place: '/begun.txt',
  length: 8,
  override: 0,
  modified: null,
  may_rewind: 0,
  trusted: null,
  metadata: null,
  node: null,
  expires_at: server.clock.now + 3600,
}

const move = {
  report: {
    when: 1,
    from: '/old/filebrowser.db',
    taken: { settings: true, users: 1, shares: 0, rules: 0 },
    changes: [],
  },
  parts: ['settings', 'users', 'shares'],
  files: ['/old/filebrowser.db'],
  awaitsConfirmation: false,
  isSeen: false,
}

beforeEach(async () => {
  await saveDocument(server.app.deps.db, 'takeover', move)
  for (const path of ['made.txt', 'begun.txt', 'box', 'kept.txt'])
    rmSync(`${server.root}/${path}`, { recursive: true, force: true })
  server.put({ 'kept.txt': 'kept', 'box/in.txt': 'in', [`${draftPrefix}begun`]: '' })
  await server.app.deps.db.deleteFrom('upload').execute()
  await server.app.deps.db.insertInto('upload').values(begunUpload).execute()
  await server.app.deps.db.deleteFrom('share').execute()
  await server.app.deps.db
    .insertInto('share')
    .values([linkOf('open-link', 'all'), linkOf('lost-link', 'no-share')])
    .execute()
  await server.app.deps.db
    .insertInto('share')
    .values({ ...linkOf('locked-link', 'all'), password_hash: lock })
    .execute()
})

/** Everything a request could have changed. */
async function state() {
  const { db } = server.app.deps
  const [users, settings] = [db.selectFrom('user').selectAll(), db.selectFrom('setting').selectAll()]
  const shares = await db.selectFrom('share').selectAll().execute()
  return JSON.stringify([treeOf(server.root), await users.execute(), await settings.execute(), shares])
}

async function send(ask: Ask, id: number, method: Method, route: Route, query?: string): Promise<number> {
  const sample = samples[`${method} ${route.path}`]
  if (sample === undefined) throw new Error(`The table of samples lacks ${method} ${route.path}`)
  const { path, body, headers = {} } = sample(id)
  const address = query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`
  const content = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
  const response = await ask(address, { method, body: content, headers })
  await response.arrayBuffer()
  return response.status
}

async function sendAs(username: string, method: Method, route: Route, query?: string): Promise<number> {
  const token = await (tokens[username] ?? server.signIn(username))
  // The next one has to sign in again where this one may end the session.
  tokens[username] = route.path.startsWith('/api/log') ? undefined : token
  const { id } = claimsIn(token).user as { id: number }
  const ask: Ask = (path, init) => server.ask(path, { ...init, headers: { 'x-auth': token, ...init?.headers } })
  return send(ask, id, method, route, query)
}
const tokens: Record<string, string | undefined> = {}

/** What a route needs, and the query for which it needs that. */
function demandsOf(needs: Needs): { permission: Permission; query?: string }[] {
  if (!('byQuery' in needs)) return needs.map((permission) => ({ permission }))
  return Object.entries(needs.permissions).map(([value, permission]) => ({
    permission,
    query: `${needs.byQuery}=${value}`,
  }))
}

const isForUsers = (route: Route): route is UserRoute => typeof route.access !== 'string'
const doors = server.app.routes
  .filter(isForUsers)
  .flatMap((route) => route.methods.map((method) => ({ name: `${method} ${route.path}`, method, route })))
const locks = doors.flatMap((door) =>
  demandsOf(door.route.access).map((demand) => ({ ...door, ...demand, query: demand.query ?? '' })),
)

test('there are routes to test, and every kind of permission check among them', () => {
  expect(doors.length).toBeGreaterThan(15)
  const asked = new Set(locks.map(({ permission }) => permission))
  for (const permission of ['admin', 'create', 'rename', 'modify', 'delete', 'download'] as const)
    expect(asked).toContain(permission)
})

test('what is open to anyone is a short and known list', () => {
  const open = server.app.routes
    .filter(({ access }) => access === 'anyone')
    .flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`))
  expect(open.filter((door) => !door.endsWith(' /health')).sort()).toEqual([
    'GET /api/docs',
    'GET /api/openapi.json',
    'GET /service-worker.js',
    'GET /static/*',
    'GET /static/manifest.json',
    'OPTIONS /api/tus/*',
    'POST /api/login',
    'POST /api/signup',
  ])
})

test.each(doors)('$name: a stranger is sent to sign in', async ({ method, route }) => {
  const before = await state()
  const queries = demandsOf(route.access).map(({ query }) => query)
  for (const query of [undefined, ...queries]) expect(await send(server.ask, 1, method, route, query)).toBe(401)
  expect(await state()).toBe(before)
})

test.each(locks)('$name $query: refused to whoever lacks only "$permission"', async (lock) => {
  const before = await state()
  const status = await sendAs(`no-${lock.permission}`, lock.method, lock.route, lock.query)
  expect(status).toBe(lock.permission === 'download' ? 202 : 403)
  expect(await state()).toBe(before)
})

test.each(locks)('$name $query: done for whoever has "$permission"', async ({ method, route, query }) => {
  const before = await state()
  // The command socket is open to them, but what is sent here does not speak its protocol.
  expect(await sendAs('all', method, route, query)).toBeOneOf(route.path === '/api/command/*' ? [400] : [200, 201, 204])
  if (method === 'GET' || route.path === '/api/raw/*') expect(await state()).toBe(before)
  else expect(await state()).not.toBe(before)
})

test.each(doors.filter(({ route }) => demandsOf(route.access).length === 0))(
  '$name: being signed in is enough',
  async ({ method, route }) => {
    for (const username of ['none', 'all'])
      expect(await sendAs(username, method, route)).not.toBeOneOf([401, 403, 202, 500])
  },
)

const visitorDoors = server.app.routes
  .filter(({ access }) => access === 'visitors')
  .flatMap(({ methods, path }) => methods.map((method) => [method, path] as const))

test('what is open to visitors is a short and known list', () => {
  expect(visitorDoors.map((door) => door.join(' ')).sort()).toEqual([
    'GET /api/public/dl/*',
    'GET /api/public/preview/big/*',
    'GET /api/public/preview/thumb/*',
    'GET /api/public/share/*',
    'GET /api/public/subtitle/*',
    'POST /api/public/dl/*',
  ])
})

/** The link leads to a text: past the door, but neither a picture nor subtitles nor a folder to choose from. */
const opened = (path: string, method: Method) =>
  path.includes('preview') ? 501 : path.includes('subtitle') || method === 'POST' ? 400 : 200

test.each(visitorDoors)('%s %s: open with a link, its password, and an owner who may share', async (method, path) => {
  const before = await state()
  const all = await server.as('all')
  const statusOf = async (ask: Ask, hash: string, headers = {}) =>
    (await ask(path.replace('*', hash), { method, headers })).status
  // Being signed in, even as the owner or an administrator, opens nothing here.
  for (const ask of [server.ask, all]) {
    expect(await statusOf(ask, 'unknown')).toBe(404)
    expect(await statusOf(ask, 'open-link')).toBe(opened(path, method))
    expect(await statusOf(ask, 'lost-link')).toBe(403)
    expect(await statusOf(ask, 'locked-link')).toBe(401)
  }
  expect(await statusOf(server.ask, 'locked-link', { 'x-share-password': password })).toBe(opened(path, method))
  const isKnown = (other: Method) => visitorDoors.some((door) => door[0] === other && door[1] === path)
  for (const other of (['POST', 'PUT', 'PATCH', 'DELETE'] as const).filter((each) => !isKnown(each)))
    expect((await all(path.replace('*', 'open-link'), { method: other, body: 'x' })).status).toBe(405)
  expect(await state()).toBe(before)
})

test.each([
  ['no-modify', 'POST', '/api/resources/kept.txt?override=true', 403],
  ['no-create', 'POST', '/api/resources/folder/', 403],
  ['no-modify', 'PATCH', '/api/resources/box%2Fin.txt?action=copy&override=true&destination=%2Fkept.txt', 403],
  ['no-modify', 'PATCH', '/api/resources/box%2Fin.txt?action=rename&override=true&destination=%2Fkept.txt', 403],
  ['no-download', 'GET', '/api/resources/kept.txt?checksum=md5', 202],
  ['all', 'PATCH', '/api/resources/kept.txt?action=delete&destination=%2Fx', 400],
  ['all', 'PATCH', '/api/resources/kept.txt?action=toString&destination=%2Fx', 400],
  ['all', 'PATCH', '/api/resources/kept.txt?destination=%2Fx', 400],
] as const)('%s: %s %s is refused with %i', async (username, method, path, status) => {
  const before = await state()
  const ask = await server.as(username)
  expect((await ask(path, { method, body: method === 'POST' ? 'new' : null })).status).toBe(status)
  expect(await state()).toBe(before)
})

test('a route that does not say who may use it keeps the server from starting', () => {
  const { sessions, settings, storageAt } = server.app.deps
  const deps = { sessions, settings, storageAt, report: () => {} } as unknown as DoorDeps
  const page = forAnyone('GET', '/*', () => new Response())
  const open = forAnyone('GET', '/api/secret', () => new Response())
  const { access: _access, ...silent } = open

  expect(() => behindDoors([open], page, deps)).not.toThrow()
  expect(() => behindDoors([silent as Route], page, deps)).toThrow('/api/secret')
})
