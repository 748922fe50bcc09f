/** What a listing can be ordered by. Whatever else a client sends is taken for the default. */
export const sortKeys = ['name', 'size', 'modified'] as const
export type SortKey = (typeof sortKeys)[number]

export const isSortKey = (text: string): text is SortKey => (sortKeys as readonly string[]).includes(text)

/**
 * With a large folder, which is long on its way: the order of its entries in JSON, as the folder tells it behind them. A small
 * folder is there at once and has none.
 */
export const sortingHeader = 'X-Sorting'
