import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from '../bench.ts'
import { connectTo } from '../exchange.ts'
import type { Peer } from '../peer.ts'
import { folderOf } from '../subjects.ts'
import type { Work } from '../work.ts'

const AT_ONCE = 5
const content = new Uint8Array(1024).fill(120)

/** Many small files, five at a time as the client sends them: the cost of a request beside its bytes. */
export const smallUploads: Work = {
  name: 'small-uploads',
  title: '1,000 uploads of 1 KB, 5 at a time',
  unit: 'ms',
  subject: folderOf(() => 1),
  references: async (_bench, place) => [
    { kind: 'shared', name: 'fsync of each', limit: 2, sample: async () => timed(place, writeAll) },
  ],
  sample: (peer, place) => timed(place, (folder, count) => sendAll(peer, `${place.served}/${folder}`, count)),
  requestsIn: (_figure, { smallFiles }) => smallFiles,
}

// They stay until bench clears up: ext4 shuns what was deleted a moment ago, and its search for other places would be
// measured instead.
let samples = 0

async function timed(
  { disk, scale }: Place,
  work: (folder: string, count: number, path: string) => Promise<void> | void,
): Promise<number> {
  const folder = `sent-${samples++}`
  const path = join(disk, folder)
  mkdirSync(path)
  const started = performance.now()
  await work(folder, scale.smallFiles, path)
  const taken = performance.now() - started
  const arrived = readdirSync(path).length
  if (arrived !== scale.smallFiles) throw new Error(`${arrived} of ${scale.smallFiles} files arrived`)
  return taken
}

/** The minimum that keeps a file through a power cut, one file after the other. */
function writeAll(_folder: string, count: number, path: string): void {
  const folder = openSync(path, 'r')
  for (let index = 0; index < count; index++) {
    const draft = join(path, `.draft-${index}`)
    const file = openSync(draft, 'wx')
    writeSync(file, content)
    fsyncSync(file)
    closeSync(file)
    renameSync(draft, join(path, `file-${index}.txt`))
    fsyncSync(folder)
  }
  closeSync(folder)
}

async function sendAll(peer: Peer, folder: string, count: number): Promise<void> {
  let next = 0
  const sendSome = async () => {
    const line = await connectTo(peer)
    while (next < count) {
      const file = `${folder}/file-${next++}.txt`
      const path = peer.dialect.tus?.(file)
      if (path === undefined) {
        await line.ask({ ...peer.dialect.upload(file), sentBytes: content.length })
        continue
      }
      await line.ask({ method: 'POST', path, headers: { 'Upload-Length': String(content.length) }, status: 201 })
      const headers = { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }
      await line.ask({ method: 'PATCH', path, headers, sentBytes: content.length, status: 204 })
    }
    line.end()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendSome))
}
