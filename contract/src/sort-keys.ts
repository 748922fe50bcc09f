/** What a listing can be ordered by. Whatever else a client sends is taken for the default. */
export const sortKeys = ['name', 'size', 'modified'] as const
export type SortKey = (typeof sortKeys)[number]

export const isSortKey = (text: string): text is SortKey => (sortKeys as readonly string[]).includes(text)

/**
 * Of the answer with a large folder, which is long on its way: the order of its entries, by a key and with the `asc` that the
 * folder tells behind them. A small folder is there at once and has none.
 */
export const sortingHeader = 'X-Sorting'

interface KeySorting {
  by: SortKey
  asc: boolean
}

export const sortingText = ({ by, asc }: KeySorting): string => `${by}; asc=${asc}`

/** Null for anything that `sortingText` does not write. */
export function parseSorting(text: string | null): KeySorting | null {
  const [, by = '', asc] = /^(\w+); asc=(true|false)$/.exec(text ?? '') ?? []
  return isSortKey(by) ? { by, asc: asc === 'true' } : null
}
