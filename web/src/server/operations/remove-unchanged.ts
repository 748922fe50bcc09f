import { encodePath, nameOf, parentOf } from '@filestead/contract'
import { sessionQueue } from '../../state/session-queue.ts'
import { call } from '../client.ts'
import { type Entry, entriesNamed, removeEntry } from '../queries/resources.ts'

/** The entry may hold something that it did not hold when it was made: it is kept. */
export class MayHaveChanged extends Error {
  override readonly name = 'MayHaveChanged'
}

/**
 * Answers how to remove an entry that was just made, if it is still as it was made then: a file of the same size and
 * time, a folder with the same entries in it, each of the same size and time. What cannot be compared counts as changed.
 */
export function removingUnchanged(
  path: string,
  made: Promise<Entry | undefined>,
  signal: AbortSignal,
): (signal: AbortSignal) => Promise<void> {
  const before = made
    .then((first) => (first === undefined ? null : reading.add(() => stateOf(first, signal))))
    .catch(() => null)
  return async (signal) => {
    const [now] = await entriesNamed(parentOf(path), [nameOf(path)], signal)
    // Gone already, which is what is wanted.
    if (now === undefined) return
    const known = await before
    if (known === null || known !== (await stateOf(now, signal))) throw new MayHaveChanged(now.name)
    await removeEntry(path, signal)
  }
}

/** One folder is read after the other: a batch of copies may have made many. */
const reading = sessionQueue()

/** Equal for what is unchanged. Null where there is too much to compare. */
async function stateOf(entry: Entry, signal: AbortSignal): Promise<string | null> {
  const own = `${entry.isDir} ${entry.isSymlink} ${entry.size} ${entry.modified}`
  if (!entry.isDir || entry.isSymlink) return own
  const below = await everythingBelow(entry.path, signal)
  return below === null ? null : `${own} ${below}`
}

/** Of a larger list the comparison would cost more than it is worth: about 30,000 entries. */
const mostBytes = 4_000_000

/** A checksum of the flat list of a folder, which the server sends in the order of names. Null where it is too long. */
async function everythingBelow(folder: string, signal: AbortSignal): Promise<string | null> {
  const { body } = await call('GET', `resources${encodePath(folder)}?recursive=true`, { signal })
  const reader = body?.getReader()
  const sum = new Checksum()
  let bytes = 0
  for (;;) {
    const piece = await reader?.read()
    if (piece === undefined || piece.done) return `${bytes} ${sum.value}`
    bytes += piece.value.length
    sum.add(piece.value)
    if (bytes > mostBytes) {
      void reader?.cancel()
      return null
    }
  }
}

/** FNV-1a, twice with different seeds: browsers have no faster digest over plain HTTP. */
class Checksum {
  #one = 0x811c9dc5
  #other = 0x01000193

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      this.#one = Math.imul(this.#one ^ byte, 0x01000193)
      this.#other = Math.imul(this.#other ^ byte, 0x85ebca6b)
    }
  }

  get value(): string {
    return `${this.#one >>> 0} ${this.#other >>> 0}`
  }
}
