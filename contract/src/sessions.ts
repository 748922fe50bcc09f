import { z } from 'zod'
import type { Permissions } from './permissions.ts'

/** In UTF-16 units. A longer password could be stored, but nobody could sign in with it. */
export const longestPassword = 4096

export const Credentials = z.object({
  username: z.string().max(1024),
  password: z.string().max(longestPassword),
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
