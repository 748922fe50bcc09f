import type { Command } from '../../commands/command.ts'
import { askWith } from '../../dialogs/ask.ts'
import { needTexts } from '../../i18n/i18n.ts'
import { isGuest } from '../../server/session.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** The one entry that is meant, or the folder in view; null where it is several, or results of a search. */
function subjectOf({ view, query, folder, chosen }: Workspace): { path: string; isDir: boolean } | null {
  const [entry, other] = chosen
  if (view === 'none' || other !== undefined || isGuest()) return null
  if (entry !== undefined) return entry.type === 'invalid_link' ? null : entry
  return query === null ? { path: folder, isDir: true } : null
}

/** The states that a file or folder had. Where there are none, or none are kept, the dialog says so. */
export const previousVersions: Command = {
  id: 'previous-versions',
  label: 'change.previousVersions',
  icon: 'clock',
  menus: { entry: [4, 4], folder: [3, 4], editor: [1, 5], 'phone-more': [2, 8] },
  when: (workspace) => subjectOf(workspace) !== null,
  async run(workspace) {
    const subject = subjectOf(workspace)
    if (subject !== null) await openTimeline(subject.path, subject.isDir)
  },
}

/** The folder in view as it was before the last change, without what is still the same. */
export const showDeleted: Command = {
  id: 'show-deleted',
  label: 'change.showDeleted',
  icon: 'trash',
  menus: { folder: [3, 5], 'phone-more': [2, 9] },
  when: (workspace) => workspace.view === 'listing' && workspace.chosen.length === 0 && subjectOf(workspace) !== null,
  run: ({ folder }) => openTimeline(folder, true, true),
}

async function openTimeline(path: string, isDir: boolean, isOnlyGone = false): Promise<void> {
  await askWith(
    async () => {
      const [{ TimelineDialog }] = await Promise.all([import('./TimelineDialog.tsx'), needTexts('history')])
      return TimelineDialog
    },
    { path, isDir, isOnlyGone },
  )
}
