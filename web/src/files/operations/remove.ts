import type { Command } from '../../commands/command.ts'
import { ask } from '../../dialogs/ask.ts'
import { t } from '../../i18n/i18n.ts'
import { fileAddress, folderAddress } from '../../navigation/addresses.ts'
import { goTo } from '../../navigation/location.ts'
import { goBackTo } from '../../navigation/return-to.ts'
import { removing } from '../../server/operations/files.ts'
import { conclude, concludeUnsure, whenSent } from '../../server/operations/operation.ts'
import { may } from '../../server/queries/access.ts'
import { cache } from '../../server/queries/cache.ts'
import { type Entry, isFolder, resourceQuery } from '../../server/queries/resources.ts'
import { perSession, sessionSignal } from '../../state/session-scope.ts'
import { toastSuccess } from '../../ui/toasts.ts'
import { forgetTextsOf } from '../../workspace/unsaved-text.ts'
import { revealWhenListed, type Workspace, workspace } from '../../workspace/workspace.ts'
import { isSteppable } from '../formats/kinds.ts'
import { loadJobs } from './load-work.ts'
import { neighbourOf, replaceFocus } from './neighbours.ts'
import { RemoveDialog } from './RemoveDialog.tsx'
import { reportOutcome } from './report-outcome.ts'
import { textForAll } from './text-for-all.ts'
import { outermost } from './transfer-plan.ts'

/** Paths that are being deleted. Deleting them again before they are gone is the same deletion. */
const pathsGoing = perSession(() => new Set<string>())

export const remove: Command = {
  id: 'delete',
  label: 'buttons.delete',
  icon: 'trash',
  menus: { entry: [5, 1], selection: [1, 7], editor: [1, 5], viewer: [2, 1] },
  keys: [{ keys: 'Delete' }],
  isDanger: true,
  when: ({ chosen }) => chosen.length > 0 && may('delete', chosen),
  async run(begun) {
    const { folder } = begun
    const session = sessionSignal()
    const going = pathsGoing()
    // Results of a search may lie in a folder that is deleted with them.
    const chosen = outermost(begun.chosen).filter(({ path }) => !going.has(path))
    if (chosen.length === 0) return
    const loading = loadJobs()
    // Reported below, where it is awaited.
    loading.catch(() => {})
    const isMeant = await ask(RemoveDialog, { entries: chosen })
    if (isMeant === null) return
    const { runJob } = await loading
    await whenSent()
    const next = neighbourOf(begun.view === 'preview' ? await filesBeside(begun) : begun.entries, chosen)
    const title = t('change.deleting', { count: chosen.length })
    for (const { path } of chosen) going.add(path)
    const outcome = await runJob(chosen, (items) => ({ kind: 'delete', items: items.map(({ path }) => path) }), {
      title,
      session,
    }).finally(() => {
      for (const { path } of chosen) going.delete(path)
    })
    const { done, failed, by, isCertain } = outcome
    if (begun.view !== 'listing' && done.length > 0) await leaveFile(begun, next)
    // What could not be deleted stays selected. The neighbour is not: the same keys again would delete it, too.
    else if (failed.length > 0) revealWhenListed(folder, namesOf(failed), { by })
    else if (next !== null) replaceFocus(folder, next.name, done, by)
    if (isCertain) {
      // Not before the editor is left, which may be about to keep its text.
      forgetTextsOf(done.map(({ path }) => path))
      conclude('delete', done.map(removing), session)
    } else concludeUnsure(chosen.map(removing), session)
    session.throwIfAborted()
    reportOutcome(outcome, 'change.deleteFailed', () => toastSuccess(textForAll('deleted', done)))
    return failed.length === 0 ? 'done' : undefined
  },
}

const namesOf = (failed: readonly { item: Entry }[]): string[] => failed.map(({ item }) => item.name)

/**
 * The file in view is gone: on to the next one, else the one before, else back to its folder. Unsaved changes are not
 * asked about, because there is nothing left to save them to.
 */
export async function leaveFile({ folder, chosen: [file] }: Workspace, next: Entry | null): Promise<void> {
  if (workspace().chosen[0]?.path !== file?.path) return
  if (next === null) await goBackTo(folderAddress(folder))
  else goTo(fileAddress(next.path), { replace: true })
}

/** The file in view among those one steps through. Where the folder cannot be listed there is no next one. */
export async function filesBeside({ folder, chosen: [file] }: Workspace): Promise<readonly Entry[]> {
  const known = await cache()
    .ensureQueryData(resourceQuery(folder))
    .catch(() => null)
  if (known === null || !isFolder(known)) return []
  return known.items.filter((entry) => isSteppable(entry) || entry.name === file?.name)
}
