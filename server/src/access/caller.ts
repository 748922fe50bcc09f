import type { User } from '@filestead/contract'

/** The user and session that a request belongs to. */
export interface Caller {
  readonly user: User
  readonly sessionId: string
  /** The token runs out soon or carries outdated preferences: the client should fetch a new one. */
  readonly shouldRenew: boolean
}
