import type { ConflictChoice, Conflicts, Job, JobChange, JobConflict } from '@filestead/contract'
import { controlJob } from '../../../activity/jobs.ts'
import type { Entry } from '../../../server/queries/resources.ts'
import { askWithNotes } from './ask-about-conflicts.ts'
import { type Conflict, type Decision, type Side, type TransferKind, thumbnailOf } from './conflicts.ts'
import { type Decided, openOnes, type Plan } from './plan.ts'

/** What happens to names that are taken, by their paths, and to those that nothing was said about. */
export interface Choices {
  choices: Record<string, ConflictChoice>
  onConflict: ConflictChoice | 'ask'
}

/**
 * Asks about the names that are taken at the destination, before anything is copied or moved. Null when nothing shall be.
 * A name that is taken later is asked about then, unless there were more than could be shown.
 */
export async function askAboutTransfer(
  { conflicts: taken, identical, isCut }: Conflicts,
  { to, entries, kind = 'transfer' }: { to: string; entries: readonly Entry[]; kind?: TransferKind },
): Promise<Choices | null> {
  if (taken.length === 0) return { choices: {}, onConflict: 'ask' }
  const known = new Map(entries.map((entry) => [entry.path, entry]))
  const conflicts = taken.map((one) => conflictIn(one, to, known.get(one.from)))
  const decided = await askWithNotes({ conflicts, kind, identical, isCut })
  if (decided === null) return null
  const forAll = choiceOf(decided.plan)
  return { choices: choicesOf(taken, conflicts, decided), onConflict: isCut && forAll !== null ? forAll : 'ask' }
}

/** The same for a job that has met names meanwhile. */
export async function askAboutJob({ id, kind, to = '/', conflicts: taken }: Job): Promise<void> {
  if (taken.length === 0) return
  const conflicts = taken.map((one) => conflictIn(one, to))
  const decided = await askWithNotes({ conflicts, kind: kind === 'restore' ? 'restore' : 'transfer' })
  if (decided === null) return
  const forAll = choiceOf(decided.plan)
  const change: JobChange = { choices: choicesOf(taken, conflicts, decided), ...(forAll !== null && { forAll }) }
  await controlJob(id, change)
}

function conflictIn({ from, to, source, target }: JobConflict, folder: string, entry?: Entry): Conflict {
  const above = folder === '/' ? '/' : `${folder}/`
  const side = (path: string, { isDir, size, modified }: JobConflict['source']): Side => {
    const picture = isDir || entry === undefined ? undefined : thumbnailOf({ path, modified, size, type: entry.type })
    return { size: isDir ? null : size, modified, ...(picture && { picture }) }
  }
  return {
    path: to.startsWith(above) ? to.slice(above.length) : to,
    isDir: source.isDir,
    ...(source.isDir && target.isDir && { isMerge: true }),
    origin: side(from, source),
    destination: side(to, target),
  }
}

const words: Readonly<Record<Decision, ConflictChoice>> = {
  overwrite: 'replace',
  rename: 'keep-both',
  skip: 'skip',
  newer: 'newer',
}

function choicesOf(
  taken: readonly JobConflict[],
  conflicts: readonly Conflict[],
  { decisions }: Decided,
): Record<string, ConflictChoice> {
  const open = openOnes(conflicts, decisions)
  const chosen = taken.flatMap(({ to }, index) => {
    const decision = decisions[index]
    return decision === undefined || open[index] !== true ? [] : [[to, words[decision]] as const]
  })
  return Object.fromEntries(chosen)
}

/** Resuming looks at each file: nothing can be said about those that are not known. */
function choiceOf(plan: Plan | null): ConflictChoice | null {
  if (plan === null || plan === 'resume') return null
  return plan === 'rename' ? 'keep-both' : plan
}
