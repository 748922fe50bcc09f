import { afterAll, expect, test } from 'bun:test'
import { testDatabase } from '../../../test/database.ts'
import type { Look } from './look.ts'
import { recoverOperations } from './recover.ts'

const db = await testDatabase()
afterAll(() => db.destroy())

test('what another server has judged while the disk of this one hung stays as it is', async () => {
  const row = { batch: 'b', user_id: 1, door: 'web', kind: 'remove', from_location: '1:/a', to_location: null } as const
  const open = { ...row, effects: '', undoes: null, undone_by: null, node: 'dead', at: 0 }
  const ids = ['judged', 'left', 'dropped']
  await db
    .insertInto('operation')
    .values(ids.map((id) => ({ ...open, id })))
    .execute()
  const asked = Promise.withResolvers<void>()
  const disk = Promise.withResolvers<undefined>()
  const look = {
    kept: async () => {},
    at() {
      asked.resolve()
      return disk.promise
    },
  } as unknown as Look
  const recovering = recoverOperations({ db, node: { isAlive: () => false }, log: { warn() {} }, look })
  await asked.promise
  const judged = { effects: '[]', node: null, undone_by: 'later' }
  await db.updateTable('operation').set(judged).where('id', '=', 'judged').execute()
  await db.deleteFrom('operation').where('id', '=', 'dropped').execute()
  disk.resolve(undefined)
  await recovering
  const rows = await db.selectFrom('operation').select(['id', 'effects', 'node', 'undone_by']).orderBy('id').execute()
  expect(rows).toEqual([
    { id: 'judged', ...judged },
    { id: 'left', effects: 'not-kept', node: null, undone_by: null },
  ])
})
