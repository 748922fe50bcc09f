import type { Work } from './work.ts'
import { tarGz, zip } from './works/archives.ts'
import { checksum } from './works/checksum.ts'
import { copy, copyTree } from './works/copy.ts'
import { download, downloads } from './works/download.ts'
import { listing10k, listing10kAgain, listing100k, listing100kAgain, listing100kVideos } from './works/listing.ts'
import { memory } from './works/memory.ts'
import { peakMemory } from './works/peak-memory.ts'
import { recursive } from './works/recursive.ts'
import { search } from './works/search.ts'
import { photoFolder, smallFolder } from './works/small-folder.ts'
import { smallUploads } from './works/small-uploads.ts'
import { thumbnailsCold, thumbnailsWarm } from './works/thumbnails.ts'
import { uploadPost, uploadTus } from './works/upload.ts'

/** In the order they run. Memory comes first: it is asked of a server at rest, which no load has swollen yet. */
export const works: readonly Work[] = [
  memory,
  smallFolder,
  photoFolder,
  listing10k,
  listing10kAgain,
  listing100k,
  listing100kAgain,
  listing100kVideos,
  recursive,
  search,
  thumbnailsCold,
  thumbnailsWarm,
  download,
  downloads,
  checksum,
  copy,
  copyTree,
  uploadPost,
  uploadTus,
  smallUploads,
  zip,
  tarGz,
  peakMemory,
]

/** What a run consists of: works, and the two parts that are more than a row of a table. */
export interface Parts {
  works: Work[]
  fairness: boolean
  curves: boolean
}

export function chooseParts(wanted: readonly string[], withCurves: boolean): Parts {
  const named = wanted.filter((name) => name !== 'fairness' && name !== 'curves')
  return {
    works: wanted.length > 0 && named.length === 0 ? [] : chooseWorks(works, named),
    fairness: wanted.length === 0 || wanted.includes('fairness'),
    curves: withCurves || wanted.includes('curves'),
  }
}

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
