import { type CompiledQuery, SelectQueryNode } from 'kysely'
import type { Pool } from 'pg'
import { deadline } from '../../concurrency/deadline.ts'
import { type DatabaseProblem, DatabaseRefusal, type Engine, type Parameters } from '../port.ts'
import type { Listening } from './doorbell.ts'
import { connect, valuesOf } from './pool.ts'
import { isAway, toFailure } from './refusals.ts'

/** The port over PostgreSQL. */
export function engineOver(
  pool: Pool,
  doorbell: Listening,
  { synced = () => {} }: { synced?: () => void } = {},
): Engine {
  let statements = 0
  let closing: Promise<void> | undefined
  /** Each connection parses and plans a named statement once. */
  const named = (text: string) => {
    statements += 1
    const name = `filestead_${statements}`
    return (parameters: Parameters) => ask(pool, { name, text, values: valuesOf(parameters) })
  }

  const change: Engine['change'] = ({ sql }) => {
    const ask = named(sql)
    return async (parameters) => void (await ask(parameters))
  }

  return {
    isOnOneKernel: false,
    isExclusive: false,
    doorbell,
    presence: doorbell.presence,
    first<Row>(query: CompiledQuery<Row>) {
      const find = named(firstOnly(query))
      return async (parameters) => (await find(parameters))[0] as Row | undefined
    },
    change,
    // The server of the database groups commits by itself.
    changeLater: change,
    // A commit is answered once it is on the server's disk, unless its administrator has chosen otherwise.
    sync: async () => synced(),
    probe: () => probe(pool),
    // What stands behind an address is the server's to know.
    inspect: () => {},
    close() {
      // A server that hangs does not see its connections end.
      closing ??= deadline(
        Promise.all([doorbell.close(), pool.end()]).then(() => {}),
        longestClosing,
        undefined,
      )
      return closing
    },
  }
}

const firstOnly = ({ sql, query }: CompiledQuery): string =>
  SelectQueryNode.is(query) && query.limit === undefined && query.endModifiers === undefined ? `${sql} limit 1` : sql

/** On a connection of its own for the time of the query: never inside of a transaction. */
async function ask(pool: Pool, query: { name?: string; text: string; values?: unknown[] }): Promise<unknown[]> {
  const client = await connect(pool)
  let isBroken = false
  try {
    return (await client.query(query)).rows
  } catch (error) {
    isBroken = isAway(error)
    throw toFailure(error)
  } finally {
    client.release(isBroken)
  }
}

/** In milliseconds. */
const longestProbe = 2000
const longestClosing = 2000

const readProbe = "select name from setting where name = 'settings'"
const writeProbe =
  "insert into counter as c (name, value) values ('probe', 1) on conflict (name) do update set value = c.value + 1"

const probe = (pool: Pool): Promise<DatabaseProblem | undefined> => deadline(tryBoth(pool), longestProbe, 'away')

async function tryBoth(pool: Pool): Promise<DatabaseProblem | undefined> {
  const read = await problemOf(ask(pool, { text: readProbe }), 'unreadable')
  return read ?? problemOf(ask(pool, { text: writeProbe }), 'unwritable')
}

async function problemOf(asking: Promise<unknown>, otherwise: DatabaseProblem): Promise<DatabaseProblem | undefined> {
  try {
    await asking
    return undefined
  } catch (error) {
    return error instanceof DatabaseRefusal ? error.problem : otherwise
  }
}
