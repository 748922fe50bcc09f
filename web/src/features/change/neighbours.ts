/** What stands nearest to the entries that go: the one after the last of them, else the one before the first. */
export function neighbourOf<Item extends { name: string }>(
  entries: readonly Item[],
  going: readonly { name: string }[],
): Item | null {
  const names = new Set(going.map(({ name }) => name))
  const isGoing = ({ name }: Item) => names.has(name)
  const first = entries.findIndex(isGoing)
  if (first === -1) return null
  return entries[entries.findLastIndex(isGoing) + 1] ?? entries[first - 1] ?? null
}
