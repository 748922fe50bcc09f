import type { TakeoverCode } from '@filestead/contract'
import type { NewShareRow } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { firstMount, locationIn } from '../mounts/location.ts'
import { tokenHash } from '../shares/passes.ts'
import { parsePath, rebase, type VirtualPath } from '../storage/path.ts'
import type { OldShare } from './old-records.ts'

/** The owner of a share. */
export interface Owner {
  readonly scope: VirtualPath
  readonly mayShare: boolean
}

/** A share that is taken over, or the reason why it is not. */
export type ShareOutcome = KeptShare | { leftBehind: TakeoverCode }

export interface KeptShare {
  readonly row: NewShareRow
  /** In the scope of its owner. */
  readonly path: VirtualPath
  /** Empty where the share had no token. */
  readonly tokenHash: string
}

export function outcomeOf(old: OldShare, owners: ReadonlyMap<number, Owner>, now: number): ShareOutcome {
  // Zero means never; negative times are past.
  if (old.expire !== 0 && old.expire <= now) return { leftBehind: 'share-expired' }
  const owner = owners.get(old.userid)
  if (owner === undefined) return { leftBehind: 'share-without-owner' }
  const path = pathOf(old)
  if (path === undefined || old.hash === '' || old.hash.includes('/')) return { leftBehind: 'share-unusable' }
  return {
    row: {
      hash: old.hash,
      user_id: old.userid,
      location: locationIn(firstMount, rebase(owner.scope, path)),
      expires_at: old.expire,
      password_hash: old.password_hash,
    },
    path,
    tokenHash: old.password_hash === '' || old.token === '' ? '' : tokenHash(old.token),
  }
}

function pathOf({ path }: OldShare): VirtualPath | undefined {
  try {
    return parsePath(path)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
