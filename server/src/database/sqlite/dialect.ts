import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Connections, OpenTransaction } from './connections.ts'
import type { GroupedWrites } from './grouped-writes.ts'
import { toFailure } from './refusals.ts'

/** Kysely over these connections. Every transaction is serializable: SQLite has one writer at a time. */
export const dialectOver = (connections: Connections, late?: LateWrites): Dialect => ({
  createDriver: () => driverOver(connections, late),
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})

/** Rows that are written some milliseconds later are there for every query of this process that could read them. */
type LateWrites = Pick<GroupedWrites, 'caughtUp'>

function driverOver(connections: Connections, late: LateWrites | undefined): Driver {
  const transactions = new WeakMap<DatabaseConnection, OpenTransaction>()
  const transactionOf = (connection: DatabaseConnection): OpenTransaction => {
    const transaction = transactions.get(connection)
    if (transaction === undefined) throw new Error('There is no transaction')
    return transaction
  }
  const release = (connection: DatabaseConnection): void => {
    transactions.get(connection)?.release()
    transactions.delete(connection)
  }

  return {
    init: async () => {},
    acquireConnection: async () => new KyselyConnection(connections, transactions, late),
    async beginTransaction(connection) {
      await late?.caughtUp()
      transactions.set(connection, await connections.begin())
    },
    async commitTransaction(connection) {
      await transactionOf(connection).commit()
      release(connection)
    },
    async rollbackTransaction(connection) {
      try {
        transactionOf(connection).rollback()
      } finally {
        release(connection)
      }
    },
    releaseConnection: async (connection) => release(connection),
    // The engine closes the connections.
    destroy: async () => {},
  }
}

/** What Kysely takes for a connection; all of them share the two that there are. */
class KyselyConnection implements DatabaseConnection {
  constructor(
    private readonly connections: Connections,
    private readonly transactions: WeakMap<DatabaseConnection, OpenTransaction>,
    private readonly late: LateWrites | undefined,
  ) {}

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const { reader, writer, read, readLocked, write } = this.connections
    if (this.transactions.has(this)) return inTransaction(() => resultOf<Row>(writer.execute(sql, parameters)))
    // Asked beside a transaction by the work within it, it would wait for its own end.
    if (!writer.sqlite.inTransaction) await this.late?.caughtUp(sql)
    if (SelectQueryNode.is(query)) {
      const ask = () => reader.all(sql, parameters) as Row[]
      return { rows: await (reader === writer ? readLocked(ask) : read(ask)) }
    }
    return resultOf<Row>(await write(() => writer.execute(sql, parameters)))
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Rows are not streamed')
  }
}

function inTransaction<T>(ask: () => T): T {
  try {
    return ask()
  } catch (error) {
    throw toFailure(error)
  }
}

const resultOf = <Row>({ rows, changes }: { rows: unknown[]; changes: number | undefined }): QueryResult<Row> => ({
  rows: rows as Row[],
  ...(changes !== undefined && { numAffectedRows: BigInt(changes) }),
})
