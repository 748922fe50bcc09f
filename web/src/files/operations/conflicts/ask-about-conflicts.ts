import { askWith } from '../../../dialogs/ask.ts'
import type { Conflict, Decision, TransferKind } from './conflicts.ts'

/**
 * Asks what happens to names that are taken already: all at once, or one by one. Answers one decision per conflict, in
 * the same order, or `null` when nothing shall be transferred at all.
 */
export async function askAboutConflicts(
  conflicts: readonly Conflict[],
  kind: TransferKind,
): Promise<Decision[] | null> {
  if (conflicts.length === 0) return []
  return askWith(async () => (await import('./ConflictDialog.tsx')).ConflictDialog, { conflicts, kind })
}
