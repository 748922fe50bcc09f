import { parentOf } from '@filestead/contract'
import { type UseQueryResult, useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { ApiError } from '../../server/client.ts'
import { foldersKey, foldersQuery, inNaturalOrder } from '../../server/queries/folders.ts'
import { type Entry, type Folder, isFolder } from '../../server/queries/resources.ts'
import { type OpenFolder, openInSight } from './tree-rows.ts'

/** The folders in each folder that is open, asked for when it is opened. */
export function useOpenFolders(opened: ReadonlySet<string>): ReadonlyMap<string, OpenFolder> {
  const paths = useMemo(() => openInSight(opened), [opened])
  const combine = useCallback(
    (results: UseQueryResult<readonly string[]>[]) =>
      new Map(
        paths.map((path, index): [string, OpenFolder] => {
          const { data, error } = results[index] ?? {}
          return [path, { names: data, error: data === undefined ? (error ?? null) : null }]
        }),
      ),
    [paths],
  )
  return useQueries({ queries: paths.map(foldersQuery), combine })
}

/**
 * Keeps trees in step with what else is read: a listing tells the folders in it, and a folder that is not there any more
 * has its parent read again. So a tree shows what was renamed elsewhere as soon as anything else does.
 */
export function useTreeInStep(onGone: (path: string) => void): void {
  const client = useQueryClient()
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated') return
        const [kind, path] = event.query.queryKey
        if (typeof path !== 'string') return
        const { action } = event
        if (action.type === 'success' && kind === 'resource') {
          const shown = client.getQueryData<readonly string[]>(foldersKey(path))
          const names = shown && namesIn(event.query.state.data as Entry | Folder, shown)
          if (names !== undefined) client.setQueryData(foldersKey(path), names)
        }
        const isGone = action.type === 'error' && action.error instanceof ApiError && action.error.status === 404
        if (isGone && (kind === 'resource' || kind === 'folders') && path !== '/') {
          onGone(path)
          void client.invalidateQueries({ queryKey: foldersKey(parentOf(path)), exact: true })
        }
      }),
    [client, onGone],
  )
}

/** The folders of a listing, where they are not those that are shown already. */
export function namesIn(listing: Entry | Folder, shown: readonly string[]): string[] | undefined {
  if (!isFolder(listing)) return undefined
  const names = listing.items.flatMap(({ isDir, name }) => (isDir ? name : []))
  const known = new Set(shown)
  return names.length === shown.length && names.every((name) => known.has(name)) ? undefined : inNaturalOrder(names)
}
