import { afterAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { Client } from 'pg'
import { startPostgres } from '../../../test/postgres.ts'
import { until } from '../../../test/process.ts'
import { shownAddress } from '../address.ts'
import { openDatabase } from '../open.ts'
import { doorbellOf, type OpenDatabase, prepared } from '../port.ts'
import { openingFailure } from './refusals.ts'
import { tablesAt } from './tables.ts'

const postgres = await startPostgres()
afterAll(() => postgres?.end())

let count = 0
async function newAddress(): Promise<string> {
  count += 1
  return (await postgres?.make(`opened_${count}`)) ?? ''
}

async function inside(address: string, ...statements: string[]): Promise<unknown[]> {
  const client = new Client({ connectionString: address })
  await client.connect()
  try {
    for (const statement of statements.slice(0, -1)) await client.query(statement)
    return (await client.query(statements.at(-1) ?? '')).rows
  } finally {
    await client.end()
  }
}

const refusalOf = (address: string): Promise<string> =>
  openDatabase(address).then(
    () => 'opened',
    (error: Error) => error.message,
  )

test('a server that asks for a password which is not there is told in a sentence', () => {
  const driver = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string')
  expect((openingFailure(driver, 'postgres://ann@db/files') as Error).message).toBe(
    'The database postgres://ann@db/files cannot be opened: the password is wrong, or none was given. Put it into the address, PGPASSWORD or a pgpass file',
  )
})

test('an address is shown without its password', () => {
  const shown = 'postgres://ann@db.example.org:5432/files'
  expect(shownAddress('postgres://ann:se:cr@et@db.example.org:5432/files')).toBe(shown)
  expect(shownAddress('postgres://ann@db.example.org:5432/files')).toBe(shown)
  expect(shownAddress('postgresql:///files?host=/run&user=ann&password=secret')).not.toContain('secret')
  expect(shownAddress('postgres://ann:secret@[broken')).not.toContain('secret')
  expect(shownAddress('/var/lib/a:b@c.db')).toBe('/var/lib/a:b@c.db')
})

describe.skipIf(postgres === undefined)('a database in PostgreSQL', () => {
  test('is made by several processes at once, and each finds all tables', async () => {
    const address = await newAddress()
    expect((await tablesAt(address, ['setting'])).rows('setting')).toEqual([])
    const all = await Promise.all(Array.from({ length: 4 }, () => openDatabase(address)))
    for (const db of all) {
      expect(await db.selectFrom('mount').select(['id', 'name']).execute()).toEqual([{ id: 1, name: 'Files' }])
      await db.destroy()
    }
  })

  test('of another program, of a newer version, or that is not there is refused in a sentence', async () => {
    const [other, newer] = [await newAddress(), await newAddress()]
    await inside(other, 'create table things (id int)')
    expect(await refusalOf(other)).toContain('is a database of another program')
    expect(await inside(other, 'select tablename from pg_tables where schemaname = $$public$$')).toHaveLength(1)
    await (await openDatabase(newer)).destroy()
    await inside(newer, "insert into kysely_migration values ('9999_later', 'now')")
    expect(await refusalOf(newer)).toContain('newer version of Filestead')
    const missing = newer.replace(/\/opened_\d+$/, '/none').replace('filestead@', 'filestead:secret@')
    expect(await refusalOf(missing)).toBe(
      `The database ${shownAddress(missing)} cannot be opened: there is no such database. Make it first: createdb --owner ROLE NAME`,
    )
    expect(await refusalOf('postgres://ann:secret@127.0.0.1:1/none')).toMatch(
      /^The database postgres:\/\/ann@127\.0\.0\.1:1\/none does not answer: /,
    )
  })

  test('answers in the types of the schema, and compares texts by their bytes', async () => {
    await using db = disposable(await openDatabase(await newAddress()))
    const names = ['b', 'A', 'a', 'ä', 'B', '_', '/']
    for (const [index, target] of names.entries())
      await db
        .insertInto('attempt')
        .values({ target, failures: index, last_at: 2 ** 53 - 1, blocked_until: 0 })
        .execute()
    const rows = await db.selectFrom('attempt').select(['target', 'last_at']).orderBy('target').execute()
    expect(rows.map(({ target }) => target)).toEqual(['/', 'A', 'B', '_', 'a', 'b', 'ä'])
    expect(rows[0]?.last_at).toBe(2 ** 53 - 1)
    const within = await db
      .selectFrom('attempt')
      .select('target')
      .where('target', '>=', 'A')
      .where('target', '<', 'a')
      .execute()
    expect(within.map(({ target }) => target).toSorted()).toEqual(['A', 'B', '_'])
    const sums = await db
      .selectFrom('attempt')
      .select((is) => [is.fn.countAll<number>().as('count'), is.fn.sum<number>('failures').as('sum')])
      .select(sql<number>`1 = 1`.as('flag'))
      .executeTakeFirstOrThrow()
    expect(sums).toEqual({ count: 7, sum: 21, flag: 1 })
    const changed = await db
      .updateTable('attempt')
      .set({ failures: 0 })
      .where('target', 'in', ['a', 'b'])
      .executeTakeFirst()
    expect(changed.numUpdatedRows).toBe(2n)
    const refused = db
      .insertInto('attempt')
      .values({ target: 'a\0b', failures: 0, last_at: 0, blocked_until: 0 })
      .execute()
    expect(await refused.catch((error) => error.code)).toBe('invalid')
  })

  test('fails a transaction on a connection that was cut, and goes on with others', async () => {
    const address = await newAddress()
    await using db = disposable(await openDatabase(address))
    const cut =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    const failing = db.transaction().execute(async (trx) => {
      await trx.insertInto('counter').values({ name: 'probe', value: 1 }).execute()
      await inside(address, cut)
      await trx.insertInto('counter').values({ name: 'user', value: 1 }).execute()
    })
    expect(await failing.catch((error) => error.problem)).toBe('away')
    const find = prepared(db, db.selectFrom('counter').select('value').where('name', '=', 'probe'))
    expect(await find('probe')).toBeUndefined()
    await inside(address, cut)
    await until(async () => (await find('probe').catch(() => 'away')) === undefined)
  })

  test('has a doorbell that is heard by others, and again after the server was away', async () => {
    const address = await newAddress()
    await using one = disposable(await openDatabase(address))
    await using two = disposable(await openDatabase(address))
    let heard = 0
    const end = doorbellOf(two)?.onRing(() => {
      heard += 1
    })
    // A new listener is called at once: something may have rung before.
    await until(() => heard === 1)
    await doorbellOf(one)?.ring()
    await until(() => heard === 2)
    await postgres?.stop()
    await postgres?.start()
    await until(() => heard === 3)
    await doorbellOf(one)?.ring()
    await until(() => heard === 4)
    end?.()
  })
})

const disposable = (db: OpenDatabase) =>
  Object.assign(db, {
    async [Symbol.asyncDispose]() {
      await db.destroy()
    },
  })
