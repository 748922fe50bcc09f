import { isInside } from '@filestead/contract'
import { deadline } from '../concurrency/deadline.ts'
import { Failure } from '../failure.ts'
import type { ThreadedScopes } from '../storage/threads/scopes.ts'
import { firstMount } from './location.ts'
import type { Behind, ServedMount } from './served.ts'
import type { MountFacts } from './store.ts'

/** What the cleanup of a server does in all mounts. */
export interface MountCleanup {
  guardHalfWritten(): Promise<void>
  repairHalfWritten(): Promise<void>
  restoreSources(): Promise<void>
  clearDrafts(): Promise<void>
  clearOrphans(): Promise<void>
}

/** In milliseconds: a disk or a server that went away meanwhile keeps the cleanup of others no longer. */
const longestCleanup = 20_000

export function cleanupIn(
  first: ThreadedScopes,
  further: ReadonlyMap<number, ServedMount>,
  spool: string,
): MountCleanup {
  const swept = new Set<string>()

  /** In all that are there, side by side; the first failure is told when all are done. */
  async function inEach(work: (behind: Behind) => Promise<void>): Promise<void> {
    const there = [...further.values()].filter((mount) => mount.problem() === undefined)
    const works = [work(first), ...there.flatMap(({ behind }) => (behind === undefined ? [] : [inTime(work(behind))]))]
    const failed = (await Promise.allSettled(works)).find((done) => done.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
  const onDisks = (work: (scopes: ThreadedScopes) => Promise<void>) =>
    inEach(async (behind) => {
      if (behind.kind === 'disk') await work(behind)
    })

  return {
    guardHalfWritten: () => onDisks((scopes) => scopes.guardHalfWritten()),
    repairHalfWritten: () =>
      onDisks(async (scopes) => {
        await scopes.guardHalfWritten()
        await scopes.repairHalfWritten()
      }),
    restoreSources: () => onDisks((scopes) => scopes.restoreSources()),
    clearDrafts: () => inEach((behind) => behind.clearDrafts()),
    // All other folders are swept when they are listed.
    clearOrphans: () =>
      onDisks(async (scopes) => {
        const folders = [...(scopes === first ? [spool] : []), scopes.root].filter((folder) => !swept.has(folder))
        for (const folder of folders) swept.add(folder)
        await scopes.clearOrphansIn(folders)
      }),
  }
}

async function inTime(work: Promise<void>): Promise<void> {
  const isOver = await deadline(
    work.then(() => true),
    longestCleanup,
    false,
  )
  if (!isOver) throw new Failure('unavailable', 'A mount does not answer')
}

/**
 * The mount that cleans up after a row which names something by its full name: the one on a disk whose folder holds it. What
 * lies in none is left, unless there has been one alone, or symlinks lead anywhere.
 */
export function holderOf(
  place: string,
  mounts: readonly Pick<MountFacts, 'id' | 'folder' | 'links'>[],
  spool: string,
): number | undefined {
  if (mounts.length === 1 || isInside(place, spool)) return firstMount
  const holder = mounts.find(({ folder }) => isInside(place, folder))
  return holder?.id ?? (mounts.some(({ links }) => links === 'outside') ? firstMount : undefined)
}
