import { z } from 'zod'
import type { Permissions } from './permissions.ts'
import type { UserTheme } from './users.ts'

/** In UTF-16 units. A longer password could be stored, but no sign-in would take it. */
export const longestPassword = 4096

export const Credentials = z.object({
  // What is left out is wrong, and no mistake in the request: as in File Browser.
  username: z.string().max(1024).default(''),
  password: z.string().max(longestPassword).default(''),
  recaptcha: z.string().default(''),
})
export type Credentials = z.infer<typeof Credentials>

/** The user as a token carries it: preferences for the client, never a secret and never the scope. */
export interface TokenUser {
  id: number
  locale: string
  viewMode: string
  singleClick: boolean
  redirectAfterCopyMove: boolean
  perm: Permissions
  commands: string[]
  lockPassword: boolean
  hideDotfiles: boolean
  dateFormat: boolean
  username: string
  aceEditorTheme: string
  /** Unknown to File Browser clients, and absent where it was never chosen. */
  theme?: UserTheme
}

/** One place where a user is signed in, for the list of sessions. Times are Unix seconds. */
export const SessionInfo = z.object({
  id: z.string(),
  created: z.number(),
  lastUsed: z.number(),
  address: z.string(),
  userAgent: z.string(),
  current: z.boolean(),
})
export type SessionInfo = z.infer<typeof SessionInfo>

/** When a user signed in last. Unix seconds; users that never did are left out. */
export const LastSignIn = z.object({ userId: z.number(), at: z.number() })
export type LastSignIn = z.infer<typeof LastSignIn>
