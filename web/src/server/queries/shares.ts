import {
  encodePath,
  type FolderResource,
  parentOf,
  type SharedResource,
  type ShareLink,
  type ShareUnit,
} from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { apiUrl, call, getJson } from '../client.ts'
import { publicSharePath } from '../paths.ts'
import { startSettings } from '../start-settings.ts'
import { cache } from './cache.ts'

export const sharesQuery = () =>
  queryOptions({ queryKey: ['shares'], queryFn: ({ signal }) => getJson<ShareLink[]>('shares', { signal }) })

export const sharesOfQuery = (path: string) =>
  queryOptions({
    queryKey: ['shares', path],
    queryFn: ({ signal }) => getJson<ShareLink[]>(`share${encodePath(path)}`, { signal }),
  })

export interface NewShare {
  password: string
  /** 0 for a link that stays. */
  expires: number
  unit: ShareUnit
}

export async function createShare(path: string, { password, expires, unit }: NewShare): Promise<ShareLink> {
  const query = expires > 0 ? `?expires=${expires}&unit=${unit}` : ''
  const terms = { password, expires: expires > 0 ? String(expires) : '', unit }
  const body = password === '' && expires === 0 ? {} : terms
  return (await call('POST', `share${encodePath(path)}${query}`, { body })).json()
}

export const removeShare = async (hash: string): Promise<void> =>
  void (await call('DELETE', `share/${encodeURIComponent(hash)}`))

/** The page that a visitor opens. */
export const shareUrl = (hash: string): string => `${location.origin}${startSettings.BaseURL}/share/${hash}`

export type SharedItem = SharedResource | (FolderResource & { token?: string })

/** What a visitor is shown at a path below a share ('/' is what was shared itself). */
export const publicShareQuery = (hash: string, path: string, password: string) =>
  queryOptions({
    queryKey: ['public-share', hash, path, password],
    queryFn: ({ signal }) =>
      getJson<SharedItem>(publicSharePath(hash, path), {
        signal,
        isPublic: true,
        headers: password === '' ? {} : { 'X-SHARE-PASSWORD': encodeURIComponent(password) },
      }),
  })

/**
 * A file as the listing of its folder tells of it, where that is known, with the latest token of the share and its age.
 * Asking for the file itself would check the password again, which takes the server long.
 */
export function listedFile(
  hash: string,
  path: string,
  password: string,
): { initialData: SharedItem; initialDataUpdatedAt: number } | undefined {
  const folder = cache().getQueryData(publicShareQuery(hash, parentOf(path), password).queryKey)
  const file = folder !== undefined && 'items' in folder ? folder.items.find((item) => item.path === path) : undefined
  if (file === undefined || file.isDir) return undefined
  const known = cache()
    .getQueryCache()
    .findAll({ queryKey: ['public-share', hash] })
  const latest = known.toSorted((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt).at(-1)
  const token = (latest?.state.data as SharedItem | undefined)?.token
  return {
    initialData: token === undefined ? file : { ...file, token },
    initialDataUpdatedAt: latest?.state.dataUpdatedAt ?? 0,
  }
}

/** Where a visitor gets the bytes of something shared. */
export function publicUrl(
  kind: 'dl' | 'preview/thumb' | 'preview/big' | 'subtitle',
  hash: string,
  path: string,
  parameters: Record<string, string> = {},
): string {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''))
  return apiUrl(`public/${kind}/${encodeURIComponent(hash)}${encodePath(path)}${query.size > 0 ? `?${query}` : ''}`)
}
