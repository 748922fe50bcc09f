/**
 * What an edited list of ids becomes where the stored one has changed meanwhile: those that were added here are added, those
 * that were removed here are removed, and what another administrator did stays.
 */
export function merged(seen: readonly number[], edited: readonly number[], stored: readonly number[]): number[] {
  const [before, after] = [new Set(seen), new Set(edited)]
  const kept = stored.filter((id) => after.has(id) || !before.has(id))
  return inOrder([...new Set([...kept, ...edited.filter((id) => !before.has(id))])])
}

/** Lists of the same ids are the same list. */
export const inOrder = (ids: readonly number[]): number[] => ids.toSorted((a, b) => a - b)
