import type { Cancellation } from '../../concurrency/cancellation.ts'
import { timeSlices } from '../../concurrency/time-slices.ts'
import { Failure } from '../../failure.ts'
import { checkedPath, type VirtualPath } from '../../storage/path.ts'
import type { EntryIndex, IndexedEntry } from '../reading/entry-index.ts'
import { insidePath } from '../reading/level.ts'
import { outOfProportion, proportionate } from '../reading/limits.ts'
import { requireReadable } from '../reading/zip-member.ts'

/** An entry that is extracted, and its path below the folder that gets it. */
export interface ChosenEntry {
  /** Its place in the index. */
  readonly at: number
  readonly entry: IndexedEntry
  readonly path: VirtualPath
}

/** The entries of an archive that are extracted, in its order. */
export interface Chosen {
  readonly files: number
  readonly bytes: number
  /** From one on; each is made when it is its turn. */
  from(start: number, signal?: Cancellation): AsyncGenerator<ChosenEntry>
}

/** All entries, or those at and below some paths, which then lie directly in the target. */
export async function choose(
  index: EntryIndex,
  inside: readonly string[] | undefined,
  signal?: Cancellation,
): Promise<Chosen> {
  const pathFor = inside === undefined ? (path: string) => path : selection(inside)

  async function* from(start: number, cancellation?: Cancellation): AsyncGenerator<ChosenEntry> {
    const pause = timeSlices(cancellation)
    for (let at = start; at < index.count; at += 1) {
      const rest = at % 64 === 0 ? pause() : undefined
      if (rest !== undefined) await rest
      const entry = index.at(at)
      const path = pathFor(entry.path)
      if (path !== undefined) yield { at, entry, path: checkedPath(path) }
    }
  }

  let [files, bytes] = [0, 0]
  let isEmpty = true
  for await (const { entry } of from(0, signal)) {
    isEmpty = false
    if (entry.isFolder) continue
    requireReadable(entry)
    files += 1
    bytes += entry.size
  }
  if (isEmpty && inside !== undefined) throw new Failure('not-found', 'The archive has nothing of what was chosen')
  return { files, bytes, from }
}

/** What a path of the archive is called in the target; undefined for one that was not chosen. */
function selection(inside: readonly string[]): (path: string) => string | undefined {
  const chosen = new Set(inside.map(insidePath))
  if (chosen.has('')) return (path) => path
  return (path) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const above = path.slice(0, end)
      if (chosen.has(above)) return path.slice(above.lastIndexOf('/') + 1)
    }
    return undefined
  }
}

/** Before anything is written; what archives say is not believed, but one that says too much is. */
export function requireProportionate({ bytes }: Pick<Chosen, 'bytes'>, packedSize: number): void {
  if (bytes > proportionate(packedSize)) throw outOfProportion()
}
