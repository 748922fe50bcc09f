import { Database as Sqlite } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from './open.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-migrations-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('an upload that is under way when the server is updated goes on', async () => {
  const file = join(folder, 'db')
  await (await openDatabase(file)).destroy()
  const before = new Sqlite(file)
  before.run('drop table upload')
  before.run(`create table upload (id text primary key, user_id integer not null, scope text not null,
    path text not null, place text not null, length bigint not null, override integer not null, modified bigint,
    may_rewind integer not null, trusted bigint, expires_at bigint not null, metadata text)`)
  before.run(`insert into upload values ('1', 2, '/', '/a', '/b', 5000000000, 1, 6, 0, null, 7, 'name YQ==')`)
  for (const column of [
    'draft.device',
    'draft.inode',
    'draft.born',
    'draft.size',
    'draft.modified',
    'share.doubted_by',
  ])
    before.run(`alter table ${column.replace('.', ' drop column ')}`)
  before.run("delete from kysely_migration where name in ('0006_slim_uploads', '0009_nodes')")
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
    },
  ])
  await db.destroy()
})
