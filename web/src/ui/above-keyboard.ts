/**
 * A `ref` for an element that reaches down to the bottom of the page: a keyboard on the screen takes no room of the page,
 * and would lie over it. Its style finds what is covered of it in `--keyboard`; styles of others find
 * `data-above-keyboard` while anything is. `onRise` follows whenever that has become more: there is less room, and what
 * has the focus must stay in sight.
 */
export function aboveKeyboard(
  element: HTMLElement | null,
  onRise = () => showFocused(element),
): (() => void) | undefined {
  // Older browsers have none.
  const view = window.visualViewport ?? null
  if (element === null || view === null) return
  let before = 0
  const place = () => {
    // Where the page is zoomed, less of it is seen, and no keyboard has to be there.
    const seen = view.offsetTop + view.height * view.scale
    const covered = Math.max(0, Math.min(element.getBoundingClientRect().bottom, window.innerHeight) - seen)
    element.style.setProperty('--keyboard', `${covered}px`)
    element.toggleAttribute('data-above-keyboard', covered > 0)
    if (covered > before) onRise()
    before = covered
  }
  const over = new AbortController()
  for (const event of ['resize', 'scroll']) view.addEventListener(event, place, { signal: over.signal })
  place()
  return () => over.abort()
}

function showFocused(element: HTMLElement | null): void {
  const focused = document.activeElement
  if (element?.contains(focused)) focused?.scrollIntoView({ block: 'nearest' })
}
