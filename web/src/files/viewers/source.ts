import type { NamedMediaFacts } from '@filestead/contract'
import { fileAddress } from '../../navigation/addresses.ts'
import { pastAddress, type ShownPast } from '../../navigation/past-address.ts'
import { may } from '../../server/queries/access.ts'
import { inPast, readPastMedia } from '../../server/queries/past.ts'
import {
  type Entry,
  type PreviewSize,
  previewUrl,
  rawUrl,
  readMedia,
  subtitleUrl,
} from '../../server/queries/resources.ts'
import { currentSession } from '../../server/session.ts'

/** Where viewers get what they show: the same viewers serve users and the visitors of a share. */
export interface ViewerSource {
  /** False where the content may not be read. */
  readonly isReadable: boolean
  /** The content, to be shown by the browser. */
  raw(entry: Entry): string
  /** The content, to be saved. */
  download(entry: Entry): string
  /** An image made by the server. */
  preview(size: PreviewSize, entry: Entry): string
  /** The sizes of pictures in a folder, by their names. */
  media(folder: string, names: readonly string[], signal: AbortSignal): Promise<readonly NamedMediaFacts[]>
  /** Subtitles as WebVTT. */
  subtitle(path: string): string
  /** The address, below the base URL, of the page that shows the entry. */
  address(entry: Entry): string
  /** Under which key the position in a film or a book is kept; null keeps none. */
  positionKey(entry: Entry): string | null
  /** Where a text can be edited; null where it cannot. */
  textAddress(entry: Entry): string | null
  /** Are links to the content offered where there is no preview? Not on a page that has them anyway. */
  readonly offersLinks: boolean
}

/** The files of the present session, for the viewer of one of them. Positions are kept for each user. */
export const sessionSource = (file: Entry): ViewerSource => ({
  isReadable: may('download', [file]),
  raw: ({ path }) => rawUrl(path, { inline: true }),
  download: ({ path }) => rawUrl(path),
  preview: previewUrl,
  media: readMedia,
  subtitle: subtitleUrl,
  address: ({ path }) => fileAddress(path),
  positionKey: ({ path }) => `${currentSession()?.user.id ?? 0}:${path}`,
  textAddress: ({ path }) => `${fileAddress(path)}?edit=true`,
  offersLinks: true,
})

/** The same file as it was: nothing can be edited, and positions of the present are left alone. */
export const pastSource = (file: Entry, shown: ShownPast): ViewerSource => {
  const { past } = shown
  return {
    ...sessionSource(file),
    raw: ({ path }) => inPast(rawUrl(path, { inline: true }), past),
    download: ({ path }) => inPast(rawUrl(path), past),
    preview: (size, entry) => inPast(previewUrl(size, entry), past),
    media: (folder, names, signal) => readPastMedia(folder, names, past, signal),
    subtitle: (path) => inPast(subtitleUrl(path), past),
    address: (entry) => pastAddress(entry, shown),
    positionKey: () => null,
    textAddress: () => null,
  }
}
