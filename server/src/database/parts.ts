/** As many values as one statement takes. */
const mostValues = 500

export function* inParts<Item>(items: readonly Item[], most = mostValues): Generator<Item[]> {
  for (let start = 0; start < items.length; start += most) yield items.slice(start, start + most)
}
