import { rm, stat } from 'node:fs/promises'
import type { Place } from '../bench.ts'
import { connectTo, exchange } from '../exchange.ts'
import type { Peer } from '../peer.ts'
import { folderOf } from '../subjects.ts'
import { runTool } from '../tool.ts'
import type { Work } from '../work.ts'

export const uploadPost = upload('upload-post', 'Upload of 1 GB', (peer, path, bytes) =>
  exchange(peer, { ...peer.dialect.upload(path), sentBytes: bytes }),
)

const PART_BYTES = 10_000_000

/** In parts of the size that clients of File Browser send. */
export const uploadTus: Work = {
  ...upload('upload-tus', 'Upload of 1 GB in parts', sendParts),
  isFor: ({ dialect }) => dialect.tus !== undefined,
}

async function sendParts(peer: Peer, file: string, bytes: number): Promise<number> {
  const path = peer.dialect.tus?.(file) ?? ''
  const started = performance.now()
  const line = await connectTo(peer)
  const length = { 'Upload-Length': String(bytes) }
  await line.ask({ method: 'POST', path, headers: length, status: 201 })
  for (let offset = 0; offset < bytes; offset += PART_BYTES) {
    const headers = { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' }
    const sentBytes = Math.min(PART_BYTES, bytes - offset)
    await line.ask({ method: 'PATCH', path, headers, sentBytes, status: 204 })
  }
  line.end()
  return performance.now() - started
}

/** A large file that is on the disk, not only in the memory of the machine, when the work is done. */
type Send = (peer: Peer, path: string, bytes: number) => Promise<number>

function upload(name: string, title: string, send: Send): Work {
  return {
    name,
    title,
    unit: 'ms',
    subject: folderOf(() => 0),
    async references(_bench, place) {
      const { disk, scale } = place
      const count = scale.fileBytes / 1_000_000
      const argv = ['dd', 'if=/dev/zero', `of=${disk}/sent.bin`, 'bs=1000000', `count=${count}`, 'conv=fsync']
      const sample = async () => {
        const taken = await runTool([...argv, 'status=none'])
        await takeAway(place)
        return taken
      }
      return [{ kind: 'shared', name: 'dd conv=fsync', limit: 2, sample }]
    },
    async sample(peer, place) {
      const taken = await send(peer, `${place.served}/sent.bin`, place.scale.fileBytes)
      await takeAway(place)
      return taken
    },
  }
}

async function takeAway({ disk, scale }: Place): Promise<void> {
  const { size } = await stat(`${disk}/sent.bin`)
  await rm(`${disk}/sent.bin`)
  if (size !== scale.fileBytes) throw new Error(`${size} of ${scale.fileBytes} bytes arrived`)
}
