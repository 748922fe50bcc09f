/** '; did you mean "port"?' for "prot", or nothing where no name is near. */
export function suggestion(word: string, names: readonly string[]): string {
  const plain = (text: string) => text.toLowerCase().replace(/[-_]/g, '')
  const [nearest] = names
    .map((name) => ({ name, distance: distanceBetween(plain(word), plain(name)) }))
    .filter(({ name, distance }) => distance <= Math.min(3, Math.ceil(plain(name).length / 3)))
    .sort((one, other) => one.distance - other.distance)
  return nearest === undefined ? '' : `; did you mean ${JSON.stringify(nearest.name)}?`
}

/** How many letters have to be changed, added, left out or swapped with the next one. */
function distanceBetween(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0
  for (let row = 1; row <= one.length; row += 1) {
    rows.push([row])
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped && column > 1 ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(one.length, other.length)
}
