import { useLayoutEffect, useRef } from 'react'

/** How each open dialog is closed, the topmost last. */
const open: { readonly current: () => void }[] = []

/**
 * Returns what Escape does in a dialog. Radix tells the one below for a while after another one has opened above it and
 * has the focus: whichever is told, the topmost closes.
 */
export function useTopmost(onClose: () => void): (isOpen: boolean) => void {
  const latest = useRef(onClose)
  useLayoutEffect(() => {
    latest.current = onClose
  })
  useLayoutEffect(() => {
    open.push(latest)
    return () => void open.splice(open.indexOf(latest), 1)
  }, [])
  return (isOpen) => void (isOpen || open.at(-1)?.current())
}
