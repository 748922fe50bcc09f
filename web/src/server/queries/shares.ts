import { encodePath, type ShareLink, type ShareUnit } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { call, getJson } from '../client.ts'
import { startSettings } from '../start-settings.ts'

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
  /** For the owner alone; may be empty. */
  label: string
}

export async function createShare(path: string, { password, expires, unit, label }: NewShare): Promise<ShareLink> {
  const query = expires > 0 ? `?expires=${expires}&unit=${unit}` : ''
  const terms = { password, expires: expires > 0 ? String(expires) : '', unit }
  const own = label === '' ? {} : { label }
  const body = password === '' && expires === 0 ? own : { ...terms, ...own }
  return (await call('POST', `share${encodePath(path)}${query}`, { body })).json()
}

export const removeShare = async (hash: string): Promise<void> =>
  void (await call('DELETE', `share/${encodeURIComponent(hash)}`))

/** The page that a visitor opens. */
export const shareUrl = (hash: string): string => `${location.origin}${startSettings.BaseURL}/share/${hash}`
