import type { Scope } from '../access/scope.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import type { Location } from '../mounts/location.ts'
import { inFolder, type VirtualPath } from '../storage/path.ts'
import { statOrNothing } from './items.ts'
import type { Run } from './kind.ts'

interface CountedPlan {
  readonly items: readonly { readonly at: Location }[]
}

/** In milliseconds: what is over sooner needs no total. */
const delay = 700

/**
 * Counts beside the work how much there is to do, unless an earlier go has. The work does not wait for it, and a failure to
 * count leaves the total unknown.
 */
export async function countingBeside(run: Run<CountedPlan>, work: () => Promise<void>): Promise<void> {
  if (run.notes.isCounted === true) return work()
  const stopping = new AbortController()
  const signal = AbortSignal.any([run.signal, stopping.signal])
  const timer = setTimeout(() => void count().catch(() => {}), delay)

  async function count(): Promise<void> {
    const scope = await run.scope()
    const before = (run.notes.sum as { files: number; bytes: number } | undefined) ?? { files: 0, bytes: 0 }
    const paths = run.plan.items.slice(run.cursor).flatMap(({ at }) => scope.tree.pathTo(at) ?? [])
    const found = await amountOf(scope, paths, signal)
    run.total({ files: before.files + found.files, bytes: before.bytes + found.bytes })
    run.notes = { ...run.notes, isCounted: true }
  }

  try {
    await work()
  } finally {
    clearTimeout(timer)
    stopping.abort()
  }
}

/** Files and bytes at these paths and below them, as far as they can be seen. Symlinks count as themselves. */
async function amountOf(scope: Scope, paths: readonly VirtualPath[], signal: AbortSignal) {
  const sum = { files: 0, bytes: 0 }
  const pause = timeSlices(signal)
  for (const path of paths) {
    const entry = await statOrNothing(scope, path)
    if (entry?.kind === 'folder' && !entry.isLink) await addBelow(path)
    else if (entry !== undefined) add(entry)
    signal.throwIfAborted()
  }
  return sum

  function add({ size, kind }: { size: number; kind: string }): void {
    sum.files += 1
    if (kind === 'file') sum.bytes += size
  }

  async function addBelow(top: VirtualPath): Promise<void> {
    for (const folders = [top]; folders.length > 0; ) {
      const folder = folders.pop() ?? top
      signal.throwIfAborted()
      // A folder that is gone or closed by now is left out.
      const listing = await scope.listUnfollowed(folder, signal).catch(() => undefined)
      for (const entry of listing?.entries ?? [])
        if (entry.kind === 'folder') folders.push(inFolder(folder, entry.name))
        else add(entry)
      await pause()
    }
  }
}
