import type { Work } from './work.ts'
import { checksum } from './works/checksum.ts'
import { copy } from './works/copy.ts'
import { download } from './works/download.ts'
import { listing10k, listing100k, listing100kVideos } from './works/listing.ts'
import { memory } from './works/memory.ts'
import { peakMemory } from './works/peak-memory.ts'
import { recursive } from './works/recursive.ts'
import { search } from './works/search.ts'
import { smallFolder } from './works/small-folder.ts'
import { smallUploads } from './works/small-uploads.ts'
import { thumbnailsCold, thumbnailsWarm } from './works/thumbnails.ts'
import { uploadPost, uploadTus } from './works/upload.ts'
import { zip } from './works/zip.ts'

/** In the order they run. Memory comes first: it is asked of a server at rest, which no load has swollen yet. */
export const works: readonly Work[] = [
  memory,
  smallFolder,
  listing10k,
  listing100k,
  listing100kVideos,
  recursive,
  search,
  thumbnailsCold,
  thumbnailsWarm,
  download,
  checksum,
  copy,
  uploadPost,
  uploadTus,
  smallUploads,
  zip,
  peakMemory,
]

/** A name chooses its work; where no work has that name, as `listing`, all that start with `listing-`. */
export function chooseWorks(all: readonly Work[], wanted: readonly string[]): Work[] {
  if (wanted.length === 0) return [...all]
  const chosen = wanted.flatMap((name) => {
    const exact = all.filter((work) => work.name === name)
    const found = exact.length > 0 ? exact : all.filter((work) => work.name.startsWith(`${name}-`))
    if (found.length > 0) return found
    throw new Error(`no work is called "${name}"; there are ${all.map((work) => work.name).join(', ')}`)
  })
  return all.filter((work) => chosen.includes(work))
}
