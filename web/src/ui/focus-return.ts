import { useEffect } from 'react'

/** Is no control focused? The content gets the focus where the one that had it is gone. */
export function isFocusNowhere(): boolean {
  const focused = document.activeElement
  return focused === document.body || focused?.id === 'content'
}

/** Gives the focus back to an element. It may be gone, such as the line of a menu; then the content is nearest. */
export function returnFocus(to: Element | null): void {
  const isThere = to instanceof HTMLElement && to.isConnected && to !== document.body
  const content = document.getElementById('content')
  const target = isThere ? to : (content?.querySelector<HTMLElement>('[role="row"][tabindex="0"]') ?? content)
  target?.focus({ preventScroll: true })
}

/**
 * Radix would give the focus back in a later task, and a key pressed before it would be lost. Lies inside the content:
 * effects end from the outside in, so the trap that holds the focus is gone when this one ends.
 */
export function FocusReturn({ to }: { to: Element | null }) {
  useEffect(() => () => returnFocus(to), [to])
  return null
}
