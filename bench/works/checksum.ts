import { askJson } from '../peer.ts'
import { bigFile } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'
import { readTool } from '../tool.ts'

export const checksum = timedWork({
  name: 'checksum',
  subject: bigFile,
  tool: { name: 'sha256sum', argv: ({ disk }) => ['sha256sum', disk] },
  request: ({ served }) => ({ method: 'GET', path: `/api/resources${served}?checksum=sha256` }),
  async verify(peer, { disk, served }) {
    const answer = await askJson(peer, `/api/resources${served}?checksum=sha256`)
    const said = (answer as { checksums?: { sha256?: string } }).checksums?.sha256
    const right = (await readTool(['sha256sum', disk])).split(' ', 1)[0]
    if (said !== right) throw new Error(`the checksum was ${said} instead of ${right}`)
  },
})
