import type { Command } from '../../commands/command.ts'
import { askWith } from '../../dialogs/ask.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { can, currentSession } from '../../server/session.ts'
import { revealWhenListed, type Workspace, workspace } from '../../workspace/workspace.ts'
import { transferEntries } from './transfer-entries.ts'

export const copy: Command = {
  id: 'copy',
  label: 'change.copyTo',
  icon: 'copy-to',
  menus: { entry: [2, 3], selection: [1, 4] },
  when: ({ view, chosen }) => can('create') && view === 'listing' && chosen.length > 0,
  run: (workspace) => transferToOtherFolder(workspace, 'copy'),
}

export const move: Command = {
  id: 'move',
  label: 'change.moveTo',
  icon: 'move',
  menus: { entry: [2, 4], selection: [1, 5] },
  when: ({ view, chosen }) => can('rename') && view === 'listing' && chosen.length > 0,
  run: (workspace) => transferToOtherFolder(workspace, 'move'),
}

async function transferToOtherFolder(
  { folder, chosen }: Workspace,
  kind: 'copy' | 'move',
): Promise<'done' | undefined> {
  const question = { kind, entries: chosen, folder }
  const to = await askWith(async () => (await import('./DestinationDialog.tsx')).DestinationDialog, question)
  if (to === null) return
  const names = await transferEntries({
    action: kind === 'copy' ? 'copy' : 'rename',
    entries: chosen,
    from: folder,
    to,
  })
  if (names === null) return
  if (to === folder || currentSession()?.user.redirectAfterCopyMove !== true) return 'done'
  // It may have taken long: a page that has gone elsewhere meanwhile stays there.
  const { view, folder: shown } = workspace()
  if (view !== 'listing' || shown !== folder) return
  revealWhenListed(to, names)
  await navigate(folderAddress(to))
  return 'done'
}
