import { join } from '@filestead/contract'
import type { Entry } from '../../api/resources.ts'
import { publicUrl } from '../../api/shares.ts'

/** Where in a share the visitor is, and what opens it. */
export interface Shared {
  hash: string
  /** '/' is what was shared itself. */
  path: string
  name: string
  /** Opens the downloads of a link with a password; empty without one. */
  token: string
}

/** The address of what is in view, or of something in it. */
export const downloadUrl = ({ hash, path, token }: Shared, options: { name?: string; inline?: boolean } = {}): string =>
  publicUrl('dl', hash, options.name === undefined ? path : join(path, options.name), {
    inline: options.inline === true ? 'true' : '',
    token,
  })

export const pictureUrl = (
  size: 'thumb' | 'big',
  { hash, path, token }: Shared,
  entry: Pick<Entry, 'modified'>,
  name?: string,
): string =>
  publicUrl(`preview/${size}`, hash, name === undefined ? path : join(path, name), {
    key: String(Date.parse(entry.modified)),
    token,
  })

/** What a link is worth outside this page. */
export const absolute = (address: string): string => new URL(address, location.href).href
