import { z } from 'zod'

/** The verbs a user may have. `admin` also opens users and settings. */
export const permissionNames = [
  'admin',
  'execute',
  'create',
  'rename',
  'modify',
  'delete',
  'share',
  'download',
] as const

export type Permission = (typeof permissionNames)[number]

const Flag = z.boolean().default(false)

export const Permissions = z.object({
  admin: Flag,
  execute: Flag,
  create: Flag,
  rename: Flag,
  modify: Flag,
  delete: Flag,
  share: Flag,
  download: Flag,
}) satisfies z.ZodType<Record<Permission, boolean>>

export type Permissions = z.infer<typeof Permissions>
