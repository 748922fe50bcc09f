import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { testDatabase } from '../../test/database.ts'
import { openDatabase } from './open.ts'
import { prepared, preparedChange, transaction } from './port.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-prepared-'))
afterAll(() => rmSync(folder, { recursive: true }))

const db = await testDatabase()
afterAll(() => db.destroy())

const note = preparedChange(db, db.insertInto('setting').values({ name: 'settings', value: '{}', version: 1 }))
const names = async () => (await db.selectFrom('setting').select('name').execute()).map(({ name }) => name)

test('a prepared change is not rolled back with a transaction that is open meanwhile', async () => {
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

test('a read sees no uncommitted rows, and waits for no transaction', async () => {
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

test('a read of a database in memory sees no rows that are rolled back afterwards', async () => {
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

test('a transaction that fails to serialize is tried again, ten times at most', async () => {
  const conflict = Object.assign(new Error('could not serialize access'), { code: '40001' })
  let tries = 0
  const inserted = await transaction(db, 'serializable', async (trx) => {
    tries += 1
    await trx.insertInto('counter').values({ name: 'user', value: tries }).execute()
    if (tries < 3) throw conflict
    return tries
  })
  expect(inserted).toBe(3)
  expect(await db.selectFrom('counter').select('value').where('name', '=', 'user').execute()).toEqual([{ value: 3 }])
  const hopeless = transaction(db, 'serializable', async () => {
    tries += 1
    throw conflict
  })
  expect(await hopeless.catch((error) => error)).toMatchObject({ problem: 'locked', cause: conflict, retryAfter: 5 })
  expect(tries).toBe(3 + 10)
  const other = new Error('another one')
  const failing = transaction(db, 'serializable', async () => {
    tries += 1
    throw other
  })
  expect(await failing.catch((error) => error)).toBe(other)
  expect(tries).toBe(3 + 10 + 1)
})

test('a nested transaction is part of the outer one, and refuses a stricter isolation', async () => {
  const undone = transaction(db, 'serializable', async (outer) => {
    await transaction(outer, 'read committed', async (inner) => {
      expect(inner).toBe(outer)
      await inner.insertInto('counter').values({ name: 'probe', value: 1 }).execute()
    })
    throw new Error('undone')
  })
  expect(await undone.catch(String)).toContain('undone')
  expect(await db.selectFrom('counter').selectAll().where('name', '=', 'probe').execute()).toEqual([])
  const weaker = transaction(db, 'read committed', (outer) => transaction(outer, 'serializable', async () => {}))
  expect(await weaker.catch(String)).toContain('would not be serializable')
})

test('a prepared query fetches its first row and no other, also while a transaction is open in memory', async () => {
  const db = await openDatabase(':memory:')
  const rows = Array.from({ length: 300 }, (_, at) => ({
    target: `t${at}`,
    failures: 1,
    last_at: at,
    blocked_until: 0,
  }))
  await db.insertInto('attempt').values(rows).execute()
  // An error in the second row would show.
  const first = prepared(
    db,
    db
      .selectFrom('attempt')
      .select(sql<number>`case last_at when 0 then 0 else json('broken') end`.as('value'))
      .where('failures', '=', 1)
      .orderBy('last_at'),
  )
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const open = transaction(db, 'read committed', async () => {
    begun.resolve()
    await goOn.promise
  })
  await begun.promise
  const found = first('1')
  goOn.resolve()
  await open
  expect([await found, await first('1')]).toEqual([{ value: 0 }, { value: 0 }])
  await db.destroy()
})
