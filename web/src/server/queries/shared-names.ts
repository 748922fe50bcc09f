import { encodePath } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { getJson } from '../client.ts'

/**
 * The names in a folder that links of the user lead to. Apart from the other questions about links: a listing asks this
 * one, and its first visit does without the others.
 */
export const sharedNamesQuery = (folder: string) =>
  queryOptions({
    queryKey: ['shares', 'in', folder],
    queryFn: async ({ signal }) => new Set(await getJson<string[]>(`shared${encodePath(folder)}`, { signal })),
  })
