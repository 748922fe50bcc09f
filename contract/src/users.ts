import { z } from 'zod'
import { Permissions } from './permissions.ts'
import { listOf, Rule } from './rules.ts'
import { longestPassword } from './sessions.ts'

/**
 * How a listing is ordered: `by` is a sort key, or any other text for the default. `asc: false` with `by: 'name'` means
 * A to Z: old clients rely on it.
 */
export const Sorting = z.object({
  by: z.string().default(''),
  asc: z.boolean().default(false),
})
export type Sorting = z.infer<typeof Sorting>

/** File Browser clients send an empty text for the default. */
const usualText = (usual: string) =>
  z
    .string()
    .default(usual)
    .transform((text) => text || usual)

/** The defaults of a new user: preferences and permissions. */
export const UserDefaults = z.object({
  scope: z.string().default('.'),
  locale: usualText('en'),
  viewMode: usualText('mosaic'),
  singleClick: z.boolean().default(false),
  redirectAfterCopyMove: z.boolean().default(true),
  sorting: Sorting.prefault({}),
  perm: Permissions.prefault({}),
  commands: listOf(z.string()),
  hideDotfiles: z.boolean().default(false),
  dateFormat: z.boolean().default(false),
  aceEditorTheme: z.string().default(''),
})
export type UserDefaults = z.infer<typeof UserDefaults>

/** How the client looks for one user, whatever the instance has; unknown to File Browser. Empty: as the instance. */
export const userThemes = ['', 'system', 'light', 'dark'] as const
export type UserTheme = (typeof userThemes)[number]

/** A user as the API takes and shows one; in answers the password is always blank. */
export const User = z.object({
  id: z.number().int().nonnegative().default(0),
  username: z.string().default(''),
  password: z.string().default(''),
  scope: z.string().default(''),
  locale: z.string().default(''),
  lockPassword: z.boolean().default(false),
  viewMode: z.string().default(''),
  singleClick: z.boolean().default(false),
  redirectAfterCopyMove: z.boolean().default(false),
  perm: Permissions.prefault({}),
  commands: listOf(z.string()),
  sorting: Sorting.prefault({}),
  rules: listOf(Rule),
  hideDotfiles: z.boolean().default(false),
  dateFormat: z.boolean().default(false),
  aceEditorTheme: z.string().default(''),
  /** Absent where it was never chosen, and left as it is by a client that does not send it. */
  theme: z.enum(userThemes).optional(),
})
export type User = z.infer<typeof User>

/** Preferences that any account may choose are in its token, and a token that no header has room for would lock it out. */
const Chosen = z.string().max(100).default('')
const UserData = User.extend({
  locale: Chosen,
  viewMode: Chosen,
  aceEditorTheme: Chosen,
  sorting: Sorting.extend({ by: Chosen }).prefault({}),
})

const CurrentPassword = z.string().default('')

/** The body of a change of a user. */
export const UserRequest = z
  .object({
    what: z.string(),
    which: listOf(z.string()),
    current_password: CurrentPassword,
    data: UserData,
    /** Of a new user, unknown to File Browser: a folder named after it, whatever the settings say. */
    own_folder: z.boolean().optional(),
  })
  .refine(({ what }) => what === 'user', 'invalid data type')
export type UserRequest = z.infer<typeof UserRequest>

export const UserRemoval = z.object({ current_password: CurrentPassword })
export type UserRemoval = z.infer<typeof UserRemoval>

export const SignupRequest = z.object({
  username: z.string().min(1).max(255),
  password: z.string().min(1).max(longestPassword),
})
