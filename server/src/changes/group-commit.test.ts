import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Kysely } from 'kysely'
import { testDatabase } from '../../test/database.ts'
import { DatabaseRefusal } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { groupCommit } from './group-commit.ts'

let db: Kysely<Database>
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.destroy())

test('writes that come during a transaction share the next one', async () => {
  let transactions = 0
  const begin = db.transaction.bind(db)
  db.transaction = () => {
    transactions += 1
    return begin()
  }
  const commit = groupCommit(db)
  const gate = Promise.withResolvers<void>()
  const written: number[] = []
  const first = commit(() => gate.promise)
  const others = Array.from({ length: 20 }, (_, index) => commit(async () => void written.push(index)))
  gate.resolve()
  await Promise.all([first, ...others])
  expect([transactions, written.length]).toEqual([2, 20])
})

test('a write that is refused does not fail the others of its group', async () => {
  const commit = groupCommit(db)
  const row = (name: string) => ({ name: name as 'probe', value: 1 })
  const insert = (name: string) =>
    commit(async (trx) => void (await trx.insertInto('counter').values(row(name)).execute()))
  const results = await Promise.allSettled([insert('p'), insert('q'), insert('q'), insert('r')])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  const names = (await db.selectFrom('counter').selectAll().execute()).map(({ name }) => name as string)
  expect(names).toEqual(expect.arrayContaining(['p', 'q', 'r']))
})

test('a lock of another process refuses all writes of a group at once', async () => {
  const commit = groupCommit(db)
  const gate = Promise.withResolvers<void>()
  const first = commit(() => gate.promise)
  let tries = 0
  const locked = Array.from({ length: 20 }, () =>
    commit(async () => {
      tries += 1
      throw new DatabaseRefusal('locked', new Error('busy'))
    }),
  )
  gate.resolve()
  await first
  expect((await Promise.allSettled(locked)).map(({ status }) => status)).toEqual(Array(20).fill('rejected'))
  expect(tries).toBe(1)
})
