/** " (Did you mean users?)", or nothing where no name is close. */
export function suggestion(word: string, names: readonly string[]): string {
  const [nearest] = names
    .map((name) => ({ name, distance: distanceBetween(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .sort((one, other) => one.distance - other.distance)
  return nearest === undefined ? '' : ` (Did you mean ${nearest.name}?)`
}

/** How many letters must be added, dropped or changed to get from one word to the other. */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (const [column, wanted] of [...other].entries())
      next.push(
        Math.min((row[column] ?? 0) + (letter === wanted ? 0 : 1), (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1),
      )
    row = next
  }
  return row.at(-1) ?? 0
}
