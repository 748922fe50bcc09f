import { askWith } from '../../dialogs/ask.ts'
import { t } from '../../i18n/i18n.ts'
import { removing } from '../../server/operations/files.ts'
import { conclude, concludeUnsure, whenSent } from '../../server/operations/operation.ts'
import { areKept } from '../../server/queries/mounts.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { perSession, sessionSignal } from '../../state/session-scope.ts'
import { toastSuccess } from '../../ui/toasts.ts'
import { forgetTextsOf } from '../../workspace/unsaved-text.ts'
import { revealWhenListed, type Workspace } from '../../workspace/workspace.ts'
import { loadJobs } from './load-work.ts'
import { neighbourOf, replaceFocus } from './neighbours.ts'
import { FinalRemoveDialog, type Removal, RemoveDialog } from './RemoveDialog.tsx'
import { filesBeside, leaveFile } from './remove.ts'
import { reportOutcome } from './report-outcome.ts'
import { textForAll } from './text-for-all.ts'
import { outermost } from './transfer-plan.ts'
import { underWay } from './under-way.ts'
import { toastUndoable } from './undo.ts'

/** Paths that are being deleted. Deleting them again before they are gone is the same deletion. */
const pathsGoing = perSession(() => new Set<string>())

/**
 * Moves what is chosen to the trash, or deletes it for good, once the person has said so. `wanted` is what the dialog begins
 * with; where nothing is kept there is one way alone.
 */
export const removeEntries = (begun: Workspace, wanted: Removal): Promise<'done' | undefined> =>
  underWay(() => removeChosen(begun, wanted))

async function removeChosen(begun: Workspace, wanted: Removal): Promise<'done' | undefined> {
  const { folder } = begun
  const session = sessionSignal()
  const going = pathsGoing()
  // Results of a search may lie in a folder that is deleted with them.
  const chosen = outermost(begun.chosen).filter(({ path }) => !going.has(path))
  if (chosen.length === 0) return
  const loading = loadJobs()
  // Reported below, where it is awaited.
  loading.catch(() => {})
  const paths = chosen.map(({ path }) => path)
  const load = async () => ((await areKept(paths)) ? RemoveDialog : FinalRemoveDialog)
  const way = await askWith(load, { entries: chosen, wanted })
  if (way === null) return
  const { runJob } = await loading
  await whenSent()
  const next = neighbourOf(begun.view === 'preview' ? await filesBeside(begun) : begun.entries, chosen)
  const title = t('change.deleting', { count: chosen.length })
  const isForGood = way === 'for-good'
  for (const { path } of chosen) going.add(path)
  const outcome = await runJob(
    chosen,
    (items) => ({
      kind: 'delete',
      items: items.map(({ path }) => path),
      ...(isForGood && { forGood: true }),
    }),
    { title, session },
  ).finally(() => {
    for (const { path } of chosen) going.delete(path)
  })
  const { done, failed, by, isCertain, jobs } = outcome
  if (begun.view !== 'listing' && done.length > 0) await leaveFile(begun, next)
  // What could not be deleted stays selected. The neighbour is not: the same keys again would delete it, too.
  else if (failed.length > 0) revealWhenListed(folder, namesOf(failed), { by })
  else if (next !== null) replaceFocus(folder, next.name, done, by)
  const batches = isForGood ? [] : jobs
  const change = isCertain ? conclude('delete', done.map(removing), session, batches) : null
  // Not before the editor is left, which may be about to keep its text.
  if (isCertain) forgetTextsOf(done.map(({ path }) => path))
  else concludeUnsure(chosen.map(removing), session)
  session.throwIfAborted()
  reportOutcome(outcome, 'change.deleteFailed', () => {
    if (isForGood) toastSuccess(textForAll('deleted', done))
    else toastUndoable(textForAll('trashed', done), change)
  })
  return failed.length === 0 ? 'done' : undefined
}

const namesOf = (failed: readonly { item: Entry }[]): string[] => failed.map(({ item }) => item.name)
