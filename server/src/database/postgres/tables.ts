import { Client } from 'pg'
import type { Database } from '../schema.ts'
import type { Tables } from '../tables.ts'
import { settingsFor } from './pool.ts'
import { openingFailure } from './refusals.ts'

/** Some tables of a database as they are, which is not opened for that: nothing is made or migrated. A missing one has no rows. */
export async function tablesAt(address: string, names: readonly (keyof Database)[]): Promise<Tables> {
  const client = new Client(settingsFor(address))
  client.on('error', () => {})
  try {
    await client.connect()
    const read = new Map<string, unknown[]>()
    for (const name of [...names, 'kysely_migration']) read.set(name, await rowsOf(client, name))
    const rows = <Row>(table: string) => (read.get(table) ?? []) as Row[]
    return {
      rows,
      migrations: () =>
        rows<{ name: string }>('kysely_migration')
          .map(({ name }) => name)
          .sort(),
    }
  } catch (error) {
    throw openingFailure(error, address)
  } finally {
    await client.end().catch(() => {})
  }
}

async function rowsOf(client: Client, table: string): Promise<unknown[]> {
  try {
    return (await client.query(`select * from ${client.escapeIdentifier(table)}`)).rows
  } catch (error) {
    if ((error as { code?: unknown }).code === noSuchTable) return []
    throw error
  }
}

const noSuchTable = '42P01'
