import type { Query, QueryClient } from '@tanstack/react-query'

/**
 * How many entries the listings may have together that are in the cache and no longer in view, besides the newest one. A
 * listing of 100,000 takes about 30 MB, and would stay for minutes after its folder was left.
 */
const mostEntries = 50_000

/** Removes listings that nothing shows and that do not fit within the limit; the newest are kept first. */
export function boundListings(client: QueryClient): void {
  const queries = client.getQueryCache()
  queries.subscribe(({ type }) => {
    if (type !== 'observerRemoved') return
    const [, ...older] = queries
      .findAll({ queryKey: ['resource'], fetchStatus: 'idle', predicate: (query) => query.getObserversCount() === 0 })
      .toSorted((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt)
    let entries = 0
    for (const query of older) {
      const length = lengthOf(query)
      if (entries + length > mostEntries) queries.remove(query)
      else entries += length
    }
  })
}

function lengthOf({ state: { data } }: Query): number {
  const { items } = (data ?? {}) as { items?: readonly unknown[] }
  return items?.length ?? 0
}
