import { encodePath, parentOf } from '@filestead/contract'
import { addressOf, folderAddress } from './addresses.ts'
import type { Address } from './location.ts'

/** Which older state an address shows. */
export interface ShownPast {
  past: string
  /** Of what was opened in the trash: the path that the item had, with all below it. */
  top: string | null
  /** From when this was the content, in milliseconds since 1970, where it was opened from its timeline. */
  at?: number
}

/** The page of a file or folder as it was in that past. */
export const pastAddress = (entry: { path: string; isDir: boolean }, shown: ShownPast): string =>
  addressOf(entry) + pastSearch(shown)

/** What follows the address of the present for that past. */
export const pastSearch = ({ past, top, at }: ShownPast): string =>
  `?${new URLSearchParams({ past, ...(top !== null && { top }), ...(at !== undefined && { at: String(at) }) })}`

/** The older state that an address asks for, or null where it shows the present. */
export function pastOf({ search }: Pick<Address, 'search'>): ShownPast | null {
  const query = new URLSearchParams(search)
  const past = query.get('past')
  const at = Number(query.get('at') || Number.NaN)
  return past ? { past, top: query.get('top'), ...(Number.isFinite(at) && { at }) } : null
}

/** A folder of an item of the trash. */
export const trashAddress = (path: string, shown: ShownPast): string => `/trash${encodePath(path)}/${pastSearch(shown)}`

/** Where a file of the past leads back to: its folder in the trash, the trash itself, or the folder as it is now. */
export function closeAddress(path: string, shown: ShownPast): string {
  if (shown.top === null) return folderAddress(parentOf(path))
  return path === shown.top ? '/trash' : trashAddress(parentOf(path), shown)
}
