import { type ClientConfig, Pool, type PoolClient, types } from 'pg'
import { toFailure } from './refusals.ts'

export type { PoolClient }

/** In milliseconds. */
export const patience = {
  /** For a free connection, or a new one. */
  connection: 5000,
  /** For a statement; the server ends it then. */
  statement: 15_000,
  /** For its answer: a server that hangs does not even end statements. */
  answer: 17_000,
}

export interface Connections {
  readonly pool: Pool
  readonly settings: ClientConfig
}

export const settingsFor = (address: string): ClientConfig => ({
  connectionString: address,
  application_name: 'filestead',
  connectionTimeoutMillis: patience.connection,
  keepAlive: true,
  types: { getTypeParser: parserOf as typeof types.getTypeParser },
})

/** The connections of one process. Those that break are left out, and made anew when they are needed. */
export function connectionsTo(address: string, most: number, isUnhurried = false): Connections {
  const settings = settingsFor(address)
  const limits = {
    statement_timeout: patience.statement,
    query_timeout: patience.answer,
    idle_in_transaction_session_timeout: patience.statement,
  }
  const pool = new Pool({ ...settings, max: most, ...(!isUnhurried && limits), idleTimeoutMillis: 60_000 })
  // Without a listener an error would end the process: of one that is idle, and of one between two statements.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  return { pool, settings }
}

export async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw toFailure(error)
  }
}

const numeric: ReadonlySet<number> = new Set([types.builtins.INT8, types.builtins.NUMERIC])
const toFlag = (text: string): number => (text === 't' ? 1 : 0)

/** Numbers are numbers, and flags 0 or 1, as the schema has them. */
function parserOf(type: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (numeric.has(type)) return Number
  if (type === types.builtins.BOOL) return toFlag
  return types.getTypeParser(type, format as 'text')
}

/** SQLite takes flags as numbers. */
export const valuesOf = (parameters: readonly unknown[]): unknown[] =>
  parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value))
