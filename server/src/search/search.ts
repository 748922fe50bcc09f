import { join, type Resource } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import type { Run } from '../access/walk.ts'
import { toResource, typeByName } from '../entries/resource.ts'
import { ignoring } from '../failure.ts'
import { rightsField } from '../files/rights-field.ts'
import type { NameFilter, NameMatcher } from '../storage/name-filter.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Named } from '../storage/port.ts'

export interface Hit extends Partial<Facts> {
  /** False for a symlink, whatever it leads to. */
  dir: boolean
  /** Relative to where the search began. */
  path: string
}

/** As in a listing: a symlink shows what it leads to. The type is told by the name alone. */
type Facts = Pick<Resource, 'size' | 'modified' | 'mode' | 'isDir' | 'isSymlink' | 'type' | 'can'>

export interface SearchOptions {
  limit: number
  signal: AbortSignal
  /** Leaves out names that do not match where they are read, as far as it can. */
  filter?: NameFilter
  /** Each hit tells its size, time and type, which costs a look at each of them. */
  hasFacts?: boolean
}

/** In milliseconds. The first hit is sent at once, further ones in batches of this length. */
const batchEvery = 20
const largestBatch = 1000
/** Entries that are looked at together. */
const looksAtOnce = 16

/** Finds entries by name below a folder, and yields them as they are found. A missing folder yields none. */
export async function search(
  scope: Scope,
  folder: VirtualPath,
  matches: NameMatcher,
  options: SearchOptions,
): Promise<AsyncGenerator<Hit[]>> {
  const runs = await scope.walk(folder, options.signal, options.filter).catch(ignoring('not-found'))
  return find(scope, folder, runs ?? [], matches, options)
}

async function* find(
  scope: Scope,
  start: VirtualPath,
  runs: AsyncIterable<Run> | [],
  matches: NameMatcher,
  { limit, signal, hasFacts = false }: SearchOptions,
): AsyncGenerator<Hit[]> {
  const above = start === '/' ? 1 : start.length + 1
  const hitIn =
    (folder: VirtualPath) =>
    ({ name, kind }: Named): Hit => ({ dir: kind === 'folder', path: join(folder, name).slice(above) })
  /** Undefined where a listing shows nothing. */
  const look = async (folder: VirtualPath, named: Named): Promise<Hit | undefined> => {
    const hit = hitIn(folder)(named)
    if (!hasFacts && named.kind !== 'link') return hit
    const facts = await factsOf(scope, join(folder, named.name) as VirtualPath)
    return facts && (hasFacts ? { ...hit, ...facts } : hit)
  }
  let hits: Hit[] = []
  let left = limit
  let sentAt = 0
  for await (const { folder, entries } of runs) {
    if (start === '/' && isFoundElsewhere(scope, folder)) continue
    const found = entries.filter(({ name }) => matches(name))
    for (let at = 0; at < found.length && left > 0; at += looksAtOnce) {
      signal.throwIfAborted()
      const next = found.slice(at, at + looksAtOnce)
      const needsLooks = hasFacts || next.some(({ kind }) => kind === 'link')
      const seen = needsLooks ? await Promise.all(next.map((named) => look(folder, named))) : next.map(hitIn(folder))
      for (const hit of seen.filter((each) => each !== undefined).slice(0, left)) {
        hits.push(hit)
        left -= 1
      }
    }
    if (left === 0) break
    if (hits.length === 0 || (hits.length < largestBatch && performance.now() - sentAt < batchEvery)) continue
    yield hits
    hits = []
    sentAt = performance.now()
  }
  if (hits.length > 0) yield hits
}

/** From the top, a home is found by its own name, not once more on the way through the mount that it lies in. */
function isFoundElsewhere({ tree }: Scope, folder: VirtualPath): boolean {
  const location = tree.isNamed ? tree.locate(folder) : undefined
  return location !== undefined && tree.pathTo(location) !== folder
}

/** Undefined where, as in a listing, nothing is shown: a symlink to a hidden entry or out of the scope, or what has gone. */
async function factsOf(scope: Scope, path: VirtualPath): Promise<Facts | undefined> {
  const entry = await scope.stat(path).catch(ignoring('forbidden', 'not-found'))
  if (entry === undefined) return undefined
  const { size, modified, mode, isDir, isSymlink, type } = toResource(entry, path, typeByName(entry) ?? 'blob')
  return { size, modified, mode, isDir, isSymlink, type, ...rightsField(scope.rightsAt(path)) }
}
