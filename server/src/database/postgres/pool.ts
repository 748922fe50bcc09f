import { type ClientConfig, Pool, type PoolClient } from 'pg'
import { Failure } from '../../failure.ts'
import { DatabaseRefusal } from '../port.ts'
import { settingsFor } from './settings.ts'

export type { PoolClient }

/** In milliseconds. */
const patience = {
  /** For a statement; the server ends it then. */
  statement: 15_000,
  /** For its answer: a server that hangs does not even end statements. */
  answer: 17_000,
}

export interface Connections {
  readonly pool: Pool
  readonly settings: ClientConfig
}

/** The connections of one process. Those that break are left out, and made anew when they are needed. */
export function connectionsTo(address: string, most: number, isUnhurried = false): Connections {
  const settings = settingsFor(address)
  const limited = { query_timeout: patience.answer, onConnect: limit }
  const options = { ...settings, max: most, idleTimeoutMillis: 60_000, ...(!isUnhurried && limited) }
  const pool = new Pool(options)
  // Without a listener an error would end the process: of one that is idle, and of one between two statements.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  return { pool, settings }
}

/** Not by parameters of the connection: poolers refuse those that they do not know. */
const limit = (client: Pick<PoolClient, 'query'>) =>
  client.query(
    `set statement_timeout = ${patience.statement}; set idle_in_transaction_session_timeout = ${patience.statement}`,
  )

/** Whatever keeps a connection from being made, such as a certificate that has expired: nothing is answered. */
export async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw error instanceof Failure ? error : new DatabaseRefusal('away', error)
  }
}

/** SQLite takes flags as numbers. */
export const valuesOf = (parameters: readonly unknown[]): unknown[] =>
  parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value))
