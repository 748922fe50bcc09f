import { rm, stat } from 'node:fs/promises'
import { bigFile } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'

export const copy = timedWork({
  name: 'copy',
  subject: bigFile,
  tool: { name: 'cp', argv: ({ disk }) => ['cp', disk, `${disk}.copy`] },
  request({ served }) {
    // The API decodes a destination twice.
    const destination = encodeURIComponent(encodeURIComponent(`${served}.copy`))
    return { method: 'PATCH', path: `/api/resources${served}?action=copy&destination=${destination}` }
  },
  async afterwards({ disk, scale }) {
    const { size } = await stat(`${disk}.copy`)
    await rm(`${disk}.copy`)
    if (size !== scale.fileBytes) throw new Error(`the copy has ${size} bytes instead of ${scale.fileBytes}`)
  },
})
