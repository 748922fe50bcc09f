import { z } from 'zod'

/** Who says who is in a group. Only local ones are edited here. */
export const groupSources = ['local', 'ldap', 'oidc'] as const
export type GroupSource = (typeof groupSources)[number]

export const Group = z.object({
  id: z.number().int(),
  name: z.string(),
  source: z.enum(groupSources),
  /** The ids of users. */
  members: z.array(z.number().int()),
})
export type Group = z.infer<typeof Group>

export const GroupRequest = z.object({
  name: z.string().trim().min(1).max(100),
  members: z.array(z.number().int().positive()).max(100_000).default([]),
})
export type GroupRequest = z.infer<typeof GroupRequest>

/** The groups of one user. */
export const GroupIds = z.object({ groups: z.array(z.number().int().positive()).max(10_000) })
export type GroupIds = z.infer<typeof GroupIds>
