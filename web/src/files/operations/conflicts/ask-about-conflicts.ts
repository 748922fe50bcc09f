import { askWith } from '../../../dialogs/ask.ts'
import type { Conflict, Decision, TransferKind } from './conflicts.ts'
import type { Decided } from './plan.ts'

/**
 * Asks what happens to names that are taken already: all at once, or one by one. Answers one decision per conflict, in
 * the same order, or `null` when nothing shall be transferred at all.
 */
export async function askAboutConflicts(
  conflicts: readonly Conflict[],
  kind: TransferKind,
): Promise<readonly Decision[] | null> {
  if (conflicts.length === 0) return []
  return (await askWithNotes({ conflicts, kind }))?.decisions ?? null
}

export interface ConflictQuestion {
  conflicts: readonly Conflict[]
  kind: TransferKind
  /** So many are there already as they are: they are not asked about. */
  identical?: number
  /** There are more than can be shown. */
  isCut?: boolean
}

export const askWithNotes = (question: ConflictQuestion): Promise<Decided | null> =>
  askWith(async () => (await import('./ConflictDialog.tsx')).ConflictDialog, question)
