import { z } from 'zod'
import { FolderResource, Resource } from './resources.ts'
import { longestShareDuration, longestShareLabel, type ShareUnit, secondsInUnit, shareUnits } from './share-units.ts'

/**
 * A public link to one file or folder. `path` is empty where its owner does not see that any more. `expire` is in Unix
 * seconds; 0 never expires. `label` is what the owner calls it, `created` when it was made, in Unix seconds; links from
 * before they were kept have neither.
 */
export const ShareLink = z.object({
  hash: z.string(),
  path: z.string(),
  userID: z.number(),
  expire: z.number(),
  hasPassword: z.boolean(),
  label: z.string().optional(),
  created: z.number().optional(),
})
export type ShareLink = z.infer<typeof ShareLink>

const notANumber = 'must be a whole number above 0, or empty for a link that stays'

/** How a new link is to be; on the wire a time is a text and a unit. `seconds` is 0 for a link that stays. */
export const ShareTerms = z
  .object({
    password: z.string().max(1000).default(''),
    expires: z
      .union([z.literal(''), z.string().regex(/^\s*\d{1,15}\s*$/), z.number().int()], notANumber)
      .default('')
      .transform((value) => (value === '' ? undefined : Number(value)))
      .refine((value) => value === undefined || value > 0, notANumber)
      .refine((value) => value === undefined || value <= longestShareDuration, 'is too far away'),
    label: z.string().trim().max(longestShareLabel).default(''),
    unit: z.union([z.enum(shareUnits), z.literal('').transform((): ShareUnit => 'hours')]).default('hours'),
  })
  .transform(({ password, expires = 0, unit, label }) => ({ password, seconds: expires * secondsInUnit[unit], label }))

export type ShareTerms = z.infer<typeof ShareTerms>
/** The body that a client sends. */
export type ShareRequest = z.input<typeof ShareTerms>

const ofLink = { token: z.string().optional(), expire: z.number().optional() }

/**
 * A file in the answer for a visitor. `token` opens downloads of a link with a password for an hour; `expire` is the end
 * of the link in Unix seconds, where it has one.
 */
export const SharedResource = Resource.extend(ofLink)
export type SharedResource = z.infer<typeof SharedResource>

/** A folder in the answer for a visitor. */
export const SharedFolder = FolderResource.extend(ofLink)
