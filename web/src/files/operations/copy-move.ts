import type { Command } from '../../commands/command.ts'
import { askWith } from '../../dialogs/ask.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { may, mayCopy, mayIn } from '../../server/queries/access.ts'
import { currentSession } from '../../server/session.ts'
import { revealWhenListed, type Workspace, workspace } from '../../workspace/workspace.ts'
import { neighbourOf } from './neighbours.ts'
import { filesBeside, leaveFile } from './remove.ts'
import { transferEntries } from './transfer.ts'
import { sourceOf } from './transfer-plan.ts'

export const copy: Command = {
  id: 'copy',
  label: 'change.copyTo',
  shown: 'change.copyToShown',
  icon: 'copy-to',
  menus: { entry: [2, 3], selection: [1, 4] },
  when: ({ view, folder, chosen }) => view === 'listing' && chosen.length > 0 && mayCopy(chosen, folder),
  run: (workspace) => transferToOtherFolder(workspace, 'copy'),
}

export const move: Command = {
  id: 'move',
  label: 'change.moveTo',
  shown: 'change.moveToShown',
  icon: 'move',
  menus: { entry: [2, 4], selection: [1, 5], viewer: [1, 2] },
  when: ({ view, chosen }) => (view === 'listing' || view === 'preview') && chosen.length > 0 && may('move', chosen),
  run: (workspace) => transferToOtherFolder(workspace, 'move'),
}

/** A second one beside the first, under a free name. */
export const duplicate: Command = {
  id: 'duplicate',
  label: 'change.duplicate',
  icon: 'copy',
  menus: { entry: [2, 5] },
  when: ({ view, query, folder, chosen }) =>
    view === 'listing' && query === null && chosen.length > 0 && may('copy', chosen) && mayIn(folder),
  async run({ folder, chosen }) {
    await transferEntries({ action: 'copy', entries: chosen, from: folder, to: folder })
  },
}

async function transferToOtherFolder(begun: Workspace, kind: 'copy' | 'move'): Promise<'done' | undefined> {
  const { folder, chosen } = begun
  const from = sourceOf(begun)
  const question = { kind, entries: chosen, folder: from || folder }
  const to = await askWith(async () => (await import('./DestinationDialog.tsx')).DestinationDialog, question)
  if (to === null) return
  // A viewer goes on with the file beside, as after deleting.
  const next = begun.view === 'preview' ? neighbourOf(await filesBeside(begun), chosen) : null
  const gone = await transferEntries({
    action: kind === 'copy' ? 'copy' : 'rename',
    entries: chosen,
    from,
    to,
  })
  if (gone === null) return
  if (begun.view === 'preview' && to !== folder) await leaveFile(begun, next)
  // Sent to the background, it leaves the person to what they do meanwhile.
  if (gone.by === 'background') return 'done'
  if (to === from || currentSession()?.user.redirectAfterCopyMove !== true) return 'done'
  // It may have taken long: a page that has gone elsewhere meanwhile stays there.
  const { view, folder: shown } = workspace()
  if (view !== 'listing' || shown !== folder) return
  revealWhenListed(to, gone.names)
  await navigate(folderAddress(to))
  return 'done'
}
