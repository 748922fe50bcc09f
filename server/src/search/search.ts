import { join } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import type { Run } from '../access/walk.ts'
import { isFailure } from '../failure.ts'
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
}

/** The first find goes out at once, the next ones after so many milliseconds: a person sees them appear. */
const patience = 20
const mostAtOnce = 1000

/** Finds names below a folder, and tells them as it goes. Where there is no such folder, nothing is found. */
export async function search(
  scope: Scope,
  folder: VirtualPath,
  matches: Matcher,
  options: SearchOptions,
): Promise<AsyncGenerator<Hit[]>> {
  const runs = await scope.walk(folder, options.signal).catch(ifMissing)
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
  let told = 0
  for await (const { folder, entries } of runs) {
    for (const { name, kind } of entries) {
      if (!matches(name)) continue
      const path = join(folder, name) as VirtualPath
      if (kind === 'link' && !(await leadsSomewhereVisible(scope, path))) continue
      hits.push({ dir: kind === 'folder', path: path.slice(start === '/' ? 1 : start.length + 1) })
      left -= 1
      if (left === 0) break
    }
    if (left === 0) break
    if (hits.length === 0 || (hits.length < mostAtOnce && performance.now() - told < patience)) continue
    yield hits
    hits = []
    told = performance.now()
  }
  if (hits.length > 0) yield hits
}

/** As in a listing: a link to what the rules hide, or out of the folder, is not there. */
async function leadsSomewhereVisible(scope: Scope, link: VirtualPath): Promise<boolean> {
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
