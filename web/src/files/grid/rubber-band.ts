import {
  type PointerEvent as ReactPointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import type { Entry } from '../../server/queries/resources.ts'
import { useMedia } from '../../ui/media.ts'
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

/** A mouse alone draws: on touch screens it is not loaded. */
const loadDrawing = () => import('./draw-band.ts')

/** A band drawn from free space selects what it touches; with Shift or Ctrl it adds to the selection. */
export function useRubberBand({ scroller, sheet, layout, entries, ...options }: RubberBandOptions): RubberBand {
  const ref = useRef<HTMLDivElement>(null)
  const drawn = useRef(false)
  const [start, setStart] = useState<Start | null>(null)
  const select = useEffectEvent(options.onSelect)
  const selectTouched = useEffectEvent((box: Box, base: Selection | null) =>
    options.onSelect(selectionIn(layout, entries, box, base)),
  )

  const isCoarse = useMedia('coarse')
  useEffect(() => {
    if (!isCoarse) void loadDrawing().catch(() => {})
  }, [isCoarse])

  useEffect(() => {
    if (start === null || scroller.current === null || sheet.current === null || ref.current === null) return
    let stop: (() => void) | null = () => {}
    const drawing = {
      band: ref.current,
      scroller: scroller.current,
      sheet: sheet.current,
      onDraw(box: Box) {
        drawn.current = true
        selectTouched(box, start.base)
      },
      onCancel: () => select(start.before),
      onEnd: () => setStart(null),
    }
    loadDrawing().then(({ draw }) => {
      if (stop !== null) stop = draw(start.point, drawing)
    }, drawing.onEnd)
    return () => {
      stop?.()
      stop = null
    }
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

export interface SheetPoint {
  x: number
  y: number
}

/** From the screen to the sheet that the layout measures, in the reading direction. */
export function toSheet({ clientX, clientY }: { clientX: number; clientY: number }, sheet: HTMLElement): SheetPoint {
  const { left, right, top } = sheet.getBoundingClientRect()
  const isRtl = getComputedStyle(sheet).direction === 'rtl'
  return { x: isRtl ? right - clientX : clientX - left, y: clientY - top }
}

function isOnScrollbar(event: ReactPointerEvent, scroller: HTMLElement): boolean {
  const { left } = scroller.getBoundingClientRect()
  const x = event.clientX - left - scroller.clientLeft
  return x < 0 || x > scroller.clientWidth
}
