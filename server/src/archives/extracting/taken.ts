import type { JobConflict } from '@filestead/contract'
import type { Scope } from '../../access/scope.ts'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { isoTime } from '../../entries/times.ts'
import { ignoring } from '../../failure.ts'
import { inFolder, parentOf, rebase, type VirtualPath } from '../../storage/path.ts'
import type { Entry } from '../../storage/port.ts'
import type { Chosen, ChosenEntry } from './chosen.ts'

/** So many are asked about at the most. */
const mostConflicts = 1000
/** So many names of one folder are looked at one by one; of more, the folder is listed. */
const fewNames = 16

/** A name in the target that an entry shall have, too, and is not the same already. */
export interface Taken {
  readonly path: VirtualPath
  readonly conflict: JobConflict
}

interface Search {
  readonly archive: VirtualPath
  readonly chosen: Chosen
  /** A file with the size and time of the one that is there counts as the same. */
  readonly trustsTimes: boolean
}

/**
 * The names in an existing folder that entries of an archive find taken. Entries of one folder mostly stand together, and
 * are looked up together.
 */
export async function* takenNames(
  scope: Scope,
  target: VirtualPath,
  search: Search,
  signal: Cancellation,
): AsyncGenerator<Taken> {
  let group: ChosenEntry[] = []
  let count = 0
  for await (const next of search.chosen.from(0, signal)) {
    if (
      group.length > 0 &&
      (parentOf(next.path) !== parentOf((group[0] as ChosenEntry).path) || group.length >= 4096)
    ) {
      for await (const taken of takenIn(scope, target, search, group)) {
        yield taken
        count += 1
      }
      group = []
      if (count >= mostConflicts) return
    }
    group.push(next)
  }
  yield* takenIn(scope, target, search, group)
}

async function* takenIn(
  scope: Scope,
  target: VirtualPath,
  { archive, trustsTimes }: Search,
  group: readonly ChosenEntry[],
): AsyncGenerator<Taken> {
  const [first] = group
  if (first === undefined) return
  const there = await lookup(scope, rebase(target, parentOf(first.path)), group)
  for (const { entry, path } of group) {
    const present = there(path)
    if (present === undefined) continue
    if (isSame(entry, present) && (trustsTimes || entry.isFolder)) continue
    const to = rebase(target, path)
    const source = { isDir: entry.isFolder, size: entry.isFolder ? 0 : entry.size, modified: iso(entry.modified) }
    const size = present.kind === 'folder' ? 0 : present.size
    const found = { isDir: present.kind === 'folder', size, modified: iso(present.seconds) }
    yield { path, conflict: { from: inFolder(archive, entry.path), to, source, target: found } }
  }
}

/** Folders are merged, and a file with the same size and time is not written again. */
const isSame = (entry: ChosenEntry['entry'], present: Entry): boolean =>
  entry.isFolder
    ? present.kind === 'folder'
    : present.kind === 'file' && present.size === entry.size && present.seconds === entry.modified

const iso = (seconds: number): string => isoTime(seconds * 1000)

type Lookup = (path: VirtualPath) => Entry | undefined

async function lookup(scope: Scope, folder: VirtualPath, group: readonly ChosenEntry[]): Promise<Lookup> {
  const found = new Map<string, Entry>()
  const nameOf = (path: VirtualPath) => path.slice(path.lastIndexOf('/') + 1)
  if (group.length > fewNames) {
    const listing = await scope.list(folder).catch(unseen)
    for (const entry of listing?.entries ?? []) found.set(entry.name, entry)
  } else {
    for (const { path } of group) {
      const entry = await scope.stat(inFolder(folder, nameOf(path))).catch(unseen)
      if (entry !== undefined) found.set(nameOf(path), entry)
    }
  }
  return (path) => found.get(nameOf(path))
}

/** What may not be seen is found out when it is published. */
const unseen = ignoring('not-found', 'forbidden', 'invalid')
