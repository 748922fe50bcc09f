import { codeOf, succeeds } from '../linux/errno.ts'
import type { FolderItem, Kernel } from '../linux/kernel.ts'
import { isFolder } from '../linux/modes.ts'
import { isHiddenSource, movingPrefix } from '../path.ts'
import type { Disk } from './disk.ts'
import { moveName } from './displace.ts'
import { pathOfDescriptor } from './drafts.ts'
import { openFolder, splitPath } from './full-paths.ts'
import { mergeTree } from './merging.ts'
import { removeTree } from './removing.ts'
import { sync } from './sync.ts'
import type { NameAt, Target } from './target.ts'

/** Remembers what is being moved to another file system, so that after a crash it comes back or is cleared away. */
export interface MoveLedger {
  /** Written so that it survives a power cut: from then on `place` may be all there is of what was `original`. */
  begin(place: string, original: string): Promise<void>
  /** All of it that has not changed since then (see `Stat.changed`) is safe in its new place. */
  arrived(place: string, since: number): Promise<void>
  end(place: string): Promise<void>
  leftBehind(): Promise<readonly LeftSource[]>
}

export interface LeftSource {
  readonly place: string
  readonly original: string
  readonly arrivedSince: number | null
}

/** In milliseconds. A move that takes longer is of no process that lives. */
export const longestMove = 86_400_000

interface HiddenSource {
  readonly at: NameAt
  /** Noted as in the ledger. Where that fails, a crash brings all of it back. */
  arrived(since: number): Promise<void>
}

/**
 * Takes something out of sight in one step while `work` moves it away: what is written under its old name meanwhile is
 * something new. What is left of it afterwards, all of it after a failure, comes back under its name.
 */
export async function withHiddenSource(
  { kernel, moves: ledger }: Pick<Disk, 'kernel' | 'moves'>,
  source: Target,
  work: (hidden: HiddenSource) => Promise<void>,
): Promise<void> {
  const name = `${movingPrefix}${crypto.randomUUID()}`
  const folder = pathOfDescriptor(source.folder)
  const place = `${folder}/${name}`
  const at = { folder: source.folder, name }
  await ledger.begin(place, `${folder}/${source.name}`)
  try {
    if (succeeds(['EXDEV'], () => moveName(kernel, source, at)))
      return await work({ at, arrived: (since) => ledger.arrived(place, since).catch(() => {}) })
  } finally {
    // Where it cannot come back now, the ledger still knows.
    if (await restore(kernel, at, source)) await ledger.end(place).catch(() => {})
  }
  // A folder in the lower layer of an overlay cannot be renamed. Its parts are visible while they go.
  await work({ at: source, async arrived() {} })
}

/** True when nothing is hidden any more. */
async function restore(kernel: Kernel, hidden: NameAt, to: NameAt): Promise<boolean> {
  try {
    if (kernel.look(hidden.folder, hidden.name) === undefined) return true
    await mergeTree({ kernel }, hidden, to, { keepsBoth: true })
    await sync(kernel, to.folder)
    return true
  } catch (error) {
    return codeOf(error) === 'ENOENT'
  }
}

/** At start: what dead processes were moving comes back, but for what had arrived. */
export async function restoreSources(kernel: Kernel, ledger: MoveLedger): Promise<void> {
  for (const { place, original, arrivedSince } of await ledger.leftBehind()) {
    // Not by node:path, which reads and writes UTF-8 and nothing else.
    const { folder: holder, name } = splitPath(place)
    // The ledger is a file like any other; whatever is written in it, nothing else is touched.
    if (!isHiddenSource(name)) continue
    try {
      const folder = openFolder(kernel, holder)
      try {
        if (arrivedSince !== null) await removeArrived(kernel, { folder, name }, arrivedSince)
        if (await restore(kernel, { folder, name }, { folder, name: splitPath(original).name })) await ledger.end(place)
      } finally {
        kernel.close(folder)
      }
    } catch {
      // The disk is not ready for it; the ledger still knows.
    }
  }
}

/** What was written to it after it was copied is nowhere else. */
async function removeArrived(kernel: Kernel, { folder, name }: NameAt, since: number): Promise<void> {
  if (kernel.look(folder, name) === undefined) return
  const keeps = ({ stat }: FolderItem) => !isFolder(stat.mode) && stat.changed >= since
  await removeTree(kernel, folder, name, { keeps })
}
