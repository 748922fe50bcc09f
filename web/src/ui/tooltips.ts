/** How long the pointer rests before a tooltip is shown, in milliseconds. The next one within `warm` comes at once. */
const delay = 500
const warm = 400
const gap = 6
/** Within so many pixels a pointer has not moved. */
const still = 4
const edge = 8

/**
 * Tooltips of the whole page: for every element with `data-tip`, its words, and with `data-keys` the keys that do the
 * same. The pointer sees them after a moment, the keyboard at once, a finger never. They repeat what assistive
 * technology reads from the element itself, so they are hidden from it.
 */
function start(): void {
  let target: HTMLElement | null = null
  let tip: HTMLElement | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let hiddenAt = Number.NEGATIVE_INFINITY
  let pressed = { x: -edge, y: -edge }
  const watcher = new MutationObserver(() => target?.isConnected === false && hide())

  function show(): void {
    if (target === null || target.ariaExpanded === 'true' || !target.isConnected) return
    tip ??= make('span', looks.tip)
    fill(tip, target)
    const host = document.fullscreenElement ?? document.body
    host.append(tip)
    place(tip, target.getBoundingClientRect())
    watcher.observe(document.body, { childList: true, subtree: true })
  }

  function hide(): void {
    clearTimeout(timer)
    target = null
    if (tip?.isConnected !== true) return
    watcher.disconnect()
    tip.remove()
    hiddenAt = performance.now()
  }

  function point({ target: at, pointerType, clientX, clientY }: PointerEvent): void {
    const next = elementOf(at)
    // What appears under a pointer that has pressed something and rests there was not pointed at.
    if (next === target || Math.hypot(clientX - pressed.x, clientY - pressed.y) < still) return
    hide()
    target = next
    if (next === null || pointerType === 'touch') return
    if (performance.now() - hiddenAt < warm) show()
    else timer = setTimeout(show, delay)
  }

  function focus({ target: at }: { target: EventTarget | null }): void {
    if (!(at instanceof HTMLElement) || at.dataset.tip === undefined || !at.matches(':focus-visible')) return
    hide()
    target = at
    show()
  }

  document.addEventListener('pointerover', point)
  function press({ clientX, clientY }: PointerEvent): void {
    pressed = { x: clientX, y: clientY }
    hide()
  }

  document.addEventListener('focusin', focus)
  document.addEventListener('pointerdown', press, { capture: true })
  for (const event of ['focusout', 'wheel', 'click'] as const)
    document.addEventListener(event, hide, { capture: true, passive: true })
  document.addEventListener('scroll', hide, { capture: true })
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && hide(), { capture: true })
  document.documentElement.addEventListener('pointerleave', hide)
  // The keyboard may have been faster than this script.
  focus({ target: document.activeElement })
}

const elementOf = (at: EventTarget | null): HTMLElement | null =>
  at instanceof Element ? at.closest<HTMLElement>('[data-tip]') : null

/** Written here and not in a style sheet, which every first visit would have to name. */
const looks = {
  tip: `position: fixed; z-index: var(--z-top); display: inline-flex; align-items: center; gap: 8px;
    inline-size: max-content; max-inline-size: min(320px, 100vw - 16px); padding: 4px 8px;
    border-radius: var(--r-s); background: var(--float); box-shadow: var(--sh-2); color: var(--ink);
    font: var(--t-12); font-weight: var(--w-medium); overflow-wrap: anywhere; pointer-events: none`,
  keys: 'display: inline-flex; flex: none; gap: 3px',
  key: `min-inline-size: 18px; padding-inline: 4px; border-radius: 4px; background: var(--float-2);
    box-shadow: inset 0 0 0 1px var(--line); color: var(--muted); font: 500 11px / 18px var(--font);
    text-align: center`,
}

function make(name: 'span' | 'kbd', look: string, text = ''): HTMLElement {
  const element = document.createElement(name)
  element.style.cssText = look
  element.textContent = text
  return element
}

function fill(tip: HTMLElement, { dataset: { tip: text = '', keys } }: HTMLElement): void {
  tip.ariaHidden = 'true'
  tip.dataset.testid = 'tooltip'
  tip.replaceChildren(text)
  if (keys === undefined) return
  const caps = make('span', looks.keys)
  caps.dir = 'ltr'
  // 'Ctrl+S' is two keys; the plus sign itself is one.
  caps.append(...keys.split(/\+(?=.)/).map((key) => make('kbd', looks.key, key)))
  tip.append(caps)
}

/** In the middle below the element, or above it where there is no room; never beyond the window. */
function place(tip: HTMLElement, box: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = tip
  const left = box.left + (box.width - width) / 2
  const isBelow = box.bottom + gap + height + edge <= innerHeight
  tip.style.left = `${Math.max(edge, Math.min(left, innerWidth - width - edge))}px`
  tip.style.top = `${isBelow ? box.bottom + gap : box.top - gap - height}px`
}

start()

export {}
