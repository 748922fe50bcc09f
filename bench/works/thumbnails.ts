import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Place } from '../bench.ts'
import { measureLoad } from '../load.ts'
import { ask, type Peer } from '../peer.ts'
import { photos } from '../subjects.ts'
import type { Work } from '../work.ts'

/** As many as a page of thumbnails asks for at once. */
const AT_ONCE = 6

export const thumbnailsCold: Work = {
  name: 'thumbnails-cold',
  unit: 'ms',
  subject: photos,
  references: async (_bench, place) => [
    { kind: 'shared', name: 'sharp in a loop', limit: 1.4, sample: () => drawAll(place) },
  ],
  async sample(peer, place) {
    // A new modification time makes a new version, which has no cached thumbnail.
    for (const name of readdirSync(place.disk)) utimesSync(join(place.disk, name), new Date(), nextTime())
    const names = readdirSync(place.disk)
    const started = performance.now()
    const askSome = async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) await fetchThumbnail(peer, place, name)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, askSome))
    return performance.now() - started
  },
}

export const thumbnailsWarm: Work = {
  name: 'thumbnails-warm',
  unit: 'ms',
  subject: photos,
  async references(bench, { scale }) {
    const sample = (peer: Peer) => measureLoad(peer, '/health', scale.loadSeconds, bench.notes)
    return [{ kind: 'own', name: 'own /health', limit: 10, sample }]
  },
  verify: (peer, place) => fetchThumbnail(peer, place, 'photo-0.jpg'),
  sample: (peer, { served, scale }, { notes }) =>
    measureLoad(peer, `/api/preview/thumb${served}/photo-0.jpg?inline=true`, scale.loadSeconds, notes),
}

let seconds = 0
const nextTime = (): Date => {
  seconds += 1
  return new Date(Date.UTC(2020, 0, 1) + seconds * 1000)
}

/** The image library at its best: a worker for every core, nothing else to do. */
async function drawAll({ disk }: Place): Promise<number> {
  const names = readdirSync(disk)
  const started = performance.now()
  const drawSome = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop())
      await sharp(join(disk, name)).rotate().resize(256, 256, { fit: 'cover' }).jpeg().toBuffer()
  }
  await Promise.all(Array.from({ length: navigator.hardwareConcurrency }, drawSome))
  return performance.now() - started
}

async function fetchThumbnail(peer: Peer, { served }: Place, name: string): Promise<void> {
  const path = `/api/preview/thumb${served}/${name}?inline=true`
  const answer = await ask(peer, path)
  const bytes = await answer.arrayBuffer()
  if (!answer.ok || bytes.byteLength === 0) throw new Error(`GET ${path} answered ${answer.status}`)
}
