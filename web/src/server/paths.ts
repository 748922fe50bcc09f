import { encodePath } from '@filestead/contract'
import { apiUrl } from './client.ts'

/** Paths below /api that a screen asks for first. They are sent before the code of the screen is there. */
export const resourcePath = (path: string): string => `resources${encodePath(path)}`

export const publicSharePath = (hash: string, path: string): string =>
  `public/share/${encodeURIComponent(hash)}${encodePath(path)}`

/** Where a visitor gets the bytes of something shared. */
export function publicUrl(
  kind: 'dl' | 'subtitle' | 'media' | `preview/${string}`,
  hash: string,
  path: string,
  parameters: Record<string, string> = {},
): string {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''))
  return apiUrl(`public/${kind}/${encodeURIComponent(hash)}${encodePath(path)}${query.size > 0 ? `?${query}` : ''}`)
}
