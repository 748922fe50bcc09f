import { useEffect, useRef } from 'react'
import { isAsking } from './prompts.ts'

/** Escape, wherever the focus is, when neither a question nor anything on the way has taken it. */
export function useEscape(run: () => void, isOn = true): void {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    if (!isOn) return
    function onKeyDown(event: KeyboardEvent) {
      if (event.key !== 'Escape' || event.defaultPrevented || isAsking()) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isOn])
}
