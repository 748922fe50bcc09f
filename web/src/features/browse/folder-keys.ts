import { parentOf } from '@filestead/contract'
import { useEffect } from 'react'
import { folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { clearSelection } from '../../place/place.ts'
import { isAsking } from '../../prompts/prompts.ts'
import { followFocus } from './follow-focus.ts'

/** Keys of the whole screen: Escape gives up the selection, Backspace and Alt+Up lead to the folder above. */
export function useFolderKeys(path: string): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || isAsking() || isField(event.target)) return
      if (event.key === 'Escape') return clearSelection()
      if (entersGrid(event)) return enterGrid(event)
      const isUp = event.key === 'Backspace' || (event.key === 'ArrowUp' && event.altKey)
      if (!isUp || event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      if (path === '/') return
      followFocus()
      void navigate(folderAddress(parentOf(path)))
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [path])
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input:not([type="checkbox"]), textarea, select, [contenteditable]')

/** With the focus nowhere the arrows lead into the listing. */
const entersGrid = (event: KeyboardEvent): boolean =>
  document.activeElement === document.body &&
  ['ArrowDown', 'ArrowUp', 'Home', 'End'].includes(event.key) &&
  !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey)

function enterGrid(event: KeyboardEvent): void {
  event.preventDefault()
  document.getElementById('listing')?.focus()
}
