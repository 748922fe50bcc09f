import { z } from 'zod'

/**
 * Records as File Browser wrote them. Like Go's decoder, the schemas take keys in any case (the YAML exports are in lower
 * case), and null or a missing key for the zero value.
 */
const record = <Shape extends z.ZodRawShape>(shape: Shape) => z.preprocess(smallKeys, z.object(shape))

function smallKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const pairs = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(pairs.map(([key, inner]) => [key.toLowerCase(), inner]))
}

const text = z.string().default('')
const flag = z.boolean().default(false)
const list = <Item extends z.ZodType>(item: Item) => z.array(item).default([])
/** A 64-bit integer of Go; those beyond 2⁵³ become the largest safe one. */
const count = z
  .number()
  .default(0)
  .transform((value) => Math.min(Math.max(Math.trunc(value), -Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER))

const OldRule = record({
  regex: flag,
  allow: flag,
  path: text,
  regexp: record({ raw: text }).optional(),
})
export type OldRule = z.infer<typeof OldRule>

const OldPermissions = record({
  admin: flag,
  execute: flag,
  create: flag,
  rename: flag,
  modify: flag,
  delete: flag,
  share: flag,
  download: flag,
})

const OldSorting = record({ by: text, asc: flag })

const preferences = {
  scope: text,
  locale: text,
  viewmode: text,
  singleclick: flag,
  redirectaftercopymove: flag,
  sorting: OldSorting.prefault({}),
  perm: OldPermissions.prefault({}),
  commands: list(z.string()),
  hidedotfiles: flag,
  dateformat: flag,
  aceeditortheme: text,
}

const account = { ...preferences, username: text, password: text, lockpassword: flag, rules: list(OldRule) }

export const OldUser = record({ ...account, id: z.number().int().positive() })
export type OldUser = z.infer<typeof OldUser>

/**
 * A user in a database. Scope and permissions are required: every release wrote them, but forks of File Browser keep them
 * elsewhere, and a user without a scope would see everything.
 */
export const StoredUser = record({
  ...account,
  id: z.number().int().positive(),
  scope: z.string({ error: 'it is missing. Is this the database of another program that descends from File Browser?' }),
  perm: OldPermissions,
})

/** A user in an import: new if the id is missing or not in use. */
export const ListedUser = record({ ...account, id: z.number().int().nonnegative().default(0) })

export const OldShare = record({
  hash: text,
  path: text,
  userid: z.number().int().nonnegative().default(0),
  expire: count,
  password_hash: text,
  token: text,
})
export type OldShare = z.infer<typeof OldShare>

/** Base64 in JSON, a list of numbers in YAML. */
const OldKey = z
  .union([z.string(), z.array(z.number().int().min(0).max(255))])
  .default('')
  .transform((key) => (typeof key === 'string' ? Buffer.from(key, 'base64') : Buffer.from(key)))

export const OldSettings = record({
  key: OldKey,
  signup: flag,
  hideloginbutton: flag,
  createuserdir: flag,
  userhomebasepath: text,
  defaults: record(preferences).prefault({}),
  authmethod: text,
  logoutpage: text,
  branding: record({
    name: text,
    disableexternal: flag,
    disableusedpercentage: flag,
    files: text,
    theme: text,
    color: text,
  }).prefault({}),
  tus: record({ chunksize: count, retrycount: count }).prefault({}),
  commands: z.record(z.string(), z.array(z.string()).nullable()).default({}),
  shell: list(z.string()),
  rules: list(OldRule),
  minimumpasswordlength: count,
  filemode: count,
  dirmode: count,
})
export type OldSettings = z.infer<typeof OldSettings>

const optionalText = z.string().optional()
const optionalFlag = z.boolean().optional()

/** Missing switches are newer than the record, and take their defaults. */
export const OldServer = record({
  root: optionalText,
  baseurl: optionalText,
  socket: optionalText,
  tlskey: optionalText,
  tlscert: optionalText,
  port: z.union([z.string(), z.number()]).transform(String).optional(),
  address: optionalText,
  log: optionalText,
  enablethumbnails: optionalFlag,
  resizepreview: optionalFlag,
  enableexec: optionalFlag,
  typedetectionbyheader: optionalFlag,
  // The exports spell it in two ways.
  imageresolutioncalculation: optionalFlag,
  imageresolutioncal: optionalFlag,
  tokenexpirationtime: optionalText,
  followexternalsymlinks: optionalFlag,
})
export type OldServer = z.infer<typeof OldServer>

export const OldAuther = record({
  recaptcha: record({ host: text, key: text, secret: text }).optional(),
  header: text,
  command: text,
})
export type OldAuther = z.infer<typeof OldAuther>
