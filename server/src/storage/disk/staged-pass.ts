import { tolerating } from '../linux/errno.ts'
import type { Kernel, Stat } from '../linux/kernel.ts'
import { isFolder } from '../linux/modes.ts'
import { meterFor } from '../meter.ts'
import type { CopyTask } from './copying.ts'
import { dropName } from './displace.ts'
import { removeTree } from './removing.ts'
import { newPrefix, type StagedFiles, stageEntry } from './staged-files.ts'
import { bootId, type Staged } from './staged-state.ts'
import { type StagedWalk, stageFolder } from './staged-tree.ts'
import { treeSync } from './sync.ts'
import { isSame, type NameAt, statAt } from './target.ts'

/** What only the last time is needed for, when the source is out of sight and about to go. */
interface LastTime {
  stays(stat: Stat): void
  /** As the source was before it was hidden, which is a change as well. */
  readonly before: Stat
}

/** Makes the draft a copy of what is at `from` now, and safe. Goes on where an earlier time stopped. */
export async function bringUpToDate(
  staged: Staged,
  from: NameAt,
  merge: StagedWalk['merge'],
  { progress, ...rest }: CopyTask & { progress?: Parameters<typeof meterFor>[0] },
  last?: LastTime,
): Promise<void> {
  const { kernel, draft, parts, state } = staged
  const there = statAt(kernel, draft)
  const distrusts = there !== undefined && state?.boot !== bootId()
  clearNew(kernel, parts)
  // The kernel that ran is noted when all is known to be there.
  await staged.note({
    isSynced: false,
    ...(there === undefined && { boot: bootId() }),
    ...(state === undefined && { boot: '' }),
  })
  const safety = treeSync(kernel, draft.folder, { isBegun: there !== undefined && state?.isSynced !== true })
  const meter = meterFor(progress, state?.done)
  const task: CopyTask = { ...rest, sync: safety.sync, linked: safety.linked, meter }
  const files: StagedFiles = { task, parts, distrusts, busy: new Set() }
  const now = kernel.stat(from.folder, from.name)
  task.copied?.(now)
  const stat = sourceStat(now, last?.before)
  if (there !== undefined && isFolder(there.mode) !== isFolder(stat.mode))
    await removeTree(kernel, draft.folder, draft.name, { force: true })
  if (isFolder(stat.mode))
    await stageFolder({ ...files, merge, isLast: last !== undefined, stays: last?.stays ?? (() => {}) }, from, draft)
  else {
    const metered = meter.file('')
    await stageEntry(files, from, draft, stat, statAt(kernel, draft), '', metered)
    metered.end(stat.size)
  }
  await safety.end()
  meter.end()
  await staged.note({ isSynced: true, boot: bootId(), done: meter.done })
}

/** To be hidden is no change of a file. */
const sourceStat = (now: Stat, before: Stat | undefined): Stat =>
  before !== undefined &&
  isSame(now, before) &&
  now.size === before.size &&
  now.seconds === before.seconds &&
  now.nanoseconds === before.nanoseconds
    ? { ...now, changed: before.changed }
    : now

/** Small files that a killed process was at. */
function clearNew(kernel: Kernel, parts: number): void {
  const names: string[] = []
  for (let items = kernel.readFolder(parts, true); items !== null; items = kernel.readFolder(parts, true))
    names.push(...items.map(({ name }) => name).filter((name) => name.startsWith(newPrefix)))
  for (const name of names) tolerating(['ENOENT'], () => dropName(kernel, { folder: parts, name }))
}
