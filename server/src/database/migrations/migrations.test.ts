import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../open.ts'
import { sqliteOf } from '../sqlite/open.ts'
import { makeOldDatabase } from './old-database.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-migrations-'))
afterAll(() => rmSync(folder, { recursive: true }))

let made = 0

/** Opens a database with this version's program that one with an older last migration has written. */
async function updated(from: Parameters<typeof makeOldDatabase>[1], statements: readonly string[]) {
  made += 1
  const file = join(folder, `db${made}`)
  await makeOldDatabase(file, from, statements)
  return openDatabase(file)
}

const ann = "insert into user values (1, 'a', '', '/', '{}', 0)"

test('a migrated share counts as reached through a symlink until it is reviewed, and one in doubt is deleted', async () => {
  const columns = 'hash, user_id, scope, path, expires_at, password_hash, in_doubt'
  const db = await updated('0009_nodes', [
    ann,
    `insert into share (${columns}) values ('old', 1, '/home', '/a', 0, '', 0)`,
    `insert into share (${columns}) values ('doubted', 1, '/home', '/b', 0, '', 1)`,
  ])
  expect(await db.selectFrom('share').selectAll().execute()).toMatchObject([{ hash: 'old', through_link: 1 }])
  await db.destroy()
})

test('a migrated upload keeps all that it needs to go on', async () => {
  const db = await updated('0005_inheritance', [
    `insert into upload (id, user_id, scope, path, place, length, override, modified, may_rewind, expires_at, metadata)
      values ('1', 2, '/', '/a', '/b', 5000000000, 1, 6, 0, 7, 'name YQ==')`,
  ])
  expect(await db.selectFrom('upload').selectAll().execute()).toEqual([
    {
      id: '1',
      user_id: 2,
      location: '/a',
      place: '/b',
      length: 5_000_000_000,
      override: 1,
      modified: 6,
      may_rewind: 0,
      trusted: null,
      expires_at: 7,
      metadata: 'name YQ==',
      node: null,
      synced: null,
      kernel: null,
    },
  ])
  await db.destroy()
})

test('an upload in a scope that is not written as a path is found by its location after the update', async () => {
  const scopes = ['.', '', '/', 'home/', '/a/b/', '/a/b']
  const columns = 'id, user_id, scope, path, place, length, override, may_rewind, expires_at'
  const db = await updated(
    '0015_leases',
    scopes.map(
      (scope, id) => `insert into upload (${columns}) values ('${id}', 2, '${scope}', '/a', '/c', 5, 1, 0, 7)`,
    ),
  )
  const rows = await db.selectFrom('upload').select(['location', 'place']).orderBy('id').execute()
  expect(rows.map(({ location, place }) => [location, place])).toEqual([
    ['/a', '/c'],
    ['/a', '/c'],
    ['/a', '/c'],
    ['/home/a', '/home/c'],
    ['/a/b/a', '/a/b/c'],
    ['/a/b/a', '/a/b/c'],
  ])
  await db.destroy()
})

test('a share is found at its scope followed by its path after the update, and one that could never be opened is not kept', async () => {
  const paths: [hash: string, scope: string, path: string][] = [
    ['file', '/home', '/a.txt'],
    ['home', '/home', '/'],
    ['root', '/', '/'],
    ['slash', '/home', '/d/'],
    ['slashes', '/', '//d//e/'],
    ['dot', '/', '/./d'],
    ['dots', '/', '/d/...x'],
    ['escape', '/home', '/../other'],
    ['written', 'team/', '/x'],
  ]
  const columns = 'hash, user_id, scope, path, expires_at, password_hash'
  const db = await updated('0060_mounts_and_grants', [
    ann,
    ...paths.map(
      ([hash, scope, path]) => `insert into share (${columns}) values ('${hash}', 1, '${scope}', '${path}', 0, '')`,
    ),
    "insert into inherited_share values ('escape', 'x'), ('file', 'y')",
  ])
  const rows = await db.selectFrom('share').select(['hash', 'location']).orderBy('hash').execute()
  expect(Object.fromEntries(rows.map(({ hash, location }) => [hash, location]))).toEqual({
    dot: '/d',
    dots: '/d/...x',
    file: '/home/a.txt',
    home: '/home',
    root: '/',
    slash: '/home/d',
    slashes: '/d/e',
    written: '/team/x',
  })
  expect(await db.selectFrom('inherited_share').select('hash').execute()).toEqual([{ hash: 'file' }])
  await db.destroy()
})

test('a folder that two scopes had as a favourite is one after the update, with the time of the first', async () => {
  const db = await updated('0060_mounts_and_grants', [
    ann,
    "insert into favourite values (1, '/', '/home/x', 7), (1, '/home', '/x', 5), (1, '/home', '/', 6)",
  ])
  expect(await db.selectFrom('favourite').selectAll().orderBy('location').execute()).toEqual([
    { user_id: 1, location: '/home', added_at: 6 },
    { user_id: 1, location: '/home/x', added_at: 5 },
  ])
  await db.destroy()
})

test('a change that an older version left unfinished is known by its locations, with the notes about its shares', async () => {
  const notes = { shares: [{ hash: 'h', scope: '/home', path: '/a/x', to: '/b/x', was: 'id version' }], uploads: null }
  const columns = 'id, node, kind, user_id, username, door, scope, from_path, to_path, notes, began_at'
  const value = (id: string, scope: string, to: string, text: string) =>
    `insert into change (${columns}) values ('${id}', 'dead', 'move', 1, 'a', 'web', '${scope}', '/a', ${to}, '${text}', 0)`
  const db = await updated('0060_mounts_and_grants', [
    value('1', 'home/', "'/b'", JSON.stringify(notes)),
    value('2', '.', 'null', '{'),
  ])
  const rows = await db.selectFrom('change').selectAll().orderBy('id').execute()
  expect(rows).toMatchObject([
    { from_location: '/home/a', to_location: '/home/b' },
    { from_location: '/a', to_location: null, notes: '{' },
  ])
  expect(JSON.parse(rows[0]?.notes ?? '')).toEqual({
    shares: [{ hash: 'h', location: '/home/a/x', to: '/home/b/x', was: 'id version' }],
    uploads: null,
  })
  await db.destroy()
})

test.each([
  ['share', 'location', 'share_location', 'and through_link = 0'],
  ['favourite', 'location', 'favourite_location', ''],
  ['upload', 'location', 'upload_location', 'and place = location'],
  ['upload', 'place', 'upload_moved', 'and place <> location'],
])(
  'what lies below a folder is found in the table %s by the index of its %s',
  async (table, column, index, condition) => {
    const db = await openDatabase(':memory:')
    const range = `${column} >= '/a/' and ${column} < '/a0'`
    const plan = sqliteOf(db)?.query(`explain query plan select * from ${table} where ${range} ${condition}`)
    expect(JSON.stringify(plan?.all())).toContain(index)
    await db.destroy()
  },
)

test('grants that have left their places stay remembered', async () => {
  const row = { subject: 'user:1', location: '/a', rights: 3, ended_at: 5 }
  const db = await updated('0066_job_plans', [`insert into former_grant values ('user:1', '/a', 3, 5)`])
  await db
    .insertInto('former_grant')
    .values({ ...row, ended_at: 6 })
    .execute()
  expect(await db.selectFrom('former_grant').selectAll().execute()).toEqual([row, { ...row, ended_at: 6 }])
  await db.destroy()
})

test('what a job was asked to do comes along', async () => {
  const columns = 'id, user_id, kind, plan, summary, state, choices, cursor, notes, files_done, bytes_done, created_at'
  const db = await updated('0065_known_items', [
    `insert into job (${columns}) values ('a', 1, 'delete', '{"items":[]}', '{}', 'queued', '{}', 0, '{}', 0, 0, 1)`,
  ])
  expect(await db.selectFrom('job').select(['id', 'state']).execute()).toEqual([{ id: 'a', state: 'queued' }])
  expect(await db.selectFrom('job_plan').selectAll().execute()).toEqual([{ job: 'a', plan: '{"items":[]}' }])
  await db.destroy()
})
