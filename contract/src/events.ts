import { z } from 'zod'
import { mostOpenFolders, noticeTopics } from './job-words.ts'
import { Job } from './jobs.ts'
import { Resource } from './resources.ts'

/** What changed in a folder that is open: entries as they are now, and names that are gone. */
export const FolderChanged = z.object({
  folder: z.string(),
  put: z.array(Resource),
  gone: z.array(z.string()),
  /** The time of the folder itself. */
  modified: z.string().optional(),
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

/** What is listened to. */
export const EventsQuery = z.object({
  folder: z.array(z.string()).max(mostOpenFolders).default([]).describe('a folder that is open; may be repeated'),
  last: z.string().optional().describe('the id of the last event that is known, as the header Last-Event-ID'),
  all: z.string().optional().describe('true: jobs of all accounts, for administrators'),
  seconds: z.coerce
    .number()
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .describe('the stream ends after so many; 0: with what is known now'),
})

/**
 * The server-sent events of `GET /api/events`, by name. `hello` begins a connection; `reset` begins one that could not be
 * continued after the event that the client knows: whatever it shows may be outdated.
 */
export const ServerEvents = {
  /** The folders that are watched from now on, and when each was last modified, as its listing tells it. */
  hello: z.object({ folders: z.record(z.string(), z.string()) }),
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
