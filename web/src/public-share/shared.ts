import { join } from '@filestead/contract'
import type { ViewerSource } from '../files/viewers/source.ts'
import { shareAddress } from '../navigation/addresses.ts'
import { publicUrl } from '../server/paths.ts'
import type { SharedAddress } from './shared-items.ts'

/** Where in a share the visitor is, and what opens it. */
export interface Shared extends SharedAddress {
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

/** What viewers show to a visitor. No position in a film or book is kept: nothing tells one visitor from the next. */
export const shareSource = ({ hash, token }: Pick<Shared, 'hash' | 'token'>): ViewerSource => ({
  isReadable: true,
  raw: ({ path }) => publicUrl('dl', hash, path, { inline: 'true', token }),
  download: ({ path }) => publicUrl('dl', hash, path, { token }),
  preview: (size, { path, modified }) =>
    publicUrl(`preview/${size}`, hash, path, { key: String(Date.parse(modified)), token }),
  media: async (folder, names, signal) =>
    (
      await fetch(publicUrl('media', hash, folder, { token }), {
        method: 'POST',
        body: JSON.stringify({ names }),
        signal,
      })
    ).json(),
  subtitle: (path) => publicUrl('subtitle', hash, path, { token }),
  address: (entry) => shareAddress(hash, entry),
  positionKey: () => null,
  textAddress: () => null,
  offersLinks: false,
})

/** An address as it is used outside this page. */
export const absolute = (address: string): string => new URL(address, location.href).href
