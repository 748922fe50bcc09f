import { parentOf } from '@filestead/contract'
import { useKeys } from '../../commands/keyboard.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { isFocusNowhere } from '../../ui/focus-return.ts'
import { clearSelection, selectMany, workspace } from '../../workspace/workspace.ts'
import { followFocus } from './folder-memory.ts'

/** Keys of the whole screen: Escape clears the selection and leaves the mode for several, Backspace and Alt+Up open the folder above. */
export function useFolderKeys(path: string): void {
  function goUp() {
    if (path === '/') return
    followFocus()
    void navigate(folderAddress(parentOf(path)))
  }
  useKeys(
    {
      Escape: leaveSelection,
      'Mod+A': selectNothing,
      Backspace: goUp,
      'Alt+ArrowUp': goUp,
      ArrowDown: enterGrid,
      ArrowUp: enterGrid,
      Home: enterGrid,
      End: enterGrid,
    },
    { level: 'page' },
  )
}

function leaveSelection(): void {
  clearSelection()
  if (workspace().isSelectingMany) selectMany(false)
}

/** Where nothing is listed, or not yet, there is nothing to select: least of all the text of the page. */
export const selectNothing = (): boolean => workspace().entries.length === 0

/** With the focus nowhere the arrows lead into the listing. */
export function enterGrid(): boolean {
  if (!isFocusNowhere()) return false
  document.getElementById('listing')?.focus()
  return true
}
