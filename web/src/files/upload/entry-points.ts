import { parentOf } from '@filestead/contract'
import { loadTray } from '../../activity/ActivityCentre.tsx'
import { showFailure } from '../../dialogs/show-failure.ts'
import { filesPathOf } from '../../navigation/addresses.ts'
import { currentLocation } from '../../navigation/location.ts'
import { sessionSignal } from '../../state/session-scope.ts'
import { workspace } from '../../workspace/workspace.ts'
import type { PickedFile, UnreadFolder } from './picked-files.ts'

/** The way from a field, a drop or a paste to the engine, which is loaded when it is needed. */

/** The file fields are always in the page, so that a chooser opens without a moment's wait. */
export const fileFieldId = 'upload-input'
export const folderFieldId = 'upload-folder-input'

export const canChooseFolders = (): boolean => 'webkitdirectory' in HTMLInputElement.prototype

/** Opens the browser's chooser. Only as the answer to a click. */
export function openChooser(kind: 'file' | 'folder'): void {
  document.getElementById(kind === 'file' ? fileFieldId : folderFieldId)?.click()
}

/** Files that were chosen, dropped or pasted are sent to a folder, in the session that they were chosen in. */
export async function takeFiles(chosen: readonly (PickedFile | UnreadFolder)[], into: string): Promise<void> {
  if (chosen.length === 0) return
  const session = sessionSignal()
  try {
    const [{ uploadChosen }] = await Promise.all([import('./prepare.ts'), loadTray()])
    await uploadChosen(chosen, into, session)
  } catch (error) {
    if (!session.aborted) showFailure(error)
  }
}

/** The folder that the person looks at, or the one that holds the file they look at; else all the way up. */
export function folderInView(): string {
  const address = currentLocation()
  if (!address.pathname.startsWith('/files')) return '/'
  const path = filesPathOf(address)
  if (address.pathname.endsWith('/')) return path
  const { view, folder } = workspace()
  return view === 'listing' && folder === path ? path : parentOf(path)
}
