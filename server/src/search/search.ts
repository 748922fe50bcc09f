import { join } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import type { Run } from '../access/walk.ts'
import { isFailure } from '../failure.ts'
import type { NameFilter } from '../storage/name-filter.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Matcher } from './query.ts'

export interface Hit {
  dir: boolean
  /** Relative to where the search began. */
  path: string
}

export interface SearchOptions {
  limit: number
  signal: AbortSignal
  /** Leaves out names that do not match where they are read, as far as it can. */
  filter?: NameFilter
}

/** In milliseconds. The first hit is sent at once, further ones in batches of this length. */
const batchEvery = 20
const largestBatch = 1000

/** Finds entries by name below a folder, and yields them as they are found. A missing folder yields none. */
export async function search(
  scope: Scope,
  folder: VirtualPath,
  matches: Matcher,
  options: SearchOptions,
): Promise<AsyncGenerator<Hit[]>> {
  const runs = await scope.walk(folder, options.signal, options.filter).catch(ifMissing)
  return find(scope, folder, runs, matches, options)
}

async function* find(
  scope: Scope,
  start: VirtualPath,
  runs: AsyncIterable<Run> | [],
  matches: Matcher,
  { limit }: SearchOptions,
): AsyncGenerator<Hit[]> {
  let hits: Hit[] = []
  let left = limit
  let sentAt = 0
  for await (const { folder, entries } of runs) {
    for (const { name, kind } of entries) {
      if (!matches(name)) continue
      const path = join(folder, name) as VirtualPath
      if (kind === 'link' && !(await isTargetVisible(scope, path))) continue
      hits.push({ dir: kind === 'folder', path: path.slice(start === '/' ? 1 : start.length + 1) })
      left -= 1
      if (left === 0) break
    }
    if (left === 0) break
    if (hits.length === 0 || (hits.length < largestBatch && performance.now() - sentAt < batchEvery)) continue
    yield hits
    hits = []
    sentAt = performance.now()
  }
  if (hits.length > 0) yield hits
}

/** As in a listing, a symlink to a hidden entry, or out of the scope, is left out. */
async function isTargetVisible(scope: Scope, link: VirtualPath): Promise<boolean> {
  try {
    await scope.stat(link)
    return true
  } catch (error) {
    if (isFailure(error, 'forbidden') || isFailure(error, 'not-found')) return false
    throw error
  }
}

function ifMissing(error: unknown): [] {
  if (!isFailure(error, 'not-found')) throw error
  return []
}
