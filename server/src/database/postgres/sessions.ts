import { randomUUID } from 'node:crypto'
import { Client, type ClientConfig } from 'pg'
import type { PoolClient } from './pool.ts'

/**
 * Does a connection lead to one session of the server as long as it lasts? Behind a pooler with other ideas two connections
 * are given the same session, or one is given another while a transaction has its former one.
 */
export async function hasSessions(one: PoolClient, settings: ClientConfig): Promise<boolean> {
  const two = new Client(settings)
  two.on('error', () => {})
  try {
    await two.connect()
    const mark = randomUUID()
    const isMarked = async () => {
      const { rows } = await two.query(`select current_setting('filestead.mark', true) as mark`)
      return rows[0].mark === mark
    }
    const marked = await two.query(`select pg_backend_pid() as pid, set_config('filestead.mark', $1, false)`, [mark])
    // Some poolers take the session that was used last, others take turns.
    if (!(await isMarked())) return false
    await one.query('begin')
    const { rows } = await one.query('select pg_backend_pid() as pid')
    if (rows[0].pid === marked.rows[0].pid || !(await isMarked())) return false
    // Now there are two to choose from, in case the second was opened only for the first one's transaction.
    await one.query('rollback')
    return (await isMarked()) && (await isMarked())
  } finally {
    await one.query('rollback').catch(() => {})
    await two.end().catch(() => {})
  }
}
