import { encodePath, type Favourite } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { call, getJson } from '../client.ts'
import { cache } from './cache.ts'

export const favouritesQuery = () =>
  queryOptions({
    queryKey: ['favourites'],
    queryFn: async ({ signal }): Promise<readonly string[]> =>
      (await getJson<Favourite[]>('favourites', { signal })).map(({ path }) => path),
    staleTime: 60_000,
  })

export async function changeFavourite(path: string, isAdded: boolean, signal: AbortSignal): Promise<void> {
  await call(isAdded ? 'PUT' : 'DELETE', `favourites${encodePath(path)}`, { signal })
  signal.throwIfAborted()
  cache().setQueryData(favouritesQuery().queryKey, (known) => {
    const others = known?.filter((other) => other !== path)
    return others && isAdded ? [...others, path] : others
  })
}
