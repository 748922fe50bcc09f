import { createHash, timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.ts'
import { inheritedTokenHash, type Share } from './store.ts'

/** Long and random, so that a plain hash is enough to keep. */
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** Is this the token that File Browser put into the download addresses of this very link? They were sent around. */
export async function isInheritedToken(db: Kysely<Database>, { link }: Share, token: string): Promise<boolean> {
  if (token === '') return false
  const known = await inheritedTokenHash(db, link.hash)
  if (known === undefined) return false
  return timingSafeEqual(Buffer.from(known), Buffer.from(tokenHash(token)))
}
