import { z } from 'zod'
import { FolderResource, Resource } from './resources.ts'
import { longestShareDuration, type ShareUnit, secondsInUnit, shareUnits } from './share-units.ts'

/** A public link to one file or folder. `expire` is in Unix seconds; 0 never expires. */
export const ShareLink = z.object({
  hash: z.string(),
  path: z.string(),
  userID: z.number(),
  expire: z.number(),
  hasPassword: z.boolean(),
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
    unit: z.union([z.enum(shareUnits), z.literal('').transform((): ShareUnit => 'hours')]).default('hours'),
  })
  .transform(({ password, expires = 0, unit }) => ({ password, seconds: expires * secondsInUnit[unit] }))

export type ShareTerms = z.infer<typeof ShareTerms>
/** The body that a client sends. */
export type ShareRequest = z.input<typeof ShareTerms>

const token = z.string().optional()

/** A file in the answer for a visitor. `token` opens downloads of a link with a password for an hour. */
export const SharedResource = Resource.extend({ token })
export type SharedResource = z.infer<typeof SharedResource>

/** A folder in the answer for a visitor. */
export const SharedFolder = FolderResource.extend({ token })
