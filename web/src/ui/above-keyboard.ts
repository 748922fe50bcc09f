/**
 * A `ref` for an element that is fixed to the bottom of the page: a keyboard on the screen takes no room of the page, and would
 * lie over it.
 */
export function aboveKeyboard(element: HTMLElement | null): (() => void) | undefined {
  const view = window.visualViewport
  if (element === null || view === null) return
  const place = () => {
    // Where the page is zoomed, less of it is seen, and no keyboard has to be there.
    const covered = window.innerHeight - view.height * view.scale - view.offsetTop
    element.style.insetBlockEnd = `${Math.max(0, covered)}px`
  }
  const over = new AbortController()
  for (const event of ['resize', 'scroll']) view.addEventListener(event, place, { signal: over.signal })
  place()
  return () => over.abort()
}
