import type { Kysely } from 'kysely'
import { presenceOf } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { allNodes } from './store.ts'

/** Refuses while servers work on a database that machines share. One in a file is locked instead. */
export async function requireNoServers(db: Kysely<Database>): Promise<void> {
  const presence = presenceOf(db)
  if (presence === undefined) return
  const nodes = await allNodes(db)
  const absent = await presence.absent(nodes.map(({ id }) => id))
  const serving = nodes.filter(({ id }) => !absent.includes(id))
  if (serving.length > 0)
    throw new Failure(
      'locked',
      `a server on ${[...new Set(serving.map(({ host }) => host))].join(', ')} is using the database; stop it first`,
    )
}
