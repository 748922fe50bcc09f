import { afterAll, expect, test } from 'bun:test'
import { testDatabase } from '../../../test/database.ts'
import type { Change } from '../../changes/change.ts'
import { firstMount, parseLocation } from '../../mounts/location.ts'
import { keptPath, parsePath } from '../../storage/path.ts'
import type { Look } from './look.ts'
import { operationsIn } from './operations.ts'

const db = await testDatabase()
afterAll(() => db.destroy())

const rows = (batch: string) =>
  db.selectFrom('operation').select(['kind', 'effects', 'node']).where('batch', '=', batch).execute()
const effectsIn = async (batch: string) => JSON.parse((await rows(batch))[0]?.effects ?? '')
const operations = operationsIn({
  db,
  clock: { unixSeconds: () => 1 },
  node: { id: 'here', isAlive: () => true },
  isOneOfSeveral: false,
  log: { warn() {} },
  look: {} as Look,
})

const upload = (batch: string): Change => ({
  ...{ kind: 'upload', actor: { id: 1, name: 'one' }, door: 'web', batch },
  to: parseLocation('/box/a.txt'),
})

test('a change that is stored when it is done has no row before, and then one that is whole', async () => {
  const change = upload('done')
  const { end } = await operations.begin(change, { isStoredWhenDone: true })
  expect(await rows('done')).toEqual([])
  await end(change, 'done')
  expect(await rows('done')).toMatchObject([{ kind: 'upload', node: null }])
  expect(await effectsIn('done')).toEqual([{ kind: 'made', at: '/box/a.txt' }])
})

test('a change that is stored when it is done, and fails, has no row', async () => {
  const change = upload('failed')
  const { end } = await operations.begin(change, { isStoredWhenDone: true })
  await end(change, 'failed')
  expect(await rows('failed')).toEqual([])
})

test('a change that is stored when it is done has a row from when the storage tells of something', async () => {
  const change = upload('told')
  const { keep, end } = await operations.begin(change, { isStoredWhenDone: true })
  operations.tell(firstMount, keep.operation, [{ kind: 'parent', at: keptPath(parsePath('/box')) }])
  await Bun.sleep(1)
  expect(await rows('told')).toMatchObject([{ kind: 'upload', node: 'here' }])
  await end(change, 'done')
  expect(await rows('told')).toMatchObject([{ kind: 'upload', node: null }])
  expect(await effectsIn('told')).toEqual([
    { kind: 'parent', at: '/box' },
    { kind: 'made', at: '/box/a.txt' },
  ])
})
