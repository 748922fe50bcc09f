import { statfs } from 'node:fs/promises'
import { nearestFolder, statOf } from './access.ts'
import { type Finding, findingsAbout, sizeText } from './finding.ts'

/** Without this much the database cannot note anything any more. */
const least = 20_000_000
const little = 1_000_000_000
const fewFiles = 1000

export interface Place {
  /** As a person calls it: 'the served folder'. */
  readonly name: string
  readonly path: string
  /** Does nothing work without room there? */
  readonly isVital: boolean
}

export async function examineSpace(
  places: readonly Place[],
  look: (path: string) => Promise<Disk> = statfs,
): Promise<Finding[]> {
  const found = await Promise.all(
    joined(places).map(async (place) => ({
      place,
      disk: await look(nearestFolder(place.path)).catch(() => undefined),
    })),
  )
  return found.flatMap(({ place, disk }) => (disk === undefined ? [] : [roomIn(place, disk), ...filesIn(place, disk)]))
}

/** Places on the same disk are told together. */
function joined(places: readonly Place[]): Place[] {
  const byDisk = Map.groupBy(places, ({ path }) => statOf(nearestFolder(path))?.dev)
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

function roomIn({ name, isVital }: Place, { bavail, bsize }: Disk): Finding {
  const space = findingsAbout('Free space')
  const free = bavail * bsize
  if (free >= little) return space.good(`${sizeText(free)} on the disk of ${name}`)
  const text = `Only ${sizeText(free)} are left on the disk of ${name}.`
  const advice = 'Delete what is not needed, or move to a larger disk.'
  return isVital && free < least
    ? space.bad(text, advice)
    : space.warning(`${text} Uploads stop when it is full.`, advice)
}

/** Some file systems have no limit, and tell zero of both. */
function filesIn({ name, isVital }: Place, { files, ffree }: Disk): Finding[] {
  const inodes = findingsAbout('Number of files')
  if (files === 0) return []
  if (ffree >= fewFiles) return [inodes.good(`the disk of ${name} can take ${ffree.toLocaleString('en')} more`)]
  const text = `The disk of ${name} can hold only ${ffree} more files, however small (it is short of inodes).`
  const advice = 'Delete folders with very many small files, such as caches and old mail.'
  return [isVital && ffree < 10 ? inodes.bad(text, advice) : inodes.warning(text, advice)]
}
