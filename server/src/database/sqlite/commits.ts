import { readSync, statfsSync } from 'node:fs'
import { descriptorOf } from './descriptors.ts'

/** In words of four bytes: the first of the two copies of its header that the index of a log begins with. */
const headerLength = 12
/** The first word: what SQLite calls the format of an index. */
const knownFormat = 3_007_000

/**
 * File systems on which a read shows at once what was written through a mapping, as SQLite writes the index: ext2 to ext4, xfs,
 * btrfs, zfs, f2fs, bcachefs, overlay and memory. On others, such as a folder of the machine that a virtual one runs on, a
 * read may show for half a minute what was there before.
 */
const coherent: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x794c7630, 0x01021994,
])

/** Its number may come with a sign. */
const kindOfFileSystem = (file: string): number => statfsSync(file).type >>> 0

/** Counts commits as far as it is asked for them: it answers the same number as long as there was none, by any process. */
export type Commits = () => number | undefined

/**
 * Each commit changes the header of the index, which all processes share. To read it takes a twentieth of the time of a
 * query. Undefined where there is none (a database in memory, or one that is locked for others), or where a read may show an
 * old one.
 */
export function commitsOf(file: string, kindOf = kindOfFileSystem): Commits | undefined {
  const descriptor = descriptorOf(`${file}-shm`)
  if (descriptor === undefined || !coherent.has(kindOf(file))) return undefined
  const header = new Int32Array(headerLength)
  const last = new Int32Array(headerLength)
  let commits = 0
  return () => {
    const length = readSync(descriptor, header, 0, header.byteLength, 0)
    if (length < header.byteLength || header[0] !== knownFormat) return undefined
    if (isOther(header, last)) {
      last.set(header)
      commits += 1
    }
    return commits
  }
}

function isOther(words: Int32Array, known: Int32Array): boolean {
  for (let index = 0; index < headerLength; index += 1) if (words[index] !== known[index]) return true
  return false
}

const mostKept = 500

/** What was read since the last commit is not read again. Rows are shared from then on, and frozen. */
export function keptUntilCommit<Row>(
  commits: Commits | undefined,
  read: (parameters: readonly unknown[]) => Promise<Row | undefined>,
): typeof read {
  if (commits === undefined) return read
  const kept = new Map<string, Row | undefined>()
  let keptSince: number | undefined
  return async (parameters) => {
    // Asked before the row is read: a commit in between is seen the next time.
    const now = commits()
    if (now === undefined) return read(parameters)
    if (now !== keptSince) kept.clear()
    keptSince = now
    const key = JSON.stringify(parameters)
    if (kept.has(key)) return kept.get(key)
    const row = Object.freeze(await read(parameters))
    if (keptSince === now && kept.size < mostKept) kept.set(key, row)
    return row
  }
}
