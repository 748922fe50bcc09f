import type { Box } from './layout.ts'
import { type SheetPoint, toSheet } from './rubber-band.ts'

/** How far the pointer moves before the press is a band and not a click. */
const threshold = 4
/** Within this distance from an edge the listing scrolls along. */
const edge = 32
const fastest = 18

interface Drawing {
  band: HTMLElement
  scroller: HTMLElement
  sheet: HTMLElement
  onDraw(box: Box): void
  onCancel(): void
  onEnd(): void
}

/** Follows the pointer until it is released. Answers how to stop. */
export function draw(start: SheetPoint, { band, scroller, sheet, onDraw, onCancel, onEnd }: Drawing): () => void {
  let pointer: { clientX: number; clientY: number } | null = null
  let frame = 0
  let isDrawing = false
  const listening = new AbortController()
  const { signal } = listening

  function update() {
    frame = 0
    if (pointer === null) return
    const speed = scrollSpeed(pointer.clientY, scroller)
    if (isDrawing && speed !== 0) scroller.scrollTop += speed
    const now = toSheet(pointer, sheet)
    if (!isDrawing && Math.hypot(now.x - start.x, now.y - start.y) < threshold) return
    isDrawing = true
    const box = between(start, now)
    place(band, box, sheet)
    onDraw(box)
    if (speed !== 0) frame = requestAnimationFrame(update)
  }

  function onMove(event: PointerEvent) {
    // Released before this was loaded.
    if (event.buttons === 0) return onEnd()
    pointer = event
    frame ||= requestAnimationFrame(update)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape' || !isDrawing) return
    event.preventDefault()
    event.stopPropagation()
    onCancel()
    onEnd()
  }

  function onRelease() {
    if (frame !== 0) update()
    onEnd()
  }

  addEventListener('pointermove', onMove, { signal })
  addEventListener('pointerup', onRelease, { signal })
  addEventListener('pointercancel', onEnd, { signal })
  addEventListener('keydown', onKeyDown, { capture: true, signal })
  return () => {
    listening.abort()
    cancelAnimationFrame(frame)
    band.hidden = true
  }
}

function between(a: SheetPoint, b: SheetPoint): Box {
  return { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) }
}

function place(band: HTMLElement, { x, y, width, height }: Box, sheet: HTMLElement): void {
  band.hidden = false
  const start = getComputedStyle(sheet).direction === 'rtl' ? 'right' : 'left'
  const offset = sheet.getBoundingClientRect()[start] - (band.parentElement?.getBoundingClientRect()[start] ?? 0)
  band.style.insetInlineStart = `${x + Math.abs(offset)}px`
  band.style.insetBlockStart = `${y + sheet.offsetTop}px`
  band.style.inlineSize = `${width}px`
  band.style.blockSize = `${height}px`
}

function scrollSpeed(y: number, scroller: HTMLElement): number {
  const { top, bottom } = scroller.getBoundingClientRect()
  if (y < top + edge) return -Math.min(fastest, (top + edge - y) / 2)
  if (y > bottom - edge) return Math.min(fastest, (y - bottom + edge) / 2)
  return 0
}
