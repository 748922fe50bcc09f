import { afterAll, expect, test } from 'bun:test'
import { openDatabase } from './open.ts'
import { preparedChange } from './prepared.ts'

const db = await openDatabase(':memory:')
afterAll(() => db.destroy())

const note = preparedChange(db, db.insertInto('setting').values({ name: 'settings', value: '{}', version: 1 }))
const names = async () => (await db.selectFrom('setting').select('name').execute()).map(({ name }) => name)

test('a change is not undone together with the transaction of somebody else', async () => {
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const failing = db.transaction().execute(async (trx) => {
    await trx.insertInto('setting').values({ name: 'auth', value: '{}', version: 1 }).execute()
    begun.resolve()
    await goOn.promise
    throw new Error('undone')
  })
  await begun.promise
  const noted = note(['settings', '{}', 1])
  goOn.resolve()
  await expect(failing).rejects.toThrow('undone')
  await noted
  expect(await names()).toEqual(['settings'])
})
