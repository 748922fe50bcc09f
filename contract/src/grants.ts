import { z } from 'zod'
import { Rights } from './rights.ts'

/** 'user:3', 'group:2', 'everybody' for every account, or 'guest' for visitors who have not signed in. */
export const Subject = z.string().regex(/^(user:[1-9]\d*|group:[1-9]\d*|everybody|guest)$/, 'not a subject')
export type Subject = z.infer<typeof Subject>

export const Grant = z.object({
  id: z.number().int(),
  subject: Subject,
  /** Of the user or group; the word itself for 'everybody' and 'guest'. */
  name: z.string(),
  mount: z.number().int(),
  /** The path in the mount; '/' for all of it. */
  folder: z.string(),
  /** None means: nothing from here on down. */
  rights: Rights,
})
export type Grant = z.infer<typeof Grant>

/** Makes a grant, or replaces that of the same subject for the same folder. */
export const GrantRequest = z.object({
  subject: Subject,
  mount: z.number().int().positive(),
  folder: z.string(),
  rights: Rights,
})
export type GrantRequest = z.infer<typeof GrantRequest>

export const GrantChange = z.object({ rights: Rights })

/** What one person may do at one path, and what decides it. */
export const Why = z.object({
  /** What the person can do there in the end. */
  rights: Rights,
  /** Only the names that lead on to other folders are shown. */
  isCorridor: z.boolean(),
  /** The grants of the deepest folder, which add up. None where no folder on the way has a grant for this person. */
  deciding: z.array(Grant.extend({ isHome: z.boolean() })),
  /** One sentence each: what decides, and what would have to change. */
  reason: z.string(),
  change: z.string(),
})
export type Why = z.infer<typeof Why>
