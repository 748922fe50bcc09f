import { isUtf8 } from 'node:buffer'
import { readlinkSync } from 'node:fs'
import { textOf } from '../exact-names.ts'
import { codeOf } from '../linux/errno.ts'
import type { Kernel } from '../linux/kernel.ts'
import { draftPrefix } from '../path.ts'
import { openFolder, splitPath } from './full-paths.ts'
import { isHalfWritten, noteHalfWritten } from './half-written.ts'
import { DraftNeeded } from './in-place.ts'
import { removeTree } from './removing.ts'
import { type Clearing, finishOverwrite, identityOf, type OverwriteTarget } from './repairing.ts'

/** Remembers drafts outside this process, so that those of a dead one can be found without searching the disk. */
export interface DraftLedger {
  begin(draft: string): Promise<void>
  /**
   * The draft is whole and is being written into `target`, which cannot be replaced by a rename. Answers with the drafts that
   * were being written into the same file before, by a node that has died or failed, whether or not that is known by now.
   */
  overwriting(draft: string, target: OverwriteTarget): Promise<readonly string[]>
  end(draft: string): Promise<void>
  leftBehind(): Promise<readonly LeftDraft[]>
}

export interface LeftDraft {
  readonly draft: string
  /** It belongs to an upload that may go on. */
  readonly isKept: boolean
  readonly target: OverwriteTarget | null
}

export interface Draft {
  readonly name: string
  /** Where it lies, for the ledger. */
  readonly place: string
}

/** Runs `work` with a reserved name in an open folder. Whatever still has that name afterwards is removed. */
export async function withDraft<T>(
  kernel: Kernel,
  ledger: DraftLedger,
  folder: number,
  work: (draft: Draft) => Promise<T>,
): Promise<T> {
  const name = `${draftPrefix}${crypto.randomUUID()}`
  const draft = { name, place: `${pathOfDescriptor(folder)}/${name}` }
  await ledger.begin(draft.place)
  atWork.add(name)
  let isNeeded = false
  try {
    return await work(draft)
  } catch (error) {
    isNeeded = error instanceof DraftNeeded
    throw error instanceof DraftNeeded ? error.cause : error
  } finally {
    if (!isNeeded && (await discard(kernel, folder, name))) await forgetDraft(ledger, draft.place)
    atWork.delete(name)
  }
}

/** The drafts of this process, by name. */
const atWork = new Set<string>()

export const isAtWork = (name: string): boolean => atWork.has(name)

/** Finishes what was being written and removes all other drafts of nodes that are gone. */
export async function clearDrafts(kernel: Kernel, ledger: DraftLedger, clearing: Clearing = {}): Promise<void> {
  for (const left of await ledger.leftBehind()) await clearDraft(kernel, ledger, left, clearing)
}

/** What was being written into when a node died is half written: from now on it is repaired before it is read. */
export async function guardHalfWritten(kernel: Kernel, ledger: DraftLedger, clearing: Clearing = {}): Promise<void> {
  for (const left of await ledger.leftBehind()) {
    const file = left.target === null ? undefined : identityOf(kernel, left.target)
    if (file === undefined || isHalfWritten(file)) continue
    noteHalfWritten(file, { draft: left.draft, repair: () => clearDraft(kernel, ledger, left, clearing) })
  }
}

/**
 * True when there is nothing left to do. A draft that cannot be reached now (a volume that is not mounted) stays in the
 * ledger for the next time; false means that the file it is to be written into is known to wait for it.
 */
export async function clearDraft(
  kernel: Kernel,
  ledger: DraftLedger,
  { draft, target, isKept }: LeftDraft,
  clearing: Clearing = {},
): Promise<boolean> {
  const { folder: place, name } = splitPath(draft)
  // The ledger is a file like any other; whatever is written in it, only drafts are removed.
  if (!name.startsWith(draftPrefix)) return true
  try {
    const folder = openFolder(kernel, place)
    try {
      const outcome = target && (await finishOverwrite(kernel, { folder, name, place }, target, clearing))
      if (outcome === 'out of reach') return true
      const stays = isKept && outcome === 'never begun'
      if (stays || (await discard(kernel, folder, name))) await forgetDraft(ledger, draft)
      return true
    } finally {
      kernel.close(folder)
    }
  } catch (error) {
    // The disk is not ready for it; the ledger still knows.
    return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')
  }
}

/** The full name of an open folder; also the test of where a descriptor really stands. */
export function pathOfDescriptor(folder: number): string {
  const bytes = readlinkSync(`/proc/self/fd/${folder}`, 'buffer')
  return (isUtf8(bytes) ? bytes.toString() : textOf(bytes)).replace(/\/$/, '')
}

/** True when the draft is surely gone; any other is tried again at the next start. */
export async function discard(kernel: Kernel, folder: number, name: string): Promise<boolean> {
  try {
    await removeTree(kernel, folder, name, { force: true })
    return true
  } catch (error) {
    return codeOf(error) === 'ENOENT'
  }
}

/** The work is done or has failed by now. A ledger that cannot be written changes neither; the next start tidies up. */
export const forgetDraft = (ledger: DraftLedger, draft: string): Promise<void> => ledger.end(draft).catch(() => {})
