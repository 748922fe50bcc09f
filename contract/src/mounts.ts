import { z } from 'zod'
import { MountHistory } from './history.ts'

/** What a symlink in a mount may lead to: what lies in the same mount, or anything on the server. */
export const linkPolicies = ['inside', 'outside'] as const
export type LinkPolicy = (typeof linkPolicies)[number]

/** Where the files of a mount are: on a disk of the server, in a bucket, or on another server. */
export const storageKinds = ['disk', 's3', 'sftp'] as const
export type StorageKind = (typeof storageKinds)[number]

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
  /** Absent for a disk. */
  storage: z.enum(storageKinds).optional(),
  /** For administrators alone: what its storage cannot promise, in sentences. */
  weaknesses: z.array(z.string()).optional(),
  /** For administrators alone: why it is away, in a sentence. */
  problem: z.string().optional(),
  /** For administrators alone: the folder on the server or the address of another one, and what symlinks in it may lead to. */
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
  /** A full path of the server, or the address of a bucket or of another server. */
  folder: z.string().default(''),
  links: z.enum(linkPolicies).default('inside'),
  readOnly: z.boolean().default(false),
  /** What is left out stays as it is; a new mount keeps what the first one keeps. */
  history: MountHistory.partial().optional(),
})
export type MountRequest = z.infer<typeof MountRequest>

/** What is found at the address of a bucket or of another server before it becomes a mount. */
export const AddressCheck = z.object({
  /** A sentence that says why it cannot be a mount; absent where it can. */
  refusal: z.string().optional(),
  /** Of a server whose key is not confirmed yet: its fingerprint. */
  hostKey: z.string().optional(),
  weaknesses: z.array(z.string()),
})
export type AddressCheck = z.infer<typeof AddressCheck>

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
