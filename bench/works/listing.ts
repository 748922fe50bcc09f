import { askText } from '../peer.ts'
import type { Scale } from '../scale.ts'
import { changeEntry, folderOf } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'
import type { Work } from '../work.ts'

const many = ({ entries }: Scale) => entries
const most = ({ manyEntries }: Scale) => manyEntries

export const listing10k = listing('listing-10k', 'Listing of 10,000 entries', many)
export const listing10kAgain = listing('listing-10k-again', '10,000 entries, unchanged', many, { isUnchanged: true })
export const listing100k = listing('listing-100k', 'Listing of 100,000 entries', most)
export const listing100kAgain = listing('listing-100k-again', '100,000 entries, unchanged', most, {
  isUnchanged: true,
})
export const listing100kVideos = listing('listing-100k-videos', '100,000 entries, a fifth are videos', most, {
  videoEvery: 5,
})

/** Before each listing an entry changes, unless the work is about a folder in which nothing does. */
function listing(
  name: string,
  title: string,
  entries: (scale: Scale) => number,
  { videoEvery, isUnchanged = false }: { videoEvery?: number; isUnchanged?: boolean } = {},
): Work {
  return timedWork({
    name,
    title,
    subject: folderOf(entries, videoEvery),
    tool: { name: 'ls -lU', limit: 2.5, argv: ({ disk }) => ['ls', '-lU', disk] },
    asking: ({ list }) => list,
    async afterwards({ disk, scale }) {
      if (!isUnchanged) changeEntry(disk, entries(scale))
    },
    async verify(peer, { served, scale }) {
      const { list, countListed } = peer.dialect
      const found = countListed(await askText(peer, list(served).path))
      if (found !== entries(scale)) throw new Error(`${found} of ${entries(scale)} entries were listed`)
    },
  })
}
