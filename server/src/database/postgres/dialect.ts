import {
  type CompiledQuery,
  type DatabaseConnection,
  type DataTypeNode,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Pool } from 'pg'
import { connect, type PoolClient, valuesOf } from './pool.ts'
import { isAway, toFailure } from './refusals.ts'

/** Kysely over the connections of a pool. */
export const dialectOver = (pool: Pool): Dialect => dialectWith(driverOver(pool), new PostgresAdapter())

/** Kysely within the transaction of one connection, which is begun and ended elsewhere. */
export const dialectWithin = (client: PoolClient): Dialect => dialectWith(driverWithin(client), new AdapterWithin())

const dialectWith = (driver: Driver, adapter: PostgresAdapter): Dialect => ({
  createDriver: () => driver,
  createAdapter: () => adapter,
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new Compiler(),
})

/**
 * Texts are compared by their bytes, whatever the language of the database, and a number is as large as in SQLite: both
 * databases have the same migrations.
 */
class Compiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    const type = columnTypes[node.dataType]
    if (type === undefined) super.visitDataType(node)
    else this.append(type)
  }
}

const columnTypes: Readonly<Record<string, string>> = { text: 'text collate "C"', integer: 'bigint' }

/** The lock is held, and the transaction open, before any migration is looked at. */
class AdapterWithin extends PostgresAdapter {
  override get supportsTransactionalDdl(): boolean {
    return false
  }
  override async acquireMigrationLock(): Promise<void> {}
}

const driverOver = (pool: Pool): Driver => ({
  init: async () => {},
  acquireConnection: async () => new Connection(await connect(pool)),
  beginTransaction: (connection, { isolationLevel = 'read committed' }) =>
    clientOf(connection).run(`begin isolation level ${isolationLevel}`),
  commitTransaction: (connection) => clientOf(connection).run('commit'),
  rollbackTransaction: (connection) => clientOf(connection).rollBack(),
  releaseConnection: async (connection) => clientOf(connection).release(),
  // The engine closes the connections.
  destroy: async () => {},
})

const driverWithin = (client: PoolClient): Driver => {
  const connection = new Connection(client)
  const nothing = async () => {}
  return {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  }
}

function clientOf(connection: DatabaseConnection): Connection {
  if (connection instanceof Connection) return connection
  throw new Error('This is a connection of another driver')
}

class Connection implements DatabaseConnection {
  private isBroken = false

  constructor(private readonly client: PoolClient) {}

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { command, rowCount, rows } = await this.client.query(sql, valuesOf(parameters))
      const isChange = changes.has(command) && rowCount !== null
      return { rows, ...(isChange && { numAffectedRows: BigInt(rowCount) }) }
    } catch (error) {
      // What may still be under way on it must not be part of what the next one does.
      this.isBroken ||= isAway(error)
      throw toFailure(error)
    }
  }

  async run(sql: string): Promise<void> {
    try {
      const { command } = await this.client.query(sql)
      // A transaction that has failed is undone by its end, whatever that was to be.
      if (sql === 'commit' && command === 'ROLLBACK') throw new Error('The transaction was undone')
    } catch (error) {
      this.isBroken = true
      throw toFailure(error)
    }
  }

  /** A connection that is given up needs none, and one that does not answer would be waited for once more. */
  async rollBack(): Promise<void> {
    if (!this.isBroken) await this.run('rollback')
  }

  release(): void {
    this.client.release(this.isBroken)
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Rows are not streamed')
  }
}

const changes: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
