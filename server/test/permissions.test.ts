import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Permission, permissionNames } from '@filestead/contract'
import type { Transaction } from 'kysely'
import { type Needs, type Route, route, sampleAddress, sampleOf, type UserRoute } from '../src/access/routes.ts'
import { zipOf } from '../src/archives/reading/archives.fixture.ts'
import { touchAccess } from '../src/database/counters.ts'
import type { Database, JobRow, UploadRow } from '../src/database/schema.ts'
import { behindDoors, type DoorDeps } from '../src/doors/doors.ts'
import { isForm } from '../src/http/input.ts'
import { returnsStatusLine } from '../src/http/returns.ts'
import { emptyNotes } from '../src/jobs/record.ts'
import { kindOf } from '../src/metrics/routes.ts'
import { saveDocument } from '../src/settings/store.ts'
import { draftPrefix } from '../src/storage/path.ts'
import { hashPassword } from '../src/users/passwords.ts'
import { treeOf } from './disk.ts'
import { claimsIn } from './jwt.ts'
import { headOf, openLine } from './line.ts'
import { password, startServer } from './server.ts'
import { sendRaw } from './socket.ts'

const server = await startServer({ disableExec: false, settings: { signup: true }, mountable: [tmpdir()] })
afterAll(() => server.stop())
const { db } = server.app.deps

/** Every permission set of the matrix: all, none, and all but one. */
const lackedBy: Record<string, Permission[]> = {
  all: [],
  none: [...permissionNames],
  // Sharing lets others download, so no user has the one without the other.
  ...Object.fromEntries(
    permissionNames.map((name) => [`no-${name}`, name === 'download' ? ['download', 'share'] : [name]]),
  ),
}
const sets = Object.keys(lackedBy)

interface Account {
  id: number
  token: string
  /** Another session of the user, for the routes that end one. */
  sessionId: string
}

const accounts = new Map<string, Account>()

/** The account with a set of permissions, made or signed in again where the last sample ended it. */
async function accountOf(set: string): Promise<Account> {
  const known = accounts.get(set)
  if (known !== undefined && (await isComplete(known))) return known
  const exists = await db.selectFrom('user').select('id').where('username', '=', set).executeTakeFirst()
  const lacks = lackedBy[set] ?? []
  if (exists === undefined) await server.addUser(set, { lacks, isAdmin: !lacks.includes('admin') })
  const token = await server.signIn(set)
  const { sid: sessionId } = claimsIn(await server.signIn(set))
  const account = { id: (claimsIn(token).user as { id: number }).id, token, sessionId: String(sessionId) }
  accounts.set(set, account)
  return account
}

async function isComplete({ token, sessionId }: Account): Promise<boolean> {
  const ids = [sessionId, String(claimsIn(token).sid)]
  return (await db.selectFrom('session').select('id').where('id', 'in', ids).execute()).length === ids.length
}

const lock = await hashPassword(password)
const link = (hash: string, user_id: number, password_hash = '') => ({
  ...{ hash, user_id, location: '/box', expires_at: 0, password_hash },
})

const upload = (user_id: number): UploadRow => ({
  id: 'begun',
  user_id,
  location: '/begun.txt',
  place: '/begun.txt',
  length: 8,
  override: 0,
  modified: null,
  may_rewind: 0,
  trusted: null,
  metadata: null,
  node: null,
  synced: null,
  kernel: null,
  expires_at: server.clock.now + 3600,
})

const job = (user_id: number): JobRow => ({
  id: 'job',
  user_id,
  kind: 'delete',
  summary: JSON.stringify({ count: 0, names: [] }),
  state: 'paused',
  choices: JSON.stringify({ forAll: 'ask', by: {} }),
  cursor: 0,
  notes: JSON.stringify(emptyNotes()),
  files_done: 0,
  bytes_done: 0,
  files_total: null,
  bytes_total: null,
  problem: null,
  message: null,
  node: null,
  created_at: server.clock.now,
  started_at: null,
  ended_at: null,
})

const takenOver = {
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

await saveDocument(db, 'takeover', takenOver)
const documents = await db.selectFrom('setting').selectAll().execute()

const group = { id: 900, name: 'team', source: 'local' }
/** Of a group without members, so that it concerns no account. */
const grant = { id: 901, subject: 'group:900', location: '/box', rights: 1 }
const folderBeside = join(dirname(server.root), 'beside')
mkdirSync(folderBeside)
const mount = { id: 902, name: 'Beside', folder: folderBeside, links: 'inside', read_only: 0, source: 'stored' }
const administered = { groupId: group.id, grantId: grant.id, mountId: mount.id, folder: folderBeside, jobId: 'job' }

/** Groups, grants and mounts as the samples expect them. A second mount changes all paths, so only its own route has it. */
async function prepareAccess(trx: Transaction<Database>, each?: Route): Promise<void> {
  await trx.deleteFrom('member').execute()
  await trx.deleteFrom('circle').execute()
  await trx.deleteFrom('grant').execute()
  await trx.deleteFrom('mount').where('id', '!=', 1).execute()
  await trx.updateTable('mount').set({ name: 'Files' }).execute()
  await trx.insertInto('circle').values(group).execute()
  await trx.insertInto('grant').values(grant).execute()
  if (each?.path.startsWith('/api/mounts/:id') && each.method === 'DELETE')
    await trx.insertInto('mount').values(mount).execute()
  await touchAccess(trx)
}

/** Creates everything that the samples name for one user, and removes everything else. */
async function prepare(userId: number, each?: Route): Promise<void> {
  for (const path of ['made.txt', 'begun.txt', 'box', 'kept.txt'])
    rmSync(`${server.root}/${path}`, { recursive: true, force: true })
  server.put({
    'kept.txt': 'kept',
    'box/in.txt': 'in',
    'box/picture.gif': 'GIF89a\x01\0\x01\0',
    'box/words.vtt': 'WEBVTT',
    'box/packed.zip': zipOf([{ name: 'in.txt', content: 'in' }]),
    [`${draftPrefix}begun`]: '',
  })
  const links = [link('open-link', userId), link('locked-link', userId, lock)]
  const lost = link('lost-link', (await accountOf('no-share')).id)
  await db.transaction().execute(async (trx) => {
    // The new version makes the server read the settings again.
    for (const { name, value } of documents)
      await trx
        .updateTable('setting')
        .set((is) => ({ value, version: is('version', '+', 1) }))
        .where('name', '=', name)
        .where('value', '!=', value)
        .execute()
    await trx.deleteFrom('user').where('username', 'in', ['made', 'newcomer']).execute()
    await prepareAccess(trx, each)
    await trx.deleteFrom('upload').execute()
    await trx.insertInto('upload').values(upload(userId)).execute()
    await trx.deleteFrom('job').execute()
    await trx.insertInto('job').values(job(userId)).execute()
    await trx
      .insertInto('job_plan')
      .values({ job: job(userId).id, plan: JSON.stringify({ items: [], kernel: '' }) })
      .execute()
    await trx.deleteFrom('share').execute()
    await trx
      .insertInto('share')
      .values([...links, lost])
      .execute()
  })
}

/** The state that a request could have changed for other users. */
async function state(): Promise<string> {
  const tables = ['user', 'setting', 'share', 'circle', 'member', 'grant', 'mount'] as const
  const rows = tables.map((table) => db.selectFrom(table).selectAll().execute())
  return JSON.stringify([treeOf(server.root), await Promise.all(rows)])
}

interface Sent {
  status: number
  text: string
}

interface SendOptions {
  as: string
  /** Whether the request carries a token. */
  isSignedIn: boolean
  /** Replaces the value in the sample. */
  query?: Record<string, string>
  hash?: string
  headers?: Record<string, string>
}

/** Sends the sample of a route for entries of an account. */
async function send(each: Route, { as, isSignedIn, query, hash = 'open-link', headers }: SendOptions): Promise<Sent> {
  const { id, token, sessionId } = await accountOf(as)
  const fixture = { userId: id, sessionId, username: as, password, link: hash, ...administered }
  const sample = sampleOf(each, fixture)
  const address = sampleAddress(each, { ...sample, query: { ...sample.query, ...query } })
  const all = { ...(isSignedIn && { 'x-auth': token }), ...sample.headers, ...headers }
  if (each.returns.status === 101) {
    const line = await openLine(server.url)
    await line.send(headOf(each.method, address, all))
    const status = await line.status
    line.close()
    return { status, text: '' }
  }
  const response = await server.ask(address, { method: each.method, headers: all, body: bodyOf(each, sample.body) })
  return { status: response.status, text: await response.text() }
}

function bodyOf({ body: kind }: Route, body: unknown): string | URLSearchParams | null {
  if (body === undefined) return null
  if (isForm(kind)) return new URLSearchParams(body as Record<string, string>)
  return typeof body === 'string' ? body : JSON.stringify(body)
}

interface Case {
  name: string
  each: Route
  permissions: readonly Permission[]
  query?: Record<string, string>
}

/** What the sample of a route needs, where its body decides. */
const neededBySample: Readonly<Record<string, readonly Permission[]>> = { 'POST /api/jobs': ['delete'] }

/** A route, once for every query value that its permission hangs on. */
function casesOf(each: UserRoute): Case[] {
  const needs: Needs = each.access
  const name = `${each.method} ${each.path}`
  if (!('byQuery' in needs)) return [{ name, each, permissions: neededBySample[name] ?? needs }]
  return Object.entries(needs.permissions).map(([value, permission]) => ({
    name: `${name} ${needs.byQuery}=${value}`,
    each,
    permissions: [permission],
    query: { [needs.byQuery]: value },
  }))
}

const { routes } = server.app
const isForUsers = (each: Route): each is UserRoute => typeof each.access !== 'string'
const cases = routes.filter(isForUsers).flatMap(casesOf)
const namesOf = (access: Route['access']) =>
  routes.filter((each) => each.access === access).map(({ method, path }) => `${method} ${path}`)

test('the routes under test use every kind of permission', () => {
  expect(cases.length).toBeGreaterThan(30)
  expect(new Set(cases.flatMap(({ permissions }) => permissions))).toEqual(new Set(permissionNames))
})

test('every route has a kind in the metrics, and only these few have none of their own', () => {
  const others = routes.filter(({ path }) => kindOf(path) === 'other').map(({ path }) => path)
  expect([...new Set(others)]).toEqual(['/api/takeover', '/api/openapi.json', '/api/docs'])
})

test('every route has a sample that fills its whole address', async () => {
  const fixture = { userId: 1, sessionId: 's', username: 'u', password, link: 'l', ...administered }
  for (const each of routes) expect(sampleAddress(each, sampleOf(each, fixture))).toStartWith('/')
  expect(() => sampleAddress({ path: '/api/new/*' }, {})).toThrow('/api/new/*')
  expect(() => sampleAddress({ path: '/api/new/:id' }, { at: 'x' })).toThrow(':id')
})

test('the routes open without a sign-in are a known list', () => {
  expect(
    namesOf('anyone')
      .filter((name) => !name.endsWith(' /health'))
      .sort(),
  ).toEqual([
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

test.each(cases)('$name: sent without a token it answers 401 and changes nothing', async ({ each, query }) => {
  await prepare((await accountOf('all')).id, each)
  const before = await state()
  expect((await send(each, { as: 'all', isSignedIn: false, query })).status).toBe(401)
  expect(await state()).toBe(before)
})

/** Questions that need a body. */
const asking: readonly string[] = ['/api/media/*', '/api/conflicts', '/api/mounts/check']

test.each(cases)('$name: done with the permissions it needs, refused without them', async (one) => {
  const { each, permissions, query } = one
  const isReading = each.method === 'GET' || isForm(each.body) || asking.includes(each.path)
  for (const set of sets) {
    await prepare((await accountOf(set)).id, each)
    const before = await state()
    const { status, text } = await send(each, { as: set, isSignedIn: true, query })
    const missing = permissions.filter((permission) => lackedBy[set]?.includes(permission))
    const refusal = missing[0] === 'download' ? 202 : 403
    expect([set, status]).toEqual([set, missing.length === 0 ? each.returns.status : refusal])
    if (missing.length > 0 || isReading) expect([set, await state()]).toEqual([set, before])
    else if (permissions.length > 0) expect([set, await state()]).not.toEqual([set, before])
    if (missing.length === 0) expectAnswer(each, text)
  }
})

/** The answer has the fields that its schema tells of, all of them and no others. */
function expectAnswer({ returns: { schema } }: Route, text: string): void {
  if (schema === undefined) return
  const value = JSON.parse(text)
  expect(schema.parse(value)).toEqual(value)
}

test.each(routes.filter(({ access }) => access === 'anyone'))(
  '$method $path: answers as described without a sign-in',
  async (each) => {
    await prepare((await accountOf('all')).id)
    const { status, text } = await send(each, { as: 'all', isSignedIn: false })
    expect(status).toBe(each.returns.status)
    expectAnswer(each, text)
  },
)

test('the routes open to visitors of a share are a known list', () => {
  expect(namesOf('visitors').sort()).toEqual([
    'GET /api/public/dl/*',
    'GET /api/public/preview/1024/*',
    'GET /api/public/preview/512/*',
    'GET /api/public/preview/big/*',
    'GET /api/public/preview/thumb/*',
    'GET /api/public/share/*',
    'GET /api/public/subtitle/*',
    'POST /api/public/dl/*',
    'POST /api/public/media/*',
  ])
})

const visitorRoutes = routes.filter(({ access }) => access === 'visitors')

test.each(visitorRoutes)(
  '$method $path: open with a share, its password, and an owner with the permission to share',
  async (each) => {
    await prepare((await accountOf('all')).id)
    const before = await state()
    // Being signed in, even as the owner or an administrator, opens nothing here.
    for (const isSignedIn of [false, true]) {
      const statusOf = async (hash: string) => (await send(each, { as: 'all', isSignedIn, hash })).status
      expect(await statusOf('unknown')).toBe(404)
      expect(await statusOf('open-link')).toBe(each.returns.status)
      expect(await statusOf('lost-link')).toBe(403)
      expect(await statusOf('locked-link')).toBe(401)
    }
    const unlocked = await send(each, {
      ...{ as: 'all', isSignedIn: false, hash: 'locked-link', headers: { 'x-share-password': password } },
    })
    expect(unlocked.status).toBe(each.returns.status)
    expectAnswer(each, unlocked.text)
    const known: string[] = visitorRoutes.filter(({ path }) => path === each.path).map(({ method }) => method)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'].filter((other) => !known.includes(other))) {
      const { status } = await sendRaw(server.url, method, each.path.replace('*', 'open-link'))
      expect([method, status]).toEqual([method, 405])
    }
    expect(await state()).toBe(before)
  },
)

test.each([
  ['no-modify', 'POST', '/api/resources/kept.txt?override=true', 403],
  ['no-create', 'POST', '/api/resources/folder/', 403],
  ['no-modify', 'PATCH', '/api/resources/box%2Fin.txt?action=copy&override=true&destination=%2Fkept.txt', 403],
  ['no-modify', 'PATCH', '/api/resources/box%2Fin.txt?action=rename&override=true&destination=%2Fkept.txt', 403],
  ['no-download', 'GET', '/api/resources/kept.txt?checksum=md5', 202],
  ['all', 'PATCH', '/api/resources/kept.txt?action=delete&destination=%2Fx', 400],
  ['all', 'PATCH', '/api/resources/kept.txt?action=toString&destination=%2Fx', 400],
  ['all', 'PATCH', '/api/resources/kept.txt?destination=%2Fx', 400],
] as const)('%s: %s %s is refused with %i', async (set, method, path, status) => {
  const { id, token } = await accountOf(set)
  await prepare(id)
  const before = await state()
  const body = method === 'POST' ? 'new' : null
  expect((await server.ask(path, { method, body, headers: { 'x-auth': token } })).status).toBe(status)
  expect(await state()).toBe(before)
})

test('a route without an access rule stops the server from starting', () => {
  const { sessions, settings, storageAt } = server.app.deps
  const deps = { sessions, settings, storageAt, report: () => {} } as unknown as DoorDeps
  const at = (path: string) =>
    route({
      method: 'GET',
      path,
      access: 'anyone',
      summary: '',
      returns: returnsStatusLine(),
      sample: {},
      answer: () => new Response(),
    })
  const { access: _access, ...silent } = at('/api/secret')

  expect(() => behindDoors([at('/api/secret')], at('/*'), deps)).not.toThrow()
  expect(() => behindDoors([silent as Route], at('/*'), deps)).toThrow('/api/secret')
})
