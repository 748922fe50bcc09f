import { encodePath } from '@filestead/contract'
import { type Address, currentLocation } from './location.ts'

/** Virtual paths ('/photos/a.jpg') to addresses ('/files/photos/a.jpg') and back. Folders end with a slash. */

export const folderAddress = (path: string): string => `/files${path === '/' ? '/' : `${encodePath(path)}/`}`

export const fileAddress = (path: string): string => `/files${encodePath(path)}`

export const addressOf = (entry: { path: string; isDir: boolean }): string =>
  entry.isDir ? folderAddress(entry.path) : fileAddress(entry.path)

/** The virtual path behind /files/…, without a trailing slash; '/' for the root. */
export const filesPathOf = ({ pathname }: Address): string => decodeSegments(pathname.split('/').slice(2))

/** The share's id and the path below it behind /share/…; '/' is what was shared itself. */
export function sharePathOf({ pathname }: Address): { hash: string; path: string } {
  const [hash = '', ...rest] = pathname.split('/').slice(2)
  return { hash: decode(hash), path: decodeSegments(rest) }
}

export const shareAddress = (hash: string, { path, isDir }: { path: string; isDir: boolean }): string =>
  `/share/${encodeURIComponent(hash)}${path === '/' ? '' : encodePath(path)}${isDir ? '/' : ''}`

/** The page for signing in, which leads back to an address. */
export const loginAddress = ({ pathname, search }: Address = currentLocation()): string =>
  `/login?redirect=${encodeURIComponent(pathname + search)}`

/** The folder in view, or '/' where none is (settings and the like). */
export function currentFilesPath(): string {
  const address = currentLocation()
  return address.pathname.startsWith('/files') ? filesPathOf(address) : '/'
}

/** Slashes and dots that were encoded mean what they would mean otherwise, to the server as well. */
function decodeSegments(segments: string[]): string {
  const path: string[] = []
  for (const segment of segments.map(decode).join('/').split('/')) {
    if (segment === '..') path.pop()
    else if (segment !== '' && segment !== '.') path.push(segment)
  }
  return `/${path.join('/')}`
}

/** A stray percent sign typed by hand is taken as it stands. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
