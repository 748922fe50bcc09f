import type { Bench } from '../bench.ts'
import type { Request } from '../exchange.ts'
import type { Peer } from '../peer.ts'
import type { Scale } from '../scale.ts'
import { bigFile, folderOf, mixedFiles, photos, smallFiles, texts } from '../subjects.ts'
import { renewPhotos } from '../works/thumbnails.ts'

/** Heavy work that goes on while small listings are asked for. */
export interface Burden {
  name: string
  title: string
  /** How many of its requests are under way at once. */
  atOnce: number
  /** Sent one after the other until the time is over; what they write goes to `outbox`. Nothing when the peer cannot. */
  requests(peer: Peer, bench: Bench, outbox: string): Promise<Request[] | undefined>
}

const folderOfMany = folderOf(({ manyEntries }: Scale) => manyEntries)
/** More than can be done in the time. */
const MANY = 200
/** What is written takes room on the disk. */
const FEW = 4

export const burdens: readonly Burden[] = [
  { name: 'at rest', title: 'Nothing else', atOnce: 0, requests: async () => [] },
  burden('listing', 'Listing of 100,000 entries', async ({ dialect }, bench) => {
    const { served } = await bench.place(folderOfMany)
    return repeat(MANY, () => dialect.list(served))
  }),
  burden('search', 'Search among 100,000 names', async ({ dialect: { search } }, bench) => {
    const { served } = await bench.place(folderOfMany)
    return search && repeat(MANY, () => search(served, 'entry-99'))
  }),
  burden('zip', 'Zip of 5,000 files and 250 MB', async ({ dialect: { zip } }, bench) => {
    const { served } = await bench.place(mixedFiles)
    return zip && repeat(MANY, () => zip(served))
  }),
  burden('tar-gz', 'Tar.gz of 160 MB of text', async ({ dialect: { tarGz } }, bench) => {
    const { served } = await bench.place(texts)
    return tarGz && repeat(MANY, () => tarGz(served))
  }),
  burden('upload', 'Upload of 1 GB', async ({ dialect }, bench, outbox) => {
    const sentBytes = bench.scale.fileBytes
    return repeat(FEW, (index) => ({ ...dialect.upload(`${outbox}/sent-${index}.bin`), sentBytes }))
  }),
  burden('copy', 'Copy of 5,000 files', async ({ dialect: { copyFolder } }, bench, outbox) => {
    const { served } = await bench.place(smallFiles)
    return copyFolder && repeat(FEW, (index) => copyFolder(served, `${outbox}/copy-${index}`))
  }),
  burden('checksum', 'SHA-256 of 1 GB', async ({ dialect: { checksum } }, bench) => {
    const { served } = await bench.place(bigFile)
    return checksum && repeat(MANY, () => checksum(served))
  }),
  {
    name: 'thumbnails',
    title: 'Thumbnails of 24 photos',
    atOnce: 6,
    async requests({ dialect: { thumbnail } }, bench) {
      if (thumbnail === undefined) return
      const place = await bench.place(photos)
      renewPhotos(place)
      return repeat(place.scale.photos, (index) => thumbnail(`${place.served}/photo-${index}.jpg`))
    },
  },
]

function burden(name: string, title: string, requests: Burden['requests']): Burden {
  return { name, title, atOnce: 1, requests }
}

function repeat(count: number, toRequest: (index: number) => Request): Request[] {
  return Array.from({ length: count }, (_, index) => toRequest(index))
}
