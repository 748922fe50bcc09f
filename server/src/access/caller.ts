import type { User } from '@filestead/contract'
import type { Versions } from '../database/versions.ts'

/** The user and session that a request belongs to. */
export interface Caller {
  readonly user: User
  readonly sessionId: string
  /** The token runs out soon or carries outdated preferences: the client should fetch a new one. */
  readonly shouldRenew: boolean
  /** As they were when the account was read. */
  readonly versions: Versions
}
