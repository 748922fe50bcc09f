import type { Bench, Place } from '../bench.ts'
import { exchange } from '../exchange.ts'
import type { Server } from '../peer.ts'
import { bigFile } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'
import type { Work } from '../work.ts'

export const download = timedWork({
  name: 'download',
  title: 'Download of 1 GB',
  subject: bigFile,
  tool: { name: 'cat', argv: ({ disk }) => ['cat', disk] },
  asking: ({ download }) => download,
  bodyBytes: ({ scale }) => scale.fileBytes,
  moreReferences: againstNginx((nginx, { served, scale }) =>
    exchange(nginx, { method: 'GET', path: served, bodyBytes: scale.fileBytes }),
  ),
})

const READERS = 16

/** Sixteen people at once, each with an equal part of the file. */
export const downloads: Work = {
  name: 'downloads-16',
  title: 'Download of 1 GB by 16 readers',
  unit: 'ms',
  subject: bigFile,
  references: againstNginx((nginx, { served, scale }) => readParts(nginx, served, scale.fileBytes)),
  sample: (peer, { served, scale }) => readParts(peer, peer.dialect.download(served).path, scale.fileBytes),
  requestsIn: () => READERS,
}

function againstNginx(sample: (nginx: Server, place: Place) => Promise<number>): Work['references'] {
  return async ({ nginx }: Bench, place) =>
    nginx === undefined ? [] : [{ kind: 'shared', name: 'nginx', limit: 1.2, sample: () => sample(nginx, place) }]
}

async function readParts(server: Server, path: string, fileBytes: number): Promise<number> {
  const bytes = Math.floor(fileBytes / READERS)
  const started = performance.now()
  const parts = Array.from({ length: READERS }, (_, index) => {
    const headers = { Range: `bytes=${index * bytes}-${(index + 1) * bytes - 1}` }
    return exchange(server, { method: 'GET', path, headers, status: 206, bodyBytes: bytes })
  })
  await Promise.all(parts)
  return performance.now() - started
}
