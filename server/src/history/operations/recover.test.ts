import { afterAll, expect, test } from 'bun:test'
import { testDatabase } from '../../../test/database.ts'
import type { Change } from '../../changes/change.ts'
import { Failure } from '../../failure.ts'
import { parseLocation } from '../../mounts/location.ts'
import { keptPath, parsePath } from '../../storage/path.ts'
import type { KeptFound } from '../../storage/port.ts'
import { foundItem } from '../kept.ts'
import { deleteKept, insertKept, keptWithId } from '../store.ts'
import type { Look } from './look.ts'
import { recoverOperations } from './recover.ts'
import { judgeOperation, operationRows } from './store.ts'

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

const keptItem = (id: string, operation: string): KeptFound => ({
  ...{ id, store: 'trash', kind: 'file', size: 1, modified: 0, keptAt: 0 },
  ...{ at: parsePath('/a'), place: keptPath(`/.Trash-1/files/${id}`) },
  keep: { operation, user: { id: 1, name: 'one' }, door: 'web', cause: 'remove' },
})

test('what the dead server displaced has a row before its operation is judged; a disk that does not answer is left for another server', async () => {
  const row = { batch: 'c', user_id: 1, door: 'web', kind: 'remove', to_location: null, effects: '' } as const
  const open = { ...row, undoes: null, undone_by: null, node: 'dead', at: 0 }
  await db
    .insertInto('operation')
    .values([
      { ...open, id: 'kept', from_location: '1:/a' },
      { ...open, id: 'away', from_location: '2:/b' },
    ])
    .execute()
  const look = {
    kept: async (mount: number, take: (found: readonly KeptFound[]) => void) => {
      if (mount === 2) throw new Failure('unavailable', 'The disk is away')
      take([keptItem('item', 'kept')])
    },
    at: async () => undefined,
  } as unknown as Look
  const recovering = recoverOperations({ db, node: { isAlive: () => false }, log: { warn() {} }, look })
  // So that the round of this server counts as unfinished, and the next one has its turn.
  expect(await recovering.catch((error) => error.message)).toBe('The disk is away')
  const rows = await db.selectFrom('operation').select(['id', 'node']).where('batch', '=', 'c').orderBy('id').execute()
  expect(rows).toEqual([
    { id: 'away', node: 'dead' },
    { id: 'kept', node: null },
  ])
  expect(await keptWithId(db, 'item')).toMatchObject({ operation: 'kept', mount: 1 })
})

test('what a living server restores while the disk is looked at gets no row again', async () => {
  const row = { batch: 'd', user_id: 1, door: 'web', kind: 'remove', to_location: null, effects: '' } as const
  const open = { ...row, undoes: null, undone_by: null, node: 'dead', at: 0 }
  await db
    .insertInto('operation')
    .values({ ...open, id: 'restored', from_location: '1:/a' })
    .execute()
  const item = keptItem('gone', 'restored')
  await insertKept(db, [foundItem(1, item)])
  const look = {
    kept: async (_: number, take: (found: readonly KeptFound[]) => void) => {
      take([item])
      await deleteKept(db, [item.id])
    },
    at: async () => undefined,
  } as unknown as Look
  await recoverOperations({ db, node: { isAlive: () => false }, log: { warn() {} }, look }).catch(() => {})
  expect(await keptWithId(db, item.id)).toBeUndefined()
})

test('a server that was taken for dead changes nothing about an operation that another one has judged', async () => {
  const rows = operationRows(db, 'stopped', { mayWait: false, lost() {} })
  const change: Change = { kind: 'remove', actor: { id: 1, name: 'one' }, door: 'web', from: parseLocation('1:/a') }
  const facts = async (id: string) =>
    db.selectFrom('operation').select(['effects', 'node']).where('id', '=', id).executeTakeFirst()
  for (const id of ['noted', 'ended']) await rows.begin(id, change, { effects: '', at: 0 })
  await rows.note('noted', '{}')
  await rows.end('ended', change, { effects: '[1]', items: [] })
  expect([await facts('noted'), await facts('ended')]).toEqual([
    { effects: '{}', node: 'stopped' },
    { effects: '[1]', node: null },
  ])
  await judgeOperation(db, { id: 'noted', node: 'stopped' }, '[2]')
  await rows.note('noted', '{}')
  await rows.end('noted', change, { effects: '[3]', items: [] })
  await rows.drop('noted')
  expect(await facts('noted')).toEqual({ effects: '[2]', node: null })
})
