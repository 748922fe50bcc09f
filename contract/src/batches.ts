import { z } from 'zod'
import { batchLimits } from './batch-limits.ts'
import type { Problem } from './failures.ts'

/** The line before the bytes of each file of a batch. */
export const BatchHead = z.object({
  path: z.string(),
  length: z.int().min(0).max(batchLimits.fileSize),
  override: z.boolean().default(false),
  /** As in the header Upload-Metadata of tus. */
  metadata: z.string().default(''),
})
export type BatchHead = z.input<typeof BatchHead>

/** What became of a file of a batch; without a path, why the files that follow were not read. */
export interface BatchOutcome extends Partial<Problem> {
  readonly path?: string
  readonly status: number
}
