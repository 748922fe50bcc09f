import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.ts'
import { inheritedTokenHash, type Share } from './store.ts'

/** A pass replaces the password of one share for an hour. It may be part of an address, since it does not reveal the password. */
export interface Passes {
  issue(share: Share, now: number): string
  isValid(pass: string, share: Share, now: number): boolean
}

const lifetime = 3600

/** Nothing is stored: the signature covers share, owner and password, so a pass ends when one of them changes. */
export function passesSignedWith(secret: Uint8Array): Passes {
  const signatureOf = ({ link, passwordHash }: Share, expiry: string): string =>
    createHmac('sha256', secret)
      // As it was called when the first were issued.
      .update(JSON.stringify(['share grant', link.hash, link.userID, passwordHash, expiry]))
      .digest('base64url')

  return {
    issue(share, now) {
      const expiry = (now + lifetime).toString(36)
      return `${expiry}.${signatureOf(share, expiry)}`
    },
    isValid(pass, share, now) {
      const [expiry = '', signature = ''] = pass.split('.')
      return isSame(signature, signatureOf(share, expiry)) && Number.parseInt(expiry, 36) > now
    },
  }
}

/** A fast hash is enough for a token that is long and random. */
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** Is this the token that File Browser put into the download addresses of this share? Such addresses are still in use. */
export async function isInheritedToken(db: Kysely<Database>, { link }: Share, token: string): Promise<boolean> {
  if (token === '') return false
  const known = await inheritedTokenHash(db, link.hash)
  if (known === undefined) return false
  return isSame(known, tokenHash(token))
}

function isSame(one: string, two: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(two)]
  return a.length === b.length && timingSafeEqual(a, b)
}
