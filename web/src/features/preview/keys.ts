import { useEffect, useRef } from 'react'
import { isAsking } from '../../prompts/prompts.ts'
import { pressedKey } from '../../ui/pressed-key.ts'

/** Names of keys as `KeyboardEvent.key` has them on a layout with Latin letters, to what they do. */
export type Keys = Record<string, (() => void) | undefined>

/** Keys of a viewer. They come before those of the frame around it, however late the viewer is loaded. */
export const useKeys = (keys: Keys): void => useKeysAt(document, keys)

/** Keys of the frame: only those that the viewer in it does not take. */
export const useFrameKeys = (keys: Keys): void => useKeysAt(window, keys)

/**
 * They work wherever the focus is, except in a question, a menu or a field, and except Enter and Space on what they
 * would press anyway.
 */
function useKeysAt(listener: Document | Window, keys: Keys): void {
  const current = useRef(keys)
  current.current = keys

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isAsking()) return
      const key = pressedKey(event)
      const action = Object.hasOwn(current.current, key) ? current.current[key] : undefined
      if (action === undefined || isTaken(event)) return
      event.preventDefault()
      action()
    }
    const stop = new AbortController()
    listener.addEventListener('keydown', (event) => onKeyDown(event as KeyboardEvent), { signal: stop.signal })
    return () => stop.abort()
  }, [listener])
}

function isTaken({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element) || key === 'Escape') return false
  if (target.closest('[role=menu], [data-own-keys], select, textarea, [contenteditable]') !== null) return true
  if (target instanceof HTMLInputElement) return target.type !== 'range' || key.startsWith('Arrow')
  return (key === 'Enter' || key === ' ') && target.closest('button, a, [role=button]') !== null
}

/** Right leads on in most languages, left in those that are written from right to left. */
export const isRightToLeft = (): boolean => document.documentElement.dir === 'rtl'
