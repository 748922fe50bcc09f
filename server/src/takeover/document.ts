import { TakeoverReport } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Given } from '../config/config.ts'
import type { Database } from '../database/schema.ts'
import { documentOf, saveDocument } from '../settings/store.ts'

/** The stored record of a takeover. */
export const TakeoverDocument = z.object({
  report: TakeoverReport,
  parts: z.array(z.enum(['settings', 'users', 'shares'])),
  /** Old files with the signing key and hashes: reading them allows to sign in as any user. */
  files: z.array(z.string()),
  /** Commands were taken over that must not run before an administrator confirms them. */
  awaitsConfirmation: z.boolean(),
  isSeen: z.boolean(),
})
export type TakeoverDocument = z.infer<typeof TakeoverDocument>

export async function takeoverIn(db: Kysely<Database>): Promise<TakeoverDocument | undefined> {
  const row = await documentOf(db, 'takeover')
  return row && TakeoverDocument.parse(JSON.parse(row.value))
}

/** The report until an administrator has closed it. */
export async function unseenReport(db: Kysely<Database>): Promise<TakeoverReport | undefined> {
  const document = await takeoverIn(db)
  return document === undefined || document.isSeen ? undefined : document.report
}

export async function markSeen(db: Kysely<Database>): Promise<void> {
  const document = await takeoverIn(db)
  if (document !== undefined && !document.isSeen) await saveDocument(db, 'takeover', { ...document, isSeen: true })
}

/** Commands are confirmed by the stored option alone: old flags and variables would switch them on unread. */
export async function areCommandsWaiting(db: Kysely<Database>, stored: Given): Promise<boolean> {
  return stored.disableExec !== false && ((await takeoverIn(db))?.awaitsConfirmation ?? false)
}
