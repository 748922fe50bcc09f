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
import type { Connections, Turn } from './connections.ts'
import { toFailure } from './refusals.ts'

/** Kysely over our connections. Every transaction is serializable: SQLite has one writer at a time. */
export const dialectOver = (connections: Connections): Dialect => ({
  createDriver: () => driverOver(connections),
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})

function driverOver(connections: Connections): Driver {
  const turns = new WeakMap<DatabaseConnection, Turn>()
  const turnOf = (connection: DatabaseConnection): Turn => {
    const turn = turns.get(connection)
    if (turn === undefined) throw new Error('There is no transaction')
    return turn
  }
  const endTurn = (connection: DatabaseConnection): void => {
    turns.get(connection)?.end()
    turns.delete(connection)
  }

  return {
    init: async () => {},
    acquireConnection: async () => new Connection(connections, turns),
    async beginTransaction(connection) {
      turns.set(connection, await connections.begin())
    },
    async commitTransaction(connection) {
      turnOf(connection).commit()
      endTurn(connection)
    },
    async rollbackTransaction(connection) {
      try {
        turnOf(connection).rollback()
      } finally {
        endTurn(connection)
      }
    },
    releaseConnection: async (connection) => endTurn(connection),
    // The engine closes the connections.
    destroy: async () => {},
  }
}

class Connection implements DatabaseConnection {
  constructor(
    private readonly connections: Connections,
    private readonly turns: WeakMap<DatabaseConnection, Turn>,
  ) {}

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const { reader, writer, read, readInTurn, write } = this.connections
    if (this.turns.has(this)) return inTransaction(() => resultOf<Row>(writer.execute(sql, parameters)))
    if (SelectQueryNode.is(query)) {
      const ask = () => reader.all(sql, parameters) as Row[]
      return { rows: await (reader === writer ? readInTurn(ask) : read(ask)) }
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
