import { mostListedInside } from '@filestead/contract'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { timeSlices } from '../../concurrency/time-slices.ts'
import { Failure } from '../../failure.ts'
import type { EntryIndex, IndexedEntry } from './entry-index.ts'
import { safeName } from './names.ts'

/** One name in a folder of an archive. A folder that is only part of the paths of others has no entry. */
export interface LevelEntry {
  readonly name: string
  readonly isFolder: boolean
  readonly entry: IndexedEntry | undefined
}

export interface Level {
  readonly entries: readonly LevelEntry[]
  readonly isCut: boolean
}

const slash = 0x2f

/** What lies in one folder of an archive, in the order of the archive. Of two entries with one name the last counts. */
export async function levelOf(index: EntryIndex, inside: string, signal?: Cancellation): Promise<Level> {
  const folder = insidePath(inside)
  const prefix = Buffer.from(folder === '' ? '' : `${folder}/`)
  /** By name: the entry, or -1 for a folder that is only implied. */
  const found = new Map<string, number>()
  const folders = new Set<string>()
  const pause = timeSlices(signal)
  let isThere = folder === ''
  let isCut = false
  let last: Uint8Array = new Uint8Array()
  for (let at = 0; at < index.count; at += 1) {
    const rest = at % 512 === 0 ? pause() : undefined
    if (rest !== undefined) await rest
    const path = index.pathOf(at)
    if (!startsWith(path, prefix)) {
      isThere ||= path.length === prefix.length - 1 && index.isFolder(at) && startsWith(prefix, path)
      continue
    }
    isThere = true
    const next = path.indexOf(slash, prefix.length)
    const segment = path.subarray(prefix.length, next === -1 ? path.length : next)
    // Files of one folder mostly stand together.
    if (next !== -1 && segment.length === last.length && startsWith(segment, last)) continue
    const name = Buffer.from(segment).toString()
    if (!found.has(name) && found.size >= mostListedInside) {
      isCut = true
      continue
    }
    if (next !== -1) {
      last = segment
      folders.add(name)
      if (!found.has(name)) found.set(name, -1)
    } else {
      if (index.isFolder(at)) folders.add(name)
      found.set(name, at)
    }
  }
  if (!isThere) throw notInside()
  const entries = [...found].map(([name, at]) => ({
    name,
    isFolder: folders.has(name),
    entry: at === -1 ? undefined : index.at(at),
  }))
  return { entries, isCut }
}

/** The file of this path. */
export async function fileIn(index: EntryIndex, inside: string, signal?: Cancellation): Promise<IndexedEntry> {
  const wanted = Buffer.from(insidePath(inside))
  const pause = timeSlices(signal)
  for (let at = index.count - 1; at >= 0; at -= 1) {
    const rest = at % 512 === 0 ? pause() : undefined
    if (rest !== undefined) await rest
    const path = index.pathOf(at)
    if (path.length === wanted.length && startsWith(path, wanted) && !index.isFolder(at)) return index.at(at)
  }
  throw notInside()
}

/** A path that was asked for, without the slash that it begins with. */
export function insidePath(inside: string): string {
  if (/^\/*$/.test(inside)) return ''
  const safe = safeName(inside, { isFromDos: false })
  if (safe === undefined) throw notInside()
  return safe.path
}

function startsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  if (bytes.length < beginning.length) return false
  // From the end: paths of one archive begin alike.
  for (let at = beginning.length - 1; at >= 0; at -= 1) if (bytes[at] !== beginning[at]) return false
  return true
}

const notInside = () => new Failure('not-found', 'There is no such file or folder in the archive')
