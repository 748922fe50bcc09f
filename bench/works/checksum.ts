import { askText } from '../peer.ts'
import { bigFile } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'
import { readTool } from '../tool.ts'

export const checksum = timedWork({
  name: 'checksum',
  title: 'SHA-256 of 1 GB',
  subject: bigFile,
  tool: { name: 'sha256sum', argv: ({ disk }) => ['sha256sum', disk] },
  asking: ({ checksum }) => checksum,
  async verify(peer, { disk, served }) {
    const { checksum, readChecksum } = peer.dialect
    const said = checksum && readChecksum?.(await askText(peer, checksum(served).path))
    const right = (await readTool(['sha256sum', disk])).split(' ', 1)[0]
    if (said !== right) throw new Error(`the checksum was ${said} instead of ${right}`)
  },
})
