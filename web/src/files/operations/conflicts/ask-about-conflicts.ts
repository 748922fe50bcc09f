import { askWith } from '../../../dialogs/prompts.ts'
import type { Conflict, Decision } from './conflicts.ts'

/**
 * Asks what happens to names that are taken already: all at once, or one by one. Answers one decision per conflict, in
 * the same order, or `null` when nothing shall be transferred at all. Keeping both is not offered for uploads.
 */
export async function askAboutConflicts(
  conflicts: readonly Conflict[],
  kind: 'upload' | 'transfer',
): Promise<Decision[] | null> {
  if (conflicts.length === 0) return []
  return askWith(async () => (await import('./ConflictPrompt.tsx')).ConflictPrompt, { conflicts, kind })
}
