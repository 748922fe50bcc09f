import { askJson } from '../peer.ts'
import type { Scale } from '../scale.ts'
import { folderOf } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'
import type { Work } from '../work.ts'

export const listing10k = listing('listing-10k', ({ entries }) => entries)
export const listing100k = listing('listing-100k', ({ manyEntries }) => manyEntries)
export const listing100kVideos = listing('listing-100k-videos', ({ manyEntries }) => manyEntries, 5)

function listing(name: string, entries: (scale: Scale) => number, videoEvery?: number): Work {
  return timedWork({
    name,
    subject: folderOf(entries, videoEvery),
    tool: { name: 'ls -lU', limit: 2.5, argv: ({ disk }) => ['ls', '-lU', disk] },
    request: ({ served }) => ({ method: 'GET', path: `/api/resources${served}/` }),
    async verify(peer, { served, scale }) {
      const { items } = (await askJson(peer, `/api/resources${served}/`)) as { items?: unknown[] }
      const found = items?.length ?? 0
      if (found !== entries(scale)) throw new Error(`${found} of ${entries(scale)} entries were listed`)
    },
  })
}
