import { createHash } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import { transaction } from './port.ts'
import type { Database } from './schema.ts'
import { tables } from './tables.ts'

type Row = Readonly<Record<string, unknown>>
/** Tables and columns that are known by name only. */
type AnyTables = Record<string, Record<string, unknown>>

/** What is about servers that run, and of no use in another database. */
const leftOut: ReadonlySet<string> = new Set(['node', 'message'])
const copied = Object.entries(tables).filter(([table]) => !leftOut.has(table))

/** So many rows are read and written at once. No table has so many columns that a statement would be too long. */
const batchSize = 500
/** Of tables whose rows may have megabytes: PostgreSQL takes no statement of a gigabyte, and all of it is in memory several times. */
const smallBatchSize = 8
const longRows: ReadonlySet<string> = new Set(['job', 'job_plan'])

type Check = (target: Transaction<Database>) => Promise<void>

export interface CopyChecks {
  /** Of what is there and would be replaced. */
  readonly before?: Check
  readonly after?: Check
}

/**
 * Puts every row of one database into another one in place of what is there, in one transaction, reads it again there, and
 * compares. Both have the tables of this version. Answers how many rows there are. What a check throws undoes all of it.
 */
export async function copyDatabase(
  from: Kysely<Database>,
  to: Kysely<Database>,
  { before, after }: CopyChecks = {},
): Promise<number> {
  // What is written meanwhile is seen in no table, or in all of them.
  return transaction(from, 'serializable', (source) =>
    transaction(to, 'serializable', async (target) => {
      await before?.(target)
      const rows = await copyAll(source, target)
      await after?.(target)
      return rows
    }),
  )
}

async function copyAll(source: Transaction<Database>, target: Transaction<Database>): Promise<number> {
  const [reading, writing] = [anyTables(source), anyTables(target)]
  for (const [table] of Object.entries(tables).toReversed()) await writing.deleteFrom(table).execute()
  let rows = 0
  for (const [table, key] of copied) {
    const sent = await summed(rowsOf(reading, table, key), async (batch) => {
      await writing.insertInto(table).values(batch).execute()
    })
    const arrived = await summed(rowsOf(writing, table, key))
    if (sent.count !== arrived.count || sent.sum !== arrived.sum)
      throw new Error(`Table ${table} did not arrive as it was: ${sent.count} rows, ${arrived.count} arrived`)
    rows += sent.count
  }
  return rows
}

const anyTables = (trx: Transaction<Database>): Kysely<AnyTables> => trx as unknown as Kysely<AnyTables>

/** In the order of their keys, which is the same in every database: texts are compared by their bytes. */
async function* rowsOf(db: Kysely<AnyTables>, table: string, key: readonly string[]): AsyncGenerator<Row[]> {
  const columns = sql.join(key.map((name) => sql.ref(name)))
  const size = longRows.has(table) ? smallBatchSize : batchSize
  let last: Row | undefined
  do {
    const after = last
    const batch: Row[] = await db
      .selectFrom(table)
      .selectAll()
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`(${columns}) > (${sql.join(key.map((name) => after?.[name]))})`),
      )
      .orderBy(columns)
      .limit(size)
      .execute()
    if (batch.length > 0) yield batch
    last = batch.length === size ? batch.at(-1) : undefined
  } while (last !== undefined)
}

interface Sum {
  readonly count: number
  readonly sum: string
}

async function summed(batches: AsyncIterable<Row[]>, take: (batch: Row[]) => Promise<void> = async () => {}) {
  const hash = createHash('sha256')
  let count = 0
  for await (const batch of batches) {
    await take(batch)
    count += batch.length
    for (const row of batch) hash.update(`${JSON.stringify(Object.entries(row).sort(byName))}\n`)
  }
  return { count, sum: hash.digest('hex') } satisfies Sum
}

const byName = ([one]: [string, unknown], [two]: [string, unknown]): number => (one < two ? -1 : 1)
