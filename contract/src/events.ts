import { z } from 'zod'
import { noticeTopics } from './job-words.ts'
import { Job } from './jobs.ts'
import { Resource } from './resources.ts'

/** What changed in a folder that is open: entries as they are now, and names that are gone. */
export const FolderChanged = z.object({
  folder: z.string(),
  put: z.array(Resource),
  gone: z.array(z.string()),
})
export type FolderChanged = z.infer<typeof FolderChanged>

/** So much changed in a folder, or so little is known of it, that it has to be listed again. It may be gone. */
export const FolderStale = z.object({ folder: z.string() })
export type FolderStale = z.infer<typeof FolderStale>

/** An upload of the account, from whichever device: its file, and how many bytes of it have arrived. */
export const UploadChanged = z.object({
  path: z.string(),
  offset: z.number(),
  length: z.number(),
  state: z.enum(['running', 'done', 'ended']),
})
export type UploadChanged = z.infer<typeof UploadChanged>

/**
 * The server-sent events of `GET /api/events`, by name. `hello` begins a connection; `reset` begins one that could not be
 * continued after the event that the client knows: whatever it shows may be outdated.
 */
export const ServerEvents = {
  hello: z.object({}),
  reset: z.object({}),
  folder: FolderChanged,
  stale: FolderStale,
  job: Job,
  /** A job that is listed no longer. */
  'job-gone': z.object({ id: z.string() }),
  upload: UploadChanged,
  notice: z.object({ topic: z.enum(noticeTopics) }),
} as const
export type ServerEvent = {
  [Name in keyof typeof ServerEvents]: { name: Name; data: z.infer<(typeof ServerEvents)[Name]> }
}[keyof typeof ServerEvents]
