import {
  type PointerEvent as ReactPointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import type { Entry } from '../../server/queries/resources.ts'
import type { Selection } from '../../workspace/selection.ts'
import type { Box, Layout } from './layout.ts'

interface RubberBandOptions {
  scroller: RefObject<HTMLElement | null>
  sheet: RefObject<HTMLElement | null>
  layout: Layout
  entries: readonly Entry[]
  selection: Selection
  onSelect: (selection: Selection) => void
}

export interface RubberBand {
  /** The element to draw. */
  ref: RefObject<HTMLDivElement | null>
  /** Every press of a pointer in the grid. A band can begin only with one on free space. */
  press(event: ReactPointerEvent<HTMLElement>, isOnFreeSpace: boolean): void
  /** True from the first drawing until the next press: the click that ends a band selects nothing. */
  wasDrawn(): boolean
}

interface Start {
  /** On the sheet. */
  point: SheetPoint
  /** What the band adds to, where a modifier key is held. */
  base: Selection | null
  /** What Escape brings back. */
  before: Selection
}

/** How far the pointer moves before the press is a band and not a click. */
const threshold = 4
/** Within this distance from an edge the listing scrolls along. */
const edge = 32
const fastest = 18

/** A band drawn from free space selects what it touches; with Shift or Ctrl it adds to the selection. */
export function useRubberBand({ scroller, sheet, layout, entries, ...options }: RubberBandOptions): RubberBand {
  const ref = useRef<HTMLDivElement>(null)
  const drawn = useRef(false)
  const [start, setStart] = useState<Start | null>(null)
  const select = useEffectEvent(options.onSelect)
  const selectTouched = useEffectEvent((box: Box, base: Selection | null) =>
    options.onSelect(selectionIn(layout, entries, box, base)),
  )

  useEffect(() => {
    if (start === null || scroller.current === null || sheet.current === null || ref.current === null) return
    return draw(start, {
      band: ref.current,
      scroller: scroller.current,
      sheet: sheet.current,
      onDraw(box) {
        drawn.current = true
        selectTouched(box, start.base)
      },
      onCancel: () => select(start.before),
      onEnd: () => setStart(null),
    })
  }, [start, scroller, sheet])

  return {
    ref,
    press(event, isOnFreeSpace) {
      drawn.current = false
      const isMouse = event.pointerType === 'mouse' && event.button === 0
      if (!isMouse || !isOnFreeSpace || scroller.current === null || sheet.current === null) return
      if (isOnScrollbar(event, scroller.current)) return
      const { selection } = options
      const isAdding = event.shiftKey || event.ctrlKey || event.metaKey
      setStart({ point: toSheet(event, sheet.current), base: isAdding ? selection : null, before: selection })
    },
    wasDrawn: () => drawn.current,
  }
}

/**
 * The cells of a line beyond its name, and the room around them, are free space, too: in a long list there is hardly any
 * other. On a phone they lie below the name and belong to the row, as all of a tile does.
 */
export function isBeyondName(row: Element, clientX: number): boolean {
  const [name, next] = [...row.querySelectorAll('[role="gridcell"]')].map((cell) => cell.getBoundingClientRect())
  if (name === undefined || next === undefined) return false
  const isRtl = getComputedStyle(row).direction === 'rtl'
  return isRtl ? next.right <= name.left && clientX <= next.right : next.left >= name.right && clientX >= next.left
}

interface Drawing {
  band: HTMLElement
  scroller: HTMLElement
  sheet: HTMLElement
  onDraw(box: Box): void
  onCancel(): void
  onEnd(): void
}

/** Follows the pointer until it is released. Answers how to stop. */
function draw({ point: start }: Start, { band, scroller, sheet, onDraw, onCancel, onEnd }: Drawing): () => void {
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

function selectionIn(layout: Layout, entries: readonly Entry[], box: Box, base: Selection | null): Selection {
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

interface SheetPoint {
  x: number
  y: number
}

/** From the screen to the sheet that the layout measures, in the reading direction. */
function toSheet({ clientX, clientY }: { clientX: number; clientY: number }, sheet: HTMLElement): SheetPoint {
  const { left, right, top } = sheet.getBoundingClientRect()
  const isRtl = getComputedStyle(sheet).direction === 'rtl'
  return { x: isRtl ? right - clientX : clientX - left, y: clientY - top }
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

function isOnScrollbar(event: ReactPointerEvent, scroller: HTMLElement): boolean {
  const { left } = scroller.getBoundingClientRect()
  const x = event.clientX - left - scroller.clientLeft
  return x < 0 || x > scroller.clientWidth
}
