/** What is made of the items, in their order; so many are under way at once. */
export async function* ahead<Item, Made>(
  most: number,
  items: Iterable<Item>,
  make: (item: Item) => Promise<Made>,
): AsyncGenerator<Made> {
  const underWay: Promise<Made>[] = []
  for (const item of items) {
    const made = make(item)
    // Thrown where it is awaited; until then it must not count as unhandled.
    made.catch(() => {})
    underWay.push(made)
    if (underWay.length === most) yield (await underWay.shift()) as Made
  }
  for (const made of underWay) yield await made
}

/** Of looks at a disk, which more would only wait for. */
const looksAtOnce = 16

export const someAtOnce = <Item, Made>(items: readonly Item[], make: (item: Item) => Promise<Made>): Promise<Made[]> =>
  Array.fromAsync(ahead(looksAtOnce, items, make))
