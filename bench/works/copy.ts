import { readdir, rm, stat } from 'node:fs/promises'
import { bigFile, smallFiles } from '../subjects.ts'
import { timedWork } from '../timed-work.ts'

export const copy = timedWork({
  name: 'copy',
  title: 'Copy of 1 GB',
  subject: bigFile,
  tool: { name: 'cp', argv: ({ disk }) => ['cp', disk, `${disk}.copy`] },
  asking: ({ copyFile }) => copyFile && ((served) => copyFile(served, `${served}.copy`)),
  async afterwards({ disk, scale }) {
    const { size } = await stat(`${disk}.copy`)
    await rm(`${disk}.copy`)
    if (size !== scale.fileBytes) throw new Error(`the copy has ${size} bytes instead of ${scale.fileBytes}`)
  },
})

/** Held against a copy that is safe on the disk, as the server's is. */
export const copyTree = timedWork({
  name: 'copy-5k',
  title: 'Copy of 5,000 files',
  subject: smallFiles,
  tool: { name: 'cp, sync', argv: ({ disk }) => ['sh', '-c', 'cp -r "$0" "$0.copy" && sync -f "$0.copy"', disk] },
  asking: ({ copyFolder }) => copyFolder && ((served) => copyFolder(served, `${served}.copy`)),
  async afterwards({ disk }) {
    const [asked, copied] = await Promise.all(
      [disk, `${disk}.copy`].map((folder) => readdir(folder, { recursive: true })),
    )
    await rm(`${disk}.copy`, { recursive: true })
    if (asked?.length !== copied?.length) throw new Error(`${copied?.length} of ${asked?.length} entries were copied`)
  },
})
