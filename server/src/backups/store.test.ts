import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeOldDatabase } from '../database/migrations/old-database.fixture.ts'
import { openDatabase } from '../database/open.ts'
import { lockForRestore, resetSessionsAndDrafts } from './store.ts'

test('uploads that an older version noted in the replaced database are known by their locations, those of guests too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-restore-'))
  const replaced = join(folder, 'replaced.db')
  const columns = 'id, user_id, scope, path, place, length, override, may_rewind, expires_at'
  await makeOldDatabase(replaced, '0042_synced_uploads', [
    `insert into upload (${columns}) values ('1', 1, '/home', '/a', '/b', 5, 0, 0, 7)`,
    `insert into upload (${columns}) values ('2', -3, '/', '/c', '/c', 5, 0, 0, 7)`,
    `insert into upload (${columns}) values ('3', 9, '/', '/d', '/d', 5, 0, 0, 7)`,
  ])
  const db = await openDatabase(':memory:')
  await db
    .insertInto('user')
    .values({ id: 1, username: 'ann', password_hash: '', scope: '/', profile: '{}', changed_at: 0 })
    .execute()
  {
    using held = lockForRestore(replaced)
    await resetSessionsAndDrafts(db, held.unfinished, 100)
  }
  const rows = await db.selectFrom('upload').select(['id', 'location', 'place', 'expires_at']).orderBy('id').execute()
  expect(rows).toEqual([
    { id: '1', location: '/home/a', place: '/home/b', expires_at: 99 },
    { id: '2', location: '/c', place: '/c', expires_at: 99 },
  ])
  await db.destroy()
  rmSync(folder, { recursive: true })
})
