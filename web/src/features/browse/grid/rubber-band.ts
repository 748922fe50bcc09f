import { type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useRef } from 'react'
import type { Selection } from '../../../place/selection.ts'
import type { FileGridProps } from './FileGrid.tsx'
import type { Box, Layout } from './layout.ts'

interface RubberBandOptions extends FileGridProps {
  scroller: RefObject<HTMLElement | null>
  sheet: RefObject<HTMLElement | null>
  layout: Layout
}

/** How far the pointer goes before it is a band and not a click. */
const threshold = 4
/** Within this distance from an edge the listing scrolls along. */
const edge = 32
const fastest = 18

/** A band drawn from free space chooses what it touches; with Shift or Ctrl it adds to what is chosen. */
export function useRubberBand(options: RubberBandOptions) {
  const latest = useRef(options)
  latest.current = options
  const band = useRef<HTMLDivElement>(null)
  const drawn = useRef(false)
  const stop = useRef<(() => void) | null>(null)
  useEffect(() => () => stop.current?.(), [])

  function startBand(event: ReactPointerEvent<HTMLElement>) {
    drawn.current = false
    const { scroller, sheet, selection } = options
    const isMouse = event.pointerType === 'mouse' && event.button === 0
    const isHeader = (event.target as Element).closest('[data-columns], button, a') !== null
    if (!isMouse || isHeader || scroller.current === null || sheet.current === null || band.current === null) return
    if (isOnScrollbar(event, scroller.current)) return
    const start = toSheet(event, sheet.current)
    const base = event.shiftKey || event.ctrlKey || event.metaKey ? selection : null
    stop.current?.()
    stop.current = draw(start, base, selection, band.current, latest, () => {
      drawn.current = true
    })
  }

  return { band, startBand, wasDrawn: () => drawn.current }
}

function draw(
  start: { x: number; y: number },
  base: Selection | null,
  before: Selection,
  band: HTMLElement,
  latest: RefObject<RubberBandOptions>,
  onDrawn: () => void,
): () => void {
  let pointer: { clientX: number; clientY: number } | null = null
  let frame = 0
  let isDrawing = false

  function update() {
    frame = 0
    const scroller = latest.current.scroller.current
    const sheet = latest.current.sheet.current
    if (pointer === null || scroller === null || sheet === null) return
    const speed = scrollSpeed(pointer.clientY, scroller)
    if (isDrawing && speed !== 0) scroller.scrollTop += speed
    const now = toSheet(pointer, sheet)
    if (!isDrawing && Math.hypot(now.x - start.x, now.y - start.y) < threshold) return
    if (!isDrawing) onDrawn()
    isDrawing = true
    const box = between(start, now)
    place(band, box, sheet)
    latest.current.onSelect(chosen(latest.current, box, base))
    if (speed !== 0) frame = requestAnimationFrame(update)
  }

  function onMove(event: PointerEvent) {
    pointer = event
    frame ||= requestAnimationFrame(update)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape' || !isDrawing) return
    event.preventDefault()
    event.stopPropagation()
    latest.current.onSelect(before)
    end()
  }

  function end() {
    cancelAnimationFrame(frame)
    band.hidden = true
    removeEventListener('pointermove', onMove)
    removeEventListener('pointerup', finish)
    removeEventListener('pointercancel', end)
    removeEventListener('keydown', onKeyDown, true)
  }

  function finish() {
    if (frame !== 0) update()
    end()
  }

  addEventListener('pointermove', onMove)
  addEventListener('pointerup', finish)
  addEventListener('pointercancel', end)
  addEventListener('keydown', onKeyDown, true)
  return end
}

function chosen({ layout, entries }: RubberBandOptions, box: Box, base: Selection | null): Selection {
  const names = new Set(base?.names)
  let first: string | null = null
  for (const [start, end] of layout.touching(box)) {
    for (let index = start; index < end; index += 1) {
      const name = entries[index]?.name
      if (name === undefined) continue
      first ??= name
      names.add(name)
    }
  }
  return { names, anchor: base?.anchor ?? first }
}

/** From the screen to the sheet that the layout measures, in the reading direction. */
function toSheet({ clientX, clientY }: { clientX: number; clientY: number }, sheet: HTMLElement) {
  const { left, right, top } = sheet.getBoundingClientRect()
  const isRtl = getComputedStyle(sheet).direction === 'rtl'
  return { x: isRtl ? right - clientX : clientX - left, y: clientY - top }
}

function between(a: { x: number; y: number }, b: { x: number; y: number }): Box {
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

function isOnScrollbar(event: ReactPointerEvent, scroller: HTMLElement): boolean {
  const { left } = scroller.getBoundingClientRect()
  const x = event.clientX - left - scroller.clientLeft
  return x < 0 || x > scroller.clientWidth
}
