import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Share } from './store.ts'

/** Stands in for the password of one share, for a while: fit to be part of an address, since it tells nothing. */
export interface Grants {
  issue(share: Share, now: number): string
  isValid(grant: string, share: Share, now: number): boolean
}

const lifetime = 3600

/** Nothing is stored: a share that is gone, another password or another owner make a signature that does not fit. */
export function grantsSignedWith(secret: Uint8Array): Grants {
  const signatureOf = ({ link, passwordHash }: Share, expiry: string): string =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['share grant', link.hash, link.userID, passwordHash, expiry]))
      .digest('base64url')

  return {
    issue(share, now) {
      const expiry = (now + lifetime).toString(36)
      return `${expiry}.${signatureOf(share, expiry)}`
    },
    isValid(grant, share, now) {
      const [expiry = '', signature = ''] = grant.split('.')
      return isSame(signature, signatureOf(share, expiry)) && Number.parseInt(expiry, 36) > now
    },
  }
}

function isSame(one: string, two: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(two)]
  return a.length === b.length && timingSafeEqual(a, b)
}
