import { parentOf } from '@filestead/contract'
import type { Command } from '../../commands/command.ts'
import { askWith, isAsking } from '../../dialogs/ask.ts'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { isAbort } from '../../server/client.ts'
import { renaming } from '../../server/operations/files.ts'
import { may, mayIn } from '../../server/queries/access.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { toastError } from '../../ui/toasts.ts'
import { type Workspace, workspace } from '../../workspace/workspace.ts'
import { changePath } from './change-path.ts'
import { loadNameDialog } from './load-name-dialog.ts'
import { stemLength } from './name-problem.ts'
import { toastUndoable } from './undo.ts'

export const rename: Command = {
  id: 'rename',
  label: 'change.rename',
  icon: 'rename',
  menus: { entry: [2, 2], selection: [1, 3], editor: [1, 1], viewer: [1, 1] },
  keys: [{ keys: 'F2' }],
  // The new name has the rights of the folder.
  when: ({ chosen }) =>
    chosen.length === 1 && may('rename', chosen) && mayIn(parentOf(chosen[0]?.path ?? '/'), 'rename'),
  async run({ view, folder, chosen: [entry] }) {
    if (entry === undefined) return
    const session = sessionSignal()
    let refused: { name: string; reason: string } | undefined
    for (;;) {
      const name = await askForName(entry, parentOf(entry.path), refused)
      if (name === null) return
      session.throwIfAborted()
      try {
        const change = await changePath(renaming(entry, name))
        return toastUndoable(t('change.renamedTo', { name }), change)
      } catch (error) {
        if (isAbort(error)) return
        session.throwIfAborted()
        refused = { name, reason: describeFailure(error) }
        if (!isStillThere(view, folder))
          return toastError(t('change.renameFailed', { name: entry.name, reason: refused.reason }))
      }
    }
  },
}

const askForName = (entry: Entry, folder: string, refused?: { name: string; reason: string }): Promise<string | null> =>
  askWith(loadNameDialog, {
    title: t('change.rename'),
    label: t('change.newName'),
    submitLabel: t('change.rename'),
    folder,
    oldName: entry.name,
    selected: stemLength(entry.name, entry.isDir),
    help: () => <bdi>{t('change.was', { name: entry.name })}</bdi>,
    isInRow: true,
    ...(refused && { refused }),
  })

/** A refusal comes later than the dialog has closed: it is opened again only where nothing else was begun meanwhile. */
function isStillThere(view: Workspace['view'], folder: string): boolean {
  const now = workspace()
  return now.view === view && now.folder === folder && !isAsking()
}
