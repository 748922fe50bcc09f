import { join, nameOf } from '@filestead/contract'
import type { Entry } from '../../server/queries/resources.ts'
import { type Conflict, type Decision, pictureIn, thumbnailOf } from '../operations/conflicts/conflicts.ts'
import type { Picked } from './picked-files.ts'
import type { Job } from './queue.ts'

/** What lies at the destination, by its path below it. */
export type Existing = ReadonlyMap<string, Pick<Entry, 'size' | 'modified' | 'isDir'> & Partial<Entry>>

/** The files whose name is taken by a file. Folders never are in the way: what comes is put into them. */
export function findConflicts(picked: readonly Picked[], existing: Existing): Conflict[] {
  return picked.flatMap((one) => {
    const there = existing.get(one.path)
    if (one.kind === 'folder' || there === undefined || there.isDir) return []
    const { size, lastModified } = one.file
    const [coming, present] = [pictureIn(one.file), thumbnailOf(there)]
    return {
      path: one.path,
      isDir: false,
      origin: { size, modified: new Date(lastModified).toISOString(), ...(coming && { picture: coming }) },
      destination: { size: there.size, modified: there.modified, ...(present && { picture: present }) },
    }
  })
}

export interface Plan {
  jobs: Job[]
  skipped: Job[]
}

/** What to send where, after the person has decided about each conflict. */
export function planUpload(
  picked: readonly Picked[],
  into: string,
  conflicts: readonly Conflict[],
  decisions: readonly Decision[],
  nextId: () => string,
  /** The new names of those that are kept beside what is there. */
  renamed: ReadonlyMap<string, string> = new Map(),
): Plan {
  const decided = new Map(conflicts.map(({ path }, index) => [path, decisions[index] ?? 'skip']))
  const plan: Plan = { jobs: [], skipped: [] }
  for (const one of picked) {
    const decision = decided.get(one.path)
    const path = join(into, renamed.get(one.path) ?? one.path)
    const aim = { id: nextId(), path, name: nameOf(path), into }
    const job: Job =
      one.kind === 'folder'
        ? { ...aim, kind: 'folder', size: 0 }
        : {
            ...aim,
            kind: 'file',
            size: one.file.size,
            file: one.file,
            override: decision === 'overwrite',
            url: null,
            handle: one.handle ?? null,
            kept: null,
          }
    plan[decision === 'skip' ? 'skipped' : 'jobs'].push(job)
  }
  return plan
}

/** For a file whose name was found taken when it was sent: what is there was not looked at. */
export const conflictAbout = ({ path, into, size, ...job }: Job): Conflict => ({
  path: path.slice(into === '/' ? 1 : into.length + 1),
  isDir: false,
  origin: { size, modified: job.kind === 'file' ? new Date(job.file.lastModified).toISOString() : null },
  destination: { size: null, modified: null },
})

/** The first part of each path, once. */
export const topNames = (picked: readonly Picked[]): string[] => [
  ...new Set(picked.map(({ path }) => path.split('/', 1)[0] ?? path)),
]

/** The outermost folders of what comes out of folders. */
export const topFolders = (picked: readonly Picked[]): string[] => [
  ...new Set(picked.flatMap(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : []))),
]
