import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabase } from '../../test/database.ts'
import { makeOldDatabase } from '../database/migrations/old-database.fixture.ts'
import { lockForRestore, nothingUnfinished, resetSessionsAndDrafts } from './store.ts'

test('uploads that an older version noted in the replaced database are known by their locations, those of guests too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-restore-'))
  const replaced = join(folder, 'replaced.db')
  const columns = 'id, user_id, scope, path, place, length, override, may_rewind, expires_at'
  await makeOldDatabase(replaced, '0042_synced_uploads', [
    `insert into upload (${columns}) values ('1', 1, '/home', '/a', '/b', 5, 0, 0, 7)`,
    `insert into upload (${columns}) values ('2', -3, '/', '/c', '/c', 5, 0, 0, 7)`,
    `insert into upload (${columns}) values ('3', 9, '/', '/d', '/d', 5, 0, 0, 7)`,
  ])
  const db = await testDatabase()
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

test('work that was under way when the backup was made does not go on, and drafts are those of today', async () => {
  const db = await testDatabase()
  const job = {
    ...{ user_id: 1, kind: 'delete', summary: '{}', choices: '{}', cursor: 0, notes: '{}' },
    ...{ files_done: 0, bytes_done: 0, node: 'node:1', created_at: 1 },
  }
  await db
    .insertInto('job')
    .values(
      ['queued', 'running', 'paused', 'asking', 'done', 'cancelled'].map((state) => ({ ...job, id: state, state })),
    )
    .execute()
  const draft = { mount: 2, state: '{}', holder: null, saved_at: 1 }
  await db
    .insertInto('remote_draft')
    .values({ ...draft, path: '/old', id: '1' })
    .execute()
  const today = { ...draft, path: '/today', id: '2' }
  await resetSessionsAndDrafts(db, { ...nothingUnfinished, remoteDrafts: [today] }, 100)
  const states = await db.selectFrom('job').select(['id', 'state', 'node', 'ended_at']).orderBy('id').execute()
  const ended = { state: 'failed', node: null, ended_at: 100 }
  expect(states).toEqual([
    { id: 'asking', ...ended },
    { id: 'cancelled', state: 'cancelled', node: 'node:1', ended_at: null },
    { id: 'done', state: 'done', node: 'node:1', ended_at: null },
    { id: 'paused', ...ended },
    { id: 'queued', ...ended },
    { id: 'running', ...ended },
  ])
  expect(await db.selectFrom('remote_draft').selectAll().execute()).toEqual([today])
  await db.destroy()
})
