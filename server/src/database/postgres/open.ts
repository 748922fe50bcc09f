import { Kysely } from 'kysely'
import type { ClientConfig, Pool } from 'pg'
import { Failure } from '../../failure.ts'
import { shownAddress } from '../address.ts'
import { endsOlderServers, isFromNewerVersion, isUpToDate, migrateToLatest } from '../migrations/migrations.ts'
import { OpenDatabase } from '../port.ts'
import type { Database } from '../schema.ts'
import { dialectOver, dialectWithin } from './dialect.ts'
import { doorbellOver, findPresent } from './doorbell.ts'
import { engineOver } from './engine.ts'
import { connect, connectionsTo, type PoolClient } from './pool.ts'
import { openingFailure } from './refusals.ts'
import { hasSessions } from './sessions.ts'

export interface PostgresOptions {
  /** Refuses a pooler without sessions. Commands are so short that they need none. */
  isServer?: boolean
  /** The most connections of this process, besides the one that listens for the doorbell. */
  connections?: number
  /** No statement is ended for taking long: for commands that copy whole tables. */
  isUnhurried?: boolean
  /** Called whenever what has been committed is known to survive a power cut. */
  synced?: () => void
}

/** Opens the database, and brings its tables up to date. Several processes may do so at once. */
export async function openPostgres(address: string, options: PostgresOptions = {}): Promise<OpenDatabase> {
  const { pool, settings } = connectionsTo(address, options.connections ?? 10, options.isUnhurried)
  try {
    if (options.isServer) await withClient(pool, (client) => requireSessions(client, settings, address))
    await bringUpToDate(pool, address)
  } catch (error) {
    await pool.end()
    throw openingFailure(error, address)
  }
  const engine = engineOver(pool, doorbellOver(pool, settings), options)
  return new OpenDatabase({ dialect: dialectOver(pool) }, engine)
}

async function bringUpToDate(pool: Pool, address: string): Promise<void> {
  const done = await withClient(pool, (client) => migrationsDone(client, address))
  if (isUpToDate(done)) return
  // Migrations of large tables take their time, and others wait for their end.
  const unhurried = connectionsTo(address, 1, true).pool
  try {
    await withClient(unhurried, (client) => migrate(client, address))
  } finally {
    await unhurried.end()
  }
}

async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await connect(pool)
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

async function migrate(client: PoolClient, address: string): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`select pg_advisory_xact_lock(${migrationLock})`)
    // Another node may have migrated while this one waited for the lock.
    const done = await migrationsDone(client, address)
    if (done.length > 0 && endsOlderServers(done)) await requireNoServers(client, address)
    if (!isUpToDate(done)) await changeTables(client, done)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

const countTables = `insert into counter (name, value) values ('tables', 1)
  on conflict (name) do update set value = counter.value + 1`

/** A server that could not be seen, because it was cut off, is told by the counter that it cannot go on. */
async function changeTables(client: PoolClient, done: readonly string[]): Promise<void> {
  await migrateToLatest(new Kysely<Database>({ dialect: dialectWithin(client) }))
  if (done.length > 0 && endsOlderServers(done)) await client.query(countTables)
}

/** A server of an older version would fail with the new tables, or write what the new version does not understand. */
async function requireNoServers(client: PoolClient, address: string): Promise<void> {
  const { rows } = await client.query<{ host: string; version: string }>(findPresent)
  if (rows.length === 0) return
  const names = rows.map(({ host, version }) => `${host} (${version})`).join(', ')
  throw new Failure(
    'invalid',
    `This version changes the tables of ${shownAddress(address)}, which servers of another version cannot go on with. Stop these first: ${names}`,
  )
}

/** LISTEN, the lock of a node and prepared statements belong to a session. */
async function requireSessions(client: PoolClient, settings: ClientConfig, address: string): Promise<void> {
  if (await hasSessions(client, settings)) return
  throw new Failure(
    'invalid',
    `${shownAddress(address)} is a pooler that gives every transaction another connection, where servers do not hear of each other. Have it give each client its own (PgBouncer: pool_mode = session), or name the PostgreSQL behind it`,
  )
}

/** Any number that no other program over the same database would choose. */
const migrationLock = 7_061_996_338_401
const oldestVersion = 13

interface Facts {
  version: number
  encoding: string
  tables: number
  own: number
}

/** Refuses a database that is not for this version, before anything in it is changed. */
async function migrationsDone(client: PoolClient, address: string): Promise<string[]> {
  const { rows } = await client.query<Facts>(`select current_setting('server_version_num')::int8 / 10000 as version,
    current_setting('server_encoding') as encoding, count(*) as tables,
    count(*) filter (where tablename = 'kysely_migration') as own
    from pg_tables where schemaname = current_schema()`)
  const [{ version, encoding, tables, own } = { version: 0, encoding: '', tables: 0, own: 0 }] = rows
  const shown = shownAddress(address)
  if (version < oldestVersion)
    throw new Failure('invalid', `${shown} is PostgreSQL ${version}. Filestead needs ${oldestVersion} or newer`)
  if (encoding !== 'UTF8')
    throw new Failure('invalid', `${shown} keeps texts as ${encoding}. Make a database with the encoding UTF8`)
  if (tables > 0 && own === 0)
    throw new Failure('invalid', `${shown} is a database of another program. Name another one with --database`)
  if (own === 0) return []
  const done = await client.query<{ name: string }>('select name from kysely_migration')
  const names = done.rows.map(({ name }) => name)
  if (isFromNewerVersion(names))
    throw new Failure(
      'invalid',
      `${shown} was last used by a newer version of Filestead than this one. Install that version again, or restore a backup that this one has made`,
    )
  return names
}
