import { randomUUID } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { draftPrefix } from '../files/path.ts'
import { codeOf, unless } from './errno.ts'
import { type Kernel, O } from './kernel.ts'
import { DraftNeeded, pour } from './pouring.ts'
import { removeTree } from './trees.ts'

/** Remembers drafts outside this process, so that those of a dead one can be found without searching the disk. */
export interface DraftLedger {
  begin(draft: string): Promise<void>
  /** The draft is whole and is being poured into `target`, which cannot be replaced by a rename. */
  pouring(draft: string, target: string): Promise<void>
  end(draft: string): Promise<void>
  leftBehind(): Promise<readonly LeftDraft[]>
}

export interface LeftDraft {
  readonly draft: string
  readonly target: string | null
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
  const name = `${draftPrefix}${randomUUID()}`
  const draft = { name, place: `${placeOf(folder)}/${name}` }
  await ledger.begin(draft.place)
  let isNeeded = false
  try {
    return await work(draft)
  } catch (error) {
    isNeeded = error instanceof DraftNeeded
    throw error instanceof DraftNeeded ? error.cause : error
  } finally {
    if (!isNeeded && (await discard(kernel, folder, name))) await strikeOff(ledger, draft.place)
  }
}

/** At start: finishes what was being poured and removes all other drafts of processes that are gone. */
export async function clearDrafts(kernel: Kernel, ledger: DraftLedger): Promise<void> {
  for (const left of await ledger.leftBehind()) await clearDraft(kernel, ledger, left)
}

/** A draft that cannot be reached now (a volume that is not mounted) stays in the ledger for the next time. */
export async function clearDraft(kernel: Kernel, ledger: DraftLedger, { draft, target }: LeftDraft): Promise<void> {
  const { folder: place, name } = splitPlace(draft)
  // The ledger is a file like any other; whatever is written in it, only drafts are removed.
  if (!name.startsWith(draftPrefix)) return
  try {
    const folder = openPlace(kernel, place)
    try {
      if (target !== null) await pourAgain(kernel, folder, name, target)
      if (await discard(kernel, folder, name)) await strikeOff(ledger, draft)
    } finally {
      kernel.close(folder)
    }
  } catch {
    // The disk is not ready for it; the ledger still knows.
  }
}

/** The full name of an open folder; also the test of where a descriptor really stands. */
export const placeOf = (folder: number): string => readlinkSync(`/proc/self/fd/${folder}`).replace(/\/$/, '')

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
export const strikeOff = (ledger: DraftLedger, draft: string): Promise<void> => ledger.end(draft).catch(() => {})

async function pourAgain(kernel: Kernel, folder: number, name: string, target: string): Promise<void> {
  const { folder: place, name: targetName } = splitPlace(target)
  const targetFolder = openPlace(kernel, place)
  let from: number | undefined
  let to: number | undefined
  try {
    from = unless(['ENOENT'], () => kernel.open(folder, name, O.RDONLY | O.NOFOLLOW))
    to = unless(['ENOENT'], () => kernel.open(targetFolder, targetName, O.WRONLY | O.NOFOLLOW | O.NONBLOCK))
    if (from !== undefined && to !== undefined) await pour(kernel, from, to)
  } finally {
    for (const fd of [from, to, targetFolder]) if (fd !== undefined) kernel.close(fd)
  }
}

function openPlace(kernel: Kernel, place: string): number {
  const root = kernel.open(-1, '/', O.PATH | O.DIRECTORY)
  try {
    return kernel.openBeneath(root, place.slice(1) || '.', O.RDONLY | O.DIRECTORY)
  } finally {
    kernel.close(root)
  }
}

function splitPlace(place: string): { folder: string; name: string } {
  const cut = place.lastIndexOf('/')
  return { folder: place.slice(0, cut), name: place.slice(cut + 1) }
}
