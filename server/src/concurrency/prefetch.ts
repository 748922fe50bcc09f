/** Does the work for the next few items while the current one is in use. Results come in the order of the items. */
export async function* prefetch<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item) => Promise<Result>,
  most: number,
): AsyncGenerator<{ item: Item; result: Result }> {
  const begun: { item: Item; result: Promise<Result> }[] = []
  try {
    for await (const item of items) {
      const result = work(item)
      // Thrown where the result is taken; until then it must not count as unhandled.
      result.catch(() => {})
      begun.push({ item, result })
      if (begun.length >= most) yield* first(begun)
    }
    while (begun.length > 0) yield* first(begun)
  } finally {
    await Promise.allSettled(begun.map(({ result }) => result))
  }
}

async function* first<Item, Result>(begun: { item: Item; result: Promise<Result> }[]) {
  const next = begun[0]
  if (next === undefined) return
  const result = await next.result
  begun.shift()
  yield { item: next.item, result }
}
