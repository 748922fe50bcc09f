import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Place } from '../bench.ts'
import { againstHealth, measureLoad, requestsOfLoad } from '../load.ts'
import { ask, type Peer } from '../peer.ts'
import { photos } from '../subjects.ts'
import type { Work } from '../work.ts'

/** As many as a page of thumbnails asks for at once. */
const AT_ONCE = 6

export const thumbnailsCold: Work = {
  name: 'thumbnails-cold',
  title: '24 thumbnails of photos, new',
  isFor: canDraw,
  unit: 'ms',
  subject: photos,
  references: async (_bench, place) => [
    { kind: 'shared', name: 'sharp in a loop', limit: 1.4, sample: () => drawAll(place) },
  ],
  async sample(peer, place) {
    renewPhotos(place)
    const names = readdirSync(place.disk)
    const started = performance.now()
    const askSome = async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) await fetchThumbnail(peer, place, name)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, askSome))
    return performance.now() - started
  },
  requestsIn: (_figure, { photos }) => photos,
}

export const thumbnailsWarm: Work = {
  name: 'thumbnails-warm',
  title: 'A thumbnail, drawn before',
  isFor: canDraw,
  unit: 'ms',
  subject: photos,
  references: againstHealth(10),
  verify: (peer, place) => fetchThumbnail(peer, place, 'photo-0.jpg'),
  sample: (peer, { served, scale }, { notes }) =>
    measureLoad(peer, addressOf(peer, `${served}/photo-0.jpg`), scale.loadSeconds, notes),
  requestsIn: requestsOfLoad,
}

/** A new modification time makes a new version, which has no cached thumbnail. */
export function renewPhotos({ disk }: Place): void {
  for (const name of readdirSync(disk)) utimesSync(join(disk, name), new Date(), nextTime())
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
  const path = addressOf(peer, `${served}/${name}`)
  const answer = await ask(peer, path)
  const bytes = await answer.arrayBuffer()
  if (!answer.ok || bytes.byteLength === 0) throw new Error(`GET ${path} answered ${answer.status}`)
  // A server without a decoder may send a drawn symbol instead.
  const type = answer.headers.get('Content-Type')
  if (!type?.startsWith('image/') || type.includes('svg')) throw new Error(`GET ${path} answered with ${type}`)
}

function canDraw({ dialect }: Peer): boolean {
  return dialect.thumbnail !== undefined
}

function addressOf({ name, dialect }: Peer, photo: string): string {
  if (dialect.thumbnail === undefined) throw new Error(`${name} has no thumbnails`)
  return dialect.thumbnail(photo).path
}
