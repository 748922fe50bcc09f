import { nameOf, parentOf } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { cache } from './cache.ts'
import { type Entry, entriesNamed, resourceQuery } from './resources.ts'

/** What may be done in a folder, asked without a listing of it. Empty where the folder cannot be found. */
export const folderRightsQuery = (path: string) =>
  queryOptions({
    queryKey: ['folder-rights', path],
    queryFn: async ({ signal }): Promise<readonly Pick<Entry, 'can'>[]> =>
      path === '/'
        ? [await cache().fetchQuery({ ...resourceQuery('/'), staleTime: 10_000 })]
        : entriesNamed(parentOf(path), [nameOf(path)], signal),
    staleTime: 10_000,
  })
