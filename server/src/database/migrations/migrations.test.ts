import { Database as Sqlite } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../open.ts'
import { sqliteOf } from '../sqlite/open.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-migrations-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The schema before parts of an upload were synced behind its sender. */
function undoSyncedUploads(db: Sqlite): void {
  for (const column of ['synced', 'kernel']) db.run(`alter table upload drop column ${column}`)
}

/** The schema before there were several mounts. */
function undoMounts(db: Sqlite): void {
  for (const table of ['member', 'circle', 'grant', 'mount']) db.run(`drop table "${table}"`)
}

/** The schema before users had favourites. */
const undoFavourites = (db: Sqlite) => db.run('drop table favourite')

function undoShareLabels(db: Sqlite): void {
  db.run('alter table share drop column label')
  db.run('alter table share drop column created_at')
}

/** The schema before changes had rows: shares were in doubt instead. */
function undoChanges(db: Sqlite): void {
  db.run('drop table change')
  db.run('drop index share_change')
  db.run('alter table share drop column change_id')
  db.run('alter table share add column in_doubt integer not null default 0')
  db.run('alter table share add column doubted_by text')
}

function undoSharePlaces(db: Sqlite): void {
  db.run('drop table node')
  db.run('drop index share_place')
  db.run('drop index share_through_link')
  db.run('alter table share drop column through_link')
}

test('a migrated share counts as reached through a symlink until it is reviewed, and one in doubt is deleted', async () => {
  const file = join(folder, 'shares')
  await (await openDatabase(file)).destroy()
  const before = new Sqlite(file)
  undoMounts(before)
  undoSyncedUploads(before)
  undoFavourites(before)
  undoShareLabels(before)
  undoChanges(before)
  undoSharePlaces(before)
  before.run("insert into user values (1, 'a', '', '/', '{}', 0)")
  const columns = 'hash, user_id, scope, path, expires_at, password_hash, in_doubt'
  before.run(`insert into share (${columns}) values ('old', 1, '/home', '/a', 0, '', 0)`)
  before.run(`insert into share (${columns}) values ('in doubt', 1, '/home', '/b', 0, '', 1)`)
  before.run('drop table leaving')
  before.run("delete from kysely_migration where name >= '0010_share_places'")
  before.close()

  const db = await openDatabase(file)
  expect(await db.selectFrom('share').selectAll().execute()).toMatchObject([{ hash: 'old', through_link: 1 }])
  const sqlite = sqliteOf(db)
  const plan = sqlite?.query(
    "explain query plan select * from share where (scope || path) >= '/a/' and through_link = 0",
  )
  expect(JSON.stringify(plan?.all())).toContain('share_place')
  await db.destroy()
})

test('a migrated upload keeps all that it needs to go on', async () => {
  const file = join(folder, 'db')
  await (await openDatabase(file)).destroy()
  const before = new Sqlite(file)
  undoMounts(before)
  undoFavourites(before)
  before.run('drop table upload')
  before.run(`create table upload (id text primary key, user_id integer not null, scope text not null,
    path text not null, place text not null, length bigint not null, override integer not null, modified bigint,
    may_rewind integer not null, trusted bigint, expires_at bigint not null, metadata text)`)
  before.run(`insert into upload values ('1', 2, '/', '/a', '/b', 5000000000, 1, 6, 0, null, 7, 'name YQ==')`)
  before.run('drop table leaving')
  undoShareLabels(before)
  undoChanges(before)
  for (const column of [
    'draft.device',
    'draft.inode',
    'draft.born',
    'draft.size',
    'draft.modified',
    'share.doubted_by',
  ])
    before.run(`alter table ${column.replace('.', ' drop column ')}`)
  undoSharePlaces(before)
  before.run("delete from kysely_migration where name >= '0006_slim_uploads'")
  before.close()

  const db = await openDatabase(file)
  expect(await db.selectFrom('upload').selectAll().execute()).toEqual([
    {
      id: '1',
      user_id: 2,
      scope: '/',
      path: '/a',
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

test('an upload in a scope that is not written as a path is found by its path after the update', async () => {
  const file = join(folder, 'scopes')
  await (await openDatabase(file)).destroy()
  const before = new Sqlite(file)
  undoMounts(before)
  undoSyncedUploads(before)
  undoFavourites(before)
  for (const index of ['upload_path', 'upload_moved', 'session_expiry']) before.run(`drop index ${index}`)
  before.run('create index upload_path on upload (user_id, path, scope, id)')
  const scopes = ['.', '', '/', 'home/', '/a/b/', '/a/b']
  for (const [id, scope] of scopes.entries())
    before.run(`insert into upload values ('${id}', 2, '${scope}', '/a', '/a', 5, 1, 6, 0, null, 7, null, null)`)
  undoShareLabels(before)
  before.run("delete from kysely_migration where name >= '0017_upload_indexes'")
  before.close()

  const db = await openDatabase(file)
  const rows = await db.selectFrom('upload').select('scope').orderBy('id').execute()
  expect(rows.map(({ scope }) => scope)).toEqual(['/', '/', '/', '/home', '/a/b', '/a/b'])
  await db.destroy()
})
