import { statfs } from 'node:fs/promises'
import { nearestFolder, statOf } from './access.ts'
import { type Finding, findingsAbout, sizeText } from './finding.ts'

/** In bytes. With less the database can hardly be written. */
const least = 20_000_000
const little = 1_000_000_000
const fewFiles = 1000

export interface CheckedFolder {
  /** As printed, such as 'the served folder'. */
  readonly name: string
  readonly path: string
  /** Whether the server needs space there to work. */
  readonly isVital: boolean
}

export async function examineSpace(
  folders: readonly CheckedFolder[],
  statDisk: (path: string) => Promise<Disk> = statfs,
): Promise<Finding[]> {
  const found = await Promise.all(
    joined(folders).map(async (folder) => ({
      folder,
      disk: await statDisk(nearestFolder(folder.path)).catch(() => undefined),
    })),
  )
  return found.flatMap(({ folder, disk }) =>
    disk === undefined ? [] : [roomIn(folder, disk), ...filesIn(folder, disk)],
  )
}

/** One finding for all folders on the same disk. */
function joined(folders: readonly CheckedFolder[]): CheckedFolder[] {
  const byDisk = Map.groupBy(folders, ({ path }) => statOf(nearestFolder(path))?.dev)
  return [...byDisk.values()].map((group) => ({
    name: group.map(({ name }) => name).join(' and '),
    path: group[0]?.path ?? '/',
    isVital: group.some(({ isVital }) => isVital),
  }))
}

export interface Disk {
  bavail: number
  bsize: number
  files: number
  ffree: number
}

function roomIn({ name, isVital }: CheckedFolder, { bavail, bsize }: Disk): Finding {
  const space = findingsAbout('Free space')
  const free = bavail * bsize
  if (free >= little) return space.good(`${sizeText(free)} on the disk of ${name}`)
  const text = `Only ${sizeText(free)} are left on the disk of ${name}.`
  const advice = 'Delete what is not needed, or move to a larger disk.'
  return isVital && free < least
    ? space.bad(text, advice)
    : space.warning(`${text} Uploads stop when it is full.`, advice)
}

/** File systems without a limit of inodes report zero for both. */
function filesIn({ name, isVital }: CheckedFolder, { files, ffree }: Disk): Finding[] {
  const inodes = findingsAbout('Number of files')
  if (files === 0) return []
  if (ffree >= fewFiles) return [inodes.good(`the disk of ${name} can take ${ffree.toLocaleString('en')} more`)]
  const text = `The disk of ${name} can hold only ${ffree} more files, however small (it is short of inodes).`
  const advice = 'Delete folders with very many small files, such as caches and old mail.'
  return [isVital && ffree < 10 ? inodes.bad(text, advice) : inodes.warning(text, advice)]
}
