import { z } from 'zod'
import { MountHistory } from './history.ts'

/** What a symlink in a mount may lead to: what lies in the same mount, or anything on the server. */
export const linkPolicies = ['inside', 'outside'] as const
export type LinkPolicy = (typeof linkPolicies)[number]

/** The first segment of all paths in a mount. */
const MountName = z.string().trim().min(1).max(100)

/** A part of what the caller sees. Where there is one mount alone its path is '/'. */
export const Mount = z.object({
  id: z.number().int(),
  name: z.string(),
  /** Where it begins for the caller; absent for an administrator who may see nothing in it. */
  path: z.string().optional(),
  /** The home of the caller, which lies in the first mount. */
  isHome: z.boolean(),
  /** Its disk is not there, or does not answer. */
  isAway: z.boolean(),
  readOnly: z.boolean(),
  /** For administrators alone: the folder on the server, and what symlinks in it may lead to. */
  folder: z.string().optional(),
  links: z.enum(linkPolicies).optional(),
  /** For administrators alone: the folder of the mount in which `path` begins; '/' but for a home. */
  base: z.string().optional(),
  /** For administrators alone: how many users and groups have a grant that allows something in it. */
  subjects: z.number().int().optional(),
  /** For administrators alone: named on the command line or in a config file, and changed there. */
  isFixed: z.boolean().optional(),
  /** Is what is removed kept? */
  hasTrash: z.boolean(),
  hasVersions: z.boolean(),
  /** For administrators alone. */
  history: MountHistory.optional(),
})
export type Mount = z.infer<typeof Mount>

/** A new mount, or what it shall be from now on. The folder of the first one is chosen by `--root`. */
export const MountRequest = z.object({
  name: MountName,
  folder: z.string().default(''),
  links: z.enum(linkPolicies).default('inside'),
  readOnly: z.boolean().default(false),
  /** What is left out stays as it is; a new mount keeps what the first one keeps. */
  history: MountHistory.partial().optional(),
})
export type MountRequest = z.infer<typeof MountRequest>

/** A folder of the server in the picker, with the folders in it. */
export const ServerFolder = z.object({
  folder: z.string(),
  /** Undefined at the top, where the folders are those that the command line allows. */
  parent: z.string().optional(),
  names: z.array(z.string()),
  /** A sentence that says why it cannot be a mount; absent where it can. */
  refusal: z.string().optional(),
})
export type ServerFolder = z.infer<typeof ServerFolder>
