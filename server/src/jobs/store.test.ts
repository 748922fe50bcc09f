import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabase } from '../../test/database.ts'
import { openDatabase } from '../database/open.ts'
import { choicesOf, claimJob, insertJob, jobsOf, jobWithId, planOf, saveProgress } from './store.ts'

const row = {
  ...{ id: 'a', user_id: 1, kind: 'delete', summary: '{}', state: 'queued', choices: '{}', cursor: 0, notes: '{}' },
  ...{ files_done: 0, bytes_done: 0, files_total: null, bytes_total: null, problem: null, message: null, node: null },
  ...{ created_at: 0, started_at: null, ended_at: null },
}

test('what is noted of a job with a long plan takes no more of the disk than that of a short one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-jobs-'))
  const db = await openDatabase(join(folder, 'db'))
  const plan = JSON.stringify({ items: 'x'.repeat(4 << 20) })
  await insertJob(db, { ...row, plan }, undefined)
  expect((await claimJob(db, 'a', 'here', 1))?.plan).toBe(plan)
  // As long as it reads, the log does not begin anew.
  const reader = new Sqlite(join(folder, 'db'), { readonly: true })
  reader.run('begin')
  reader.query('select count(*) from job').get()
  const length = () => statSync(join(folder, 'db-wal')).size
  const before = length()
  for (let cursor = 1; cursor <= 10; cursor += 1) {
    const { files_done, bytes_done, files_total, bytes_total, problem, message } = row
    const notes = 'y'.repeat(cursor)
    const progress = { cursor, notes, files_done, bytes_done, files_total, bytes_total, problem, message }
    expect(await saveProgress(db, { id: 'a', node: 'here' }, progress)).toBe(true)
  }
  expect(length() - before).toBeLessThan(1 << 20)
  reader.close()
  expect(await jobWithId(db, 'a')).toMatchObject({ cursor: 10, notes: 'y'.repeat(10) })
  await db.deleteFrom('job').execute()
  expect(await planOf(db, 'a')).toBeUndefined()
  await db.destroy()
  rmSync(folder, { recursive: true })
})

test('a list of jobs holds no answers about names, which may be long', async () => {
  const db = await testDatabase()
  const choices = JSON.stringify({ forAll: 'ask', by: { [`/${'x'.repeat(1000)}`]: 'skip' } })
  for (const id of ['a', 'b']) await insertJob(db, { ...row, id, choices, plan: '{}' }, undefined)
  const listed = await jobsOf(db, 1, { most: 10 })
  expect([listed.map(({ id }) => id), JSON.stringify(listed).includes('xxx')]).toEqual([['b', 'a'], false])
  expect((await jobsOf(db, 1, { most: 1, before: 'b' })).map(({ id }) => id)).toEqual(['a'])
  expect([await choicesOf(db, 'a'), await choicesOf(db, 'c')]).toEqual([choices, undefined])
  await db.destroy()
})
