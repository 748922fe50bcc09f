import { z } from 'zod'

/** What a camera has noted in a picture. */
export const Photo = z.object({
  /** The camera's local time, without a zone: 2024-05-17T18:03:22. */
  taken: z.string().optional(),
  camera: z.string().optional(),
  lens: z.string().optional(),
  /** In seconds. */
  exposure: z.number().optional(),
  /** The f-number. */
  aperture: z.number().optional(),
  iso: z.number().optional(),
  /** In millimetres. */
  focalLength: z.number().optional(),
  /** In degrees; south and west are negative. */
  latitude: z.number().optional(),
  longitude: z.number().optional(),
})
export type Photo = z.infer<typeof Photo>

/** The size of a picture or film in pixels, turned as it is shown. */
export const MediaFacts = z.object({
  width: z.number(),
  height: z.number(),
  /** Of a film, in seconds. */
  duration: z.number().optional(),
  photo: Photo.optional(),
})
export type MediaFacts = z.infer<typeof MediaFacts>

export const NamedMediaFacts = MediaFacts.omit({ photo: true }).extend({ name: z.string() })
export type NamedMediaFacts = z.infer<typeof NamedMediaFacts>

/** So many names a request for the facts of media may have. */
export const mostMediaNames = 200
