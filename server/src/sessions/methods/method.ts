import type { Credentials, User } from '@filestead/contract'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import type { Source } from '../../http/networks.ts'

/** A request to sign in. */
export interface SignInAttempt extends Source {
  credentials(): Promise<Credentials>
  headers: Headers
  /** Did it come from a trusted proxy? */
  isFromTrustedProxy: boolean
  userAgent: string
  /** Called when the account is known. */
  recognised?(user: User): void
  cancellation: Cancellation
}

/** A user whose credentials were accepted. */
export interface Recognised {
  readonly user: User
  /** The hash that the password was checked against; undefined where a proxy or program vouches for the user. */
  readonly passwordHash?: string
}

/** Identifies the user of a sign-in; throws a Failure when the credentials are wrong. */
export type Method = (attempt: SignInAttempt) => Promise<Recognised>
