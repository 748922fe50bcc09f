import type { Scope } from '../access/scope.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { orderByName } from '../entries/sorting.ts'
import { Failure } from '../failure.ts'
import type { VirtualPath } from '../storage/path.ts'
import { findSmall } from './browse.ts'
import { type LargeListing, type ListingText, listingText } from './listing-text.ts'

/** By name, from A to Z; see `orderOf` for what `asc` means. */
const byName = { by: 'name', asc: false } as const

/** How many names are made into text at a time. */
const pieceLength = 5000

/**
 * The names of the folders in a folder, in natural order: no file is opened, and of 100,000 folders a tenth of their
 * listing is sent.
 */
export async function folderNames(
  scope: Scope,
  path: VirtualPath,
  { signal, enterLarge }: { signal: Cancellation; enterLarge: () => Promise<void> },
): Promise<string[]> {
  const { entry, entries: small, file } = await findSmall(scope, path, signal)
  file?.close()
  if (entry.kind !== 'folder') throw new Failure('invalid', 'path is not a directory')
  if (small === undefined) await enterLarge()
  const entries = small ?? (await scope.outline(path, signal))
  const folders = entries.filter(({ kind }) => kind === 'folder')
  const order = await orderByName(folders, byName, signal)
  return order.flatMap((index) => folders[index]?.name ?? [])
}

/** The wire form, in pieces. */
export const namesJson = (names: readonly string[]): ListingText | LargeListing =>
  names.length > pieceLength ? { pieces: longNamesJson(names) } : listingText(JSON.stringify({ names }))

async function* longNamesJson(names: readonly string[]): AsyncGenerator<string> {
  for (let at = 0; at < names.length; at += pieceLength) {
    const piece = JSON.stringify(names.slice(at, at + pieceLength)).slice(1, -1)
    const end = at + pieceLength >= names.length ? ']}' : ''
    yield (at === 0 ? '{"names":[' : ',') + piece + end
  }
}
