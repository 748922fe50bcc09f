import { askText } from '../peer.ts'
import type { Scale } from '../scale.ts'
import { folderOf } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'
import type { Work } from '../work.ts'

export const listing10k = listing('listing-10k', 'Listing of 10,000 entries', ({ entries }) => entries)
export const listing100k = listing('listing-100k', 'Listing of 100,000 entries', ({ manyEntries }) => manyEntries)
export const listing100kVideos = listing(
  'listing-100k-videos',
  '100,000 entries, a fifth are videos',
  ({ manyEntries }) => manyEntries,
  5,
)

function listing(name: string, title: string, entries: (scale: Scale) => number, videoEvery?: number): Work {
  return timedWork({
    name,
    title,
    subject: folderOf(entries, videoEvery),
    tool: { name: 'ls -lU', limit: 2.5, argv: ({ disk }) => ['ls', '-lU', disk] },
    asking: ({ list }) => list,
    async verify(peer, { served, scale }) {
      const { list, countListed } = peer.dialect
      const found = countListed(await askText(peer, list(served).path))
      if (found !== entries(scale)) throw new Error(`${found} of ${entries(scale)} entries were listed`)
    },
  })
}
