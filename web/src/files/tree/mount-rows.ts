import type { Mount } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { getJson } from '../../server/client.ts'
import { mountsQuery } from '../../server/queries/mounts.ts'
import type { OpenFolder, TreeRow } from './tree-rows.ts'

/** How often the server is asked whether a mount is there still, or again, in milliseconds. */
const therePause = 60_000
const awayPause = 15_000

/** The mounts at the top, by their paths; none where there is one alone. Without an answer the tree shows plain folders. */
export function useMounts(): ReadonlyMap<string, Mount> {
  const { data } = useQuery({
    ...mountsQuery(),
    // Asked by the clock, which must not keep a session alive.
    queryFn: ({ signal }) => getJson<Mount[]>('mounts', { signal, isBackground: true }),
    staleTime: therePause,
    retry: false,
    refetchInterval: ({ state: { data = [] } }) =>
      data.length > 1 && (data.some(({ isAway }) => isAway) ? awayPause : therePause),
  })
  return useMemo(
    () =>
      new Map(data?.flatMap((mount) => (mount.path === undefined || mount.path === '/' ? [] : [[mount.path, mount]]))),
    [data],
  )
}

/** The home comes first, then the mounts by name. */
export function withOrder(
  known: ReadonlyMap<string, OpenFolder>,
  mounts: ReadonlyMap<string, Mount>,
): ReadonlyMap<string, OpenFolder> {
  const root = known.get('/')
  if (root?.names === undefined || mounts.size === 0) return known
  const isHome = (name: string) => mounts.get(`/${name}`)?.isHome === true
  const names = root.names.toSorted((a, b) => Number(isHome(b)) - Number(isHome(a)))
  return new Map([...known, ['/', { ...root, names }]])
}

/** Each has the mark of its storage. Those whose disk is away say so. */
export const withMounts = (
  rows: readonly TreeRow[],
  mounts: ReadonlyMap<string, Mount>,
  away: string,
): readonly TreeRow[] =>
  mounts.size === 0
    ? rows
    : rows.map((row) => {
        const mount = mounts.get(row.key)
        if (mount === undefined) return row
        const { isHome, isAway, storage } = mount
        return { ...row, isHome, ...(storage && { storage }), ...(isAway && { note: away, isAway }) }
      })
