import { type ArchiveEntry, extensionOf, join } from '@filestead/contract'
import { fileAddress } from '../../../navigation/addresses.ts'
import { memberUrl } from '../../../server/queries/archives.ts'
import type { Entry } from '../../../server/queries/resources.ts'
import type { ViewerSource } from '../source.ts'
import { type Place, placeQuery } from './place.ts'

/** A file or folder in an archive as the grid shows entries. Its path is the one in the archive. */
export interface Member extends Entry {
  isEncrypted: boolean
}

export const memberOf = (inside: string, { name, size, modified, isDir, type, isEncrypted }: ArchiveEntry): Member => ({
  path: join(inside, name),
  name,
  size,
  extension: extensionOf(name),
  modified,
  mode: 0,
  isDir,
  isSymlink: false,
  type,
  isEncrypted: isEncrypted === true,
})

/** The address, below the base URL, of a place in an archive. */
export const placeAddress = (archive: string, place: Place): string => fileAddress(archive) + placeQuery(place)

/** The files of one folder of an archive, for their viewers. The server makes no previews of them. */
export function memberSource(archive: string, { inside, encoding, shown }: Place): ViewerSource {
  const past = shown?.past ?? null
  const raw = ({ path }: Pick<Entry, 'path'>) => memberUrl(archive, path, { encoding, inline: true, past })
  return {
    isReadable: true,
    raw,
    download: ({ path }) => memberUrl(archive, path, { encoding, past }),
    preview: (_, entry) => raw(entry),
    media: async () => [],
    subtitle: (path) => raw({ path }),
    address: ({ name }) => placeAddress(archive, { inside, member: name, encoding, shown }),
    positionKey: () => null,
    textAddress: () => null,
    offersLinks: false,
  }
}
