import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from './open.ts'
import { prepared, preparedChange } from './port.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-prepared-'))
afterAll(() => rmSync(folder, { recursive: true }))

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

test('what a transaction has not committed is not read, and a file is read without waiting for its end', async () => {
  const file = await openDatabase(join(folder, 'db'))
  try {
    const find = prepared(file, file.selectFrom('setting').select('value').where('name', '=', 'settings'))
    const all = () => file.selectFrom('setting').selectAll().execute()
    const undone = file.transaction().execute(async (trx) => {
      await trx.insertInto('setting').values({ name: 'settings', value: '{}', version: 1 }).execute()
      expect(await trx.selectFrom('setting').selectAll().execute()).toHaveLength(1)
      expect(await find('settings')).toBeUndefined()
      expect(await all()).toEqual([])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await file.insertInto('setting').values({ name: 'settings', value: '{}', version: 1 }).execute()
    expect(await find('settings')).toEqual({ value: '{}' })
  } finally {
    await file.destroy()
  }
})

test('in memory, too, a read does not see what is undone afterwards', async () => {
  const find = prepared(db, db.selectFrom('setting').select('value').where('name', '=', 'auth'))
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const failing = db.transaction().execute(async (trx) => {
    await trx.insertInto('setting').values({ name: 'auth', value: '{}', version: 1 }).execute()
    begun.resolve()
    await goOn.promise
    throw new Error('undone')
  })
  await begun.promise
  const found = find('auth')
  goOn.resolve()
  await expect(failing).rejects.toThrow('undone')
  expect(await found).toBeUndefined()
})
