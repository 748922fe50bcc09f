import { copyFileSync } from 'node:fs'
import { Client } from 'pg'
import { isPostgres } from '../src/database/address.ts'
import { type OpenOptions, openDatabase } from '../src/database/open.ts'
import type { OpenDatabase } from '../src/database/port.ts'
import { sharedPostgres } from './postgres.ts'
import { prepared } from './prepared.ts'

/** Do the tests of this run use PostgreSQL wherever they are not about SQLite? */
export const isOnPostgres =
  process.env.FILESTEAD_TEST_DATABASE === 'postgres' || process.env.FILESTEAD_TEST_NODES !== undefined

/** A database with all tables and nothing in them, which is gone once it is closed. */
export async function testDatabase(options: OpenOptions = {}): Promise<OpenDatabase> {
  if (!isOnPostgres) return openDatabase(':memory:', options)
  const address = await addressFor('')
  const db = await openDatabase(address, options)
  const close = db.engine.close
  let closing: Promise<void> | undefined
  const closeAndRelease = () => {
    closing ??= close().then(() => releaseDatabase(address))
    return closing
  }
  Object.assign(db.engine, { close: closeAndRelease })
  return db
}

/** The address of a new database for a server over a temporary folder: the file itself, or a PostgreSQL. */
export async function addressFor(file: string): Promise<string> {
  if (!isOnPostgres) {
    copyFileSync(await emptyDatabase(), file)
    return file
  }
  const { at, make, template } = await shared()
  const [free, ...others] = released()
  process.env[releasedNames] = others.join()
  return free === undefined ? make(uniqueName(), template) : at(free)
}

/** Migrations take longer than most of the tests. */
const emptyDatabase = (): Promise<string> =>
  prepared('empty.db', async (place) => (await openDatabase(place)).destroy())

/** Gives one back that nobody has open any more: emptied, it serves the next test, which is quicker than another copy. */
export async function releaseDatabase(address: string): Promise<void> {
  if (!isPostgres(address)) return
  const client = new Client({ connectionString: address })
  await client.connect()
  await client.query(emptying)
  await client.end()
  process.env[releasedNames] = [...released(), nameIn(address)].join()
}

/** Kept in the environment: every file of tests has its own modules. */
const releasedNames = 'FILESTEAD_TEST_RELEASED'
const released = (): string[] => (process.env[releasedNames] ?? '').split(',').filter(Boolean)

/** Back to what the migrations leave, without the functions that tests break things with. */
const emptying = `
  drop function if exists refuse() cascade;
  set session_replication_role = replica;
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%' loop
      execute format('delete from %I', name);
    end loop;
  end $$;
  insert into mount (id, name, folder, links, read_only, source, history)
    values (1, 'Files', '', 'inside', 0, 'root', '{"trash":"on","versions":true}')`

/** A copy of one in PostgreSQL that nobody has opened. */
export const copyDatabase = async (from: string): Promise<string> => (await shared()).make(uniqueName(), nameIn(from))

/** Looks into the database of a server in another process, or of one that is down. */
export async function inDatabase<T>(address: string, work: (db: OpenDatabase) => Promise<T>): Promise<T> {
  const db = await openDatabase(address, { connections: 2 })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

/** A draft of a process that is gone. */
export const noteDraft = (address: string, place: string, target: string | null = null): Promise<void> =>
  inDatabase(address, async (db) => {
    const row = { place, target, owner: '4194305:1' }
    await db
      .insertInto('draft')
      .values(row)
      .onConflict((conflict) => conflict.column('place').doUpdateSet(row))
      .execute()
  })

/** Nothing happens to files: they go with their folder. */
export async function dropDatabase(address: string): Promise<void> {
  if (isPostgres(address)) await (await shared()).drop(nameIn(address))
}

let using: ReturnType<typeof sharedPostgres> | undefined
const shared = () => {
  using ??= sharedPostgres()
  return using
}

const uniqueName = (): string => `test_${crypto.randomUUID().replaceAll('-', '')}`
const nameIn = (address: string): string => new URL(address).pathname.slice(1)
