import { useEffect, useRef } from 'react'
import { isShortcut } from '../../actions/shortcuts.ts'
import { everything, nothing, type Selection } from '../../place/selection.ts'
import { isAsking } from '../../prompts/prompts.ts'

/** Escape gives up the selection and Ctrl+A chooses all, as in one's own folders. */
export function useShareKeys(entries: readonly { name: string }[], onSelect: (selection: Selection) => void): void {
  const latest = useRef({ entries, onSelect })
  useEffect(() => {
    latest.current = { entries, onSelect }
  })

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || isAsking()) return
      if (event.key === 'Escape') return latest.current.onSelect(nothing)
      if (!isShortcut(event, 'Mod+A')) return
      event.preventDefault()
      latest.current.onSelect(everything(latest.current.entries))
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}
