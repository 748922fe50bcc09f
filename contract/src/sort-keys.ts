/** What a listing can be ordered by. Whatever else a client sends is taken for the default. */
export const sortKeys = ['name', 'size', 'modified'] as const
export type SortKey = (typeof sortKeys)[number]

export const isSortKey = (text: string): text is SortKey => (sortKeys as readonly string[]).includes(text)
