import type { Command } from '../../commands/command.ts'
import { cache } from '../../server/queries/cache.ts'
import { isGuest } from '../../server/session.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { setFavourite } from './set-favourite.ts'

const menus = { entry: [4, 9], folder: [3, 1], 'phone-more': [3, 9] } as const

/** The folder that is selected, or the one in view while nothing is. */
function folderMeant({ view, folder, chosen: [entry, other] }: Workspace): string | null {
  if (view !== 'listing' || isGuest()) return null
  if (entry === undefined) return folder === '/' ? null : folder
  return entry.isDir && other === undefined ? entry.path : null
}

/** Not until the server has told: then it is offered to be added, which changes nothing. */
const isFavourite = (path: string | null): boolean =>
  path !== null && cache().getQueryData<readonly string[]>(['favourites'])?.includes(path) === true

const change = async (workspace: Workspace, isAdded: boolean): Promise<void> => {
  const path = folderMeant(workspace)
  if (path !== null) await setFavourite(path, isAdded)
}

export const addFavourite: Command = {
  id: 'add-favourite',
  label: 'tree.addFavourite',
  icon: 'plus',
  menus,
  when: (workspace) => folderMeant(workspace) !== null && !isFavourite(folderMeant(workspace)),
  run: (workspace) => change(workspace, true),
}

export const removeFavourite: Command = {
  id: 'remove-favourite',
  label: 'tree.removeFavourite',
  icon: 'minus',
  menus,
  when: (workspace) => isFavourite(folderMeant(workspace)),
  run: (workspace) => change(workspace, false),
}
