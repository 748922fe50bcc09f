import type { Conflicts, JobConflict } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { isoTime } from '../entries/times.ts'
import { ignoring } from '../failure.ts'
import { inFolder, parsePath, type VirtualPath } from '../storage/path.ts'
import type { Entry, OpenFile } from '../storage/port.ts'
import { statOrNothing } from './items.ts'

/** As many are told one by one. */
const mostConflicts = 1000
/** So many entries are looked at in all: a larger tree asks when it comes to it. */
const mostLooked = 200_000
/** A source folder of fewer entries has its names asked one by one where the target is not known to be small. */
const fewNames = 64
/** In bytes: so much is read in all to compare files that look the same, before anything is begun; of others the job tells. */
const mostCompared = 256 << 20

interface Ends {
  readonly from: VirtualPath
  readonly to: VirtualPath
}

interface Search {
  /** Where the sources are seen; of what comes out of the past that is another scope. */
  readonly sources: Scope
  readonly scope: Scope
  readonly signal: Cancellation
  /** Of files that look the same, those with other contents are told, too. */
  readonly compares?: ((ends: Ends, size: number) => Promise<boolean>) | undefined
  readonly found: JobConflict[]
  identical: number
  looked: number
  isCut: boolean
}

/** Which names are taken, as far as the actor sees: of the entries themselves and of files below folders that would be merged. */
export async function findConflicts(
  scope: Scope,
  items: readonly { from: string; to: string }[],
  signal: AbortSignal,
): Promise<Conflicts> {
  let compared = 0
  const compares = async ({ from, to }: Ends, size: number) => {
    compared += size
    return compared > mostCompared || haveSameContents([scope, from], [scope, to], signal)
  }
  const search: Search = { sources: scope, scope, signal, compares, found: [], identical: 0, looked: 0, isCut: false }
  for (const { from, to } of items) {
    signal.throwIfAborted()
    const ends = { from: parsePath(from), to: parsePath(to) }
    const [source, target] = [await statOrNothing(scope, ends.from), await statOrNothing(scope, ends.to)]
    if (source === undefined || target === undefined) continue
    if (ends.from !== ends.to && (await isThere(search, ends, source, target))) search.identical += 1
    else await compare(search, ends, source, target)
  }
  return { conflicts: search.found, identical: search.identical, isCut: search.isCut }
}

/** That of one entry which meets another one comes first, then those of what lies below. */
export async function conflictsOf(
  scope: Scope,
  ends: Ends,
  [source, target]: readonly [Entry, Entry],
  signal: AbortSignal,
  { comparesContents = false, sources = scope }: { comparesContents?: boolean | undefined; sources?: Scope } = {},
): Promise<JobConflict[]> {
  const compares = ({ from, to }: Ends) => haveSameContents([sources, from], [scope, to], signal)
  const search: Search = {
    sources,
    scope,
    signal,
    ...(comparesContents && { compares }),
    found: [],
    identical: 0,
    looked: 0,
    isCut: false,
  }
  await compare(search, ends, source, target)
  return search.found
}

async function compare(search: Search, ends: Ends, source: Entry, target: Entry): Promise<void> {
  add(search, ends, source, target)
  const isItself = ends.from === ends.to && search.sources === search.scope
  if (isFolder(source) && isFolder(target) && !isItself) await compareBelow(search, ends)
}

/** One after another from the top, so that those of higher folders are among the first. */
async function compareBelow(search: Search, top: Ends): Promise<void> {
  const pause = timeSlices(search.signal)
  for (const waiting = [top]; waiting.length > 0 && !search.isCut; ) {
    const ends = waiting.shift() ?? top
    const sources = await entriesOf(search, search.sources, ends.from)
    const targets = await targetsFor(search, ends.to, sources)
    for (const source of sources) {
      const target = targets.get(source.name)
      if (target === undefined) continue
      const below = { from: inFolder(ends.from, source.name), to: inFolder(ends.to, source.name) }
      if (isFolder(source) && isFolder(target)) waiting.push(below)
      else if (await isThere(search, below, source, target)) search.identical += 1
      else add(search, below, source, target)
      if (search.isCut) return
    }
    await pause()
  }
}

/** Files that were written in the same moment have the same time, whatever is in them. */
const isThere = async ({ compares }: Search, ends: Ends, source: Entry, target: Entry): Promise<boolean> =>
  isIdentical(source, target) && (await compares?.(ends, source.size)) !== false

async function entriesOf(search: Search, scope: Scope, folder: VirtualPath): Promise<readonly Entry[]> {
  const unreadable = ignoring('forbidden', 'not-found', 'invalid')
  const { entries = [] } = (await scope.listUnfollowed(folder, search.signal).catch(unreadable)) ?? {}
  search.looked += entries.length
  if (search.looked > mostLooked) search.isCut = true
  return entries
}

/** By name. A few are looked for, instead of all that lies there. */
async function targetsFor(
  search: Search,
  folder: VirtualPath,
  sources: readonly Entry[],
): Promise<ReadonlyMap<string, Entry>> {
  if (sources.length > fewNames)
    return new Map((await entriesOf(search, search.scope, folder)).map((entry) => [entry.name, entry] as const))
  const found = new Map<string, Entry>()
  for (const { name } of sources) {
    const entry = await statOrNothing(search.scope, inFolder(folder, name))
    if (entry !== undefined) found.set(name, entry)
  }
  return found
}

function add(search: Search, { from, to }: Ends, source: Entry, target: Entry): void {
  if (search.found.length >= mostConflicts) search.isCut = true
  else search.found.push({ from, to, source: sideOf(source), target: sideOf(target) })
}

const isFolder = ({ kind, isLink }: Entry): boolean => kind === 'folder' && !isLink

/** The same size and time: not written again. */
export const isIdentical = (one: Entry, two: Entry): boolean =>
  one.kind === 'file' &&
  two.kind === 'file' &&
  one.size === two.size &&
  one.seconds === two.seconds &&
  one.nanoseconds === two.nanoseconds

/** False where one of them cannot be read. */
export async function haveSameContents(
  one: readonly [Scope, VirtualPath],
  two: readonly [Scope, VirtualPath],
  signal: AbortSignal,
): Promise<boolean> {
  const digests = await Promise.all([one, two].map(([scope, path]) => digestOf(scope, path, signal)))
  return digests[0] !== undefined && digests[0] === digests[1]
}

async function digestOf(scope: Scope, path: VirtualPath, signal: AbortSignal): Promise<string | undefined> {
  const file = scope.may('download', path) ? await scope.open(path).catch(() => undefined) : undefined
  try {
    return file && (await (file.digest?.('sha256', signal) ?? hashOf(file, signal)))
  } finally {
    file?.close()
  }
}

/** Of a small file, which is in memory already, or of one on another machine. */
async function hashOf({ bytes, content }: OpenFile, signal: AbortSignal): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  if (bytes !== undefined) return hash.update(bytes).digest('hex')
  for await (const piece of content.stream()) {
    signal.throwIfAborted()
    hash.update(piece)
  }
  return hash.digest('hex')
}

const sideOf = (entry: Entry): JobConflict['source'] => ({
  isDir: entry.kind === 'folder',
  size: entry.size,
  modified: isoTime(entry.seconds * 1000 + Math.floor(entry.nanoseconds / 1e6)),
})
