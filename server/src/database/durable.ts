import { open } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import { connectionsOf } from './open.ts'
import type { Database } from './schema.ts'

/**
 * Waits until everything committed so far survives a power cut. Commits are quick because they do not wait for the disk;
 * whoever acknowledges something that must not be forgotten asks for this afterwards.
 */
export async function durable(db: Kysely<Database>): Promise<void> {
  const identity = connectionsOf(db)?.identity
  if (identity?.log === undefined) return
  identity.require()
  const log = await open(identity.log, 'r')
  try {
    await log.sync()
  } finally {
    await log.close()
  }
}
