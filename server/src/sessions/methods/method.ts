import type { Credentials, User } from '@filestead/contract'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import type { Source } from '../../http/networks.ts'

/** What a request to sign in brings along. */
export interface SignInAttempt extends Source {
  credentials(): Promise<Credentials>
  headers: Headers
  /** Did a proxy send it whose word we take? */
  isFromTrustedProxy: boolean
  userAgent: string
  /** Called once it is known whose account it is. */
  recognised?(user: User): void
  cancellation: Cancellation
}

/** Who somebody is. */
export interface Recognised {
  readonly user: User
  /** What the password was checked against; none where somebody else vouches for the user. */
  readonly passwordHash?: string
}

/** Decides who somebody is; throws a Failure when it cannot tell. */
export type Method = (attempt: SignInAttempt) => Promise<Recognised>
