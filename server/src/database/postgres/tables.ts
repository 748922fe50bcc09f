import { Client } from 'pg'
import type { Database } from '../schema.ts'
import { type Tables, tablesWith } from '../tables.ts'
import { findNodes } from './doorbell.ts'
import { openingFailure } from './refusals.ts'
import { settingsFor } from './settings.ts'

/** Some tables of a database as they are, which is not opened for that: nothing is made or migrated. A missing one has no rows. */
export const tablesAt = (address: string, names: readonly (keyof Database)[]): Promise<Tables> =>
  lookAt(address, async (client) => {
    const read = new Map<string, unknown[]>()
    for (const name of [...names, 'kysely_migration'])
      read.set(name, await rowsOf(client, `select * from ${client.escapeIdentifier(name)}`))
    return tablesWith(<Row>(table: string) => (read.get(table) ?? []) as Row[])
  })

/** A server that has a row, and whether it has a connection, too. */
export interface SeenNode {
  readonly host: string
  /** Empty where it was too old to tell. */
  readonly version: string
  readonly isPresent: boolean
}

export const nodesAt = (address: string): Promise<SeenNode[]> =>
  lookAt(address, (client) => rowsOf<SeenNode>(client, findNodes))

async function lookAt<T>(address: string, look: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(settingsFor(address))
  client.on('error', () => {})
  try {
    await client.connect()
    return await look(client)
  } catch (error) {
    throw openingFailure(error, address)
  } finally {
    await client.end().catch(() => {})
  }
}

async function rowsOf<Row extends object>(client: Client, query: string): Promise<Row[]> {
  try {
    return (await client.query<Row>(query)).rows
  } catch (error) {
    if (missing.includes((error as { code?: string }).code ?? '')) return []
    throw error
  }
}

/** A table or a column that migrations have yet to make. */
const missing = ['42P01', '42703']
