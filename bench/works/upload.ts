import { rm, stat } from 'node:fs/promises'
import type { Place } from '../bench.ts'
import { exchange } from '../exchange.ts'
import type { Peer } from '../peer.ts'
import { folderOf } from '../subjects.ts'
import { runTool } from '../tool.ts'
import type { Work } from '../work.ts'

export const uploadPost = upload('upload-post', (peer, path, bytes) =>
  exchange(peer, { method: 'POST', path: `/api/resources${path}`, sentBytes: bytes }),
)

export const uploadTus = upload('upload-tus', async (peer, path, bytes) => {
  const headers = { 'Upload-Length': String(bytes) }
  const begun = await exchange(peer, { method: 'POST', path: `/api/tus${path}`, headers, status: 201 })
  const sent = await exchange(peer, {
    method: 'PATCH',
    path: `/api/tus${path}`,
    headers: { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
    sentBytes: bytes,
    status: 204,
  })
  return begun + sent
})

/** A large file that is on the disk, not only in the memory of the machine, when the work is done. */
function upload(name: string, send: (peer: Peer, path: string, bytes: number) => Promise<number>): Work {
  return {
    name,
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
