import type { Command } from '../../commands/command.ts'
import { currentFilesPath, fileAddress, folderAddress } from '../../navigation/addresses.ts'
import { goTo } from '../../navigation/location.ts'
import { goBackTo } from '../../navigation/return-to.ts'
import { may } from '../../server/queries/access.ts'
import { cache } from '../../server/queries/cache.ts'
import { type Entry, isFolder, resourceQuery } from '../../server/queries/resources.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { isSteppable } from '../formats/kinds.ts'
import { presentlyListed } from '../grid/list-order.ts'

export const remove: Command = {
  id: 'delete',
  label: 'buttons.delete',
  icon: 'trash',
  menus: { entry: [5, 1], selection: [1, 7], editor: [2, 1], viewer: [2, 1] },
  keys: [{ keys: 'Delete' }],
  isDanger: true,
  when: ({ chosen }) => chosen.length > 0 && may('delete', chosen),
  run: async (begun) => (await import('./remove-entries.ts')).removeEntries(begun, 'trash'),
}

/**
 * The file in view is gone: on to the next one, else the one before, else back to its folder. Unsaved changes are not
 * asked about, because there is nothing left to save them to. Where the page is counts, not what it shows: the server may
 * have told of the change before its answer, and then nothing is shown that could be chosen.
 */
export async function leaveFile({ folder, chosen: [file] }: Workspace, next: Entry | null): Promise<void> {
  if (currentFilesPath() !== file?.path) return
  if (next === null) await goBackTo(folderAddress(folder))
  else goTo(fileAddress(next.path), { replace: true })
}

/** The file in view among those one steps through. Where the folder cannot be listed there is no next one. */
export async function filesBeside({ folder, chosen: [file] }: Workspace): Promise<readonly Entry[]> {
  const known = await cache()
    .ensureQueryData(resourceQuery(folder))
    .catch(() => null)
  if (known === null || !isFolder(known)) return []
  return presentlyListed(known).filter((entry) => isSteppable(entry) || entry.name === file?.name)
}
