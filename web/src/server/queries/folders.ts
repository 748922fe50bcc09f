import { compareText, encodePath, type FolderNames, naturalKey } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { getJson } from '../client.ts'

export const foldersKey = (path: string) => ['folders', path] as const

/** The names of the folders in a folder, in natural order: what a tree shows, without a listing of the files. */
export const foldersQuery = (path: string) =>
  queryOptions({
    queryKey: foldersKey(path),
    queryFn: async ({ signal }): Promise<readonly string[]> =>
      (await getJson<FolderNames>(`folders${encodePath(path)}`, { signal })).names,
    staleTime: 30_000,
  })

/** In the order in which the server tells them. Each key is made once: there may be 100,000 names. */
export const inNaturalOrder = (names: Iterable<string>): string[] =>
  [...names]
    .map((name) => ({ name, key: naturalKey(name) }))
    .sort((a, b) => compareText(a.key, b.key) || compareText(a.name, b.name))
    .map(({ name }) => name)
