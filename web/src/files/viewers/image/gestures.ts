import { type PointerEvent, type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import { type Step, swipeOf } from '../stepping.ts'
import type { ViewerMode } from '../ViewerParts.tsx'

interface Point {
  x: number
  y: number
}

export interface Gestures {
  /** Zooms by a factor around a point, given from the middle of the stage. */
  onZoom(factor: number, at: Point): void
  onDrag(dx: number, dy: number): void
  onSwipe(step: Step): void
  onDoubleTap(at: Point): void
  /** An image that is larger than the stage is moved; on one that fits, a finger steps to the next. */
  canDrag(): boolean
}

const doubleTapMs = 300
const doubleTapPx = 30

/** Mouse, wheel, finger and two fingers on the stage of an image. */
export function useGestures(stage: RefObject<HTMLElement | null>, gestures: Gestures, mode: ViewerMode) {
  const pointers = useRef(new Map<number, Point>())
  const start = useRef<Point | null>(null)
  const lastTap = useRef<(Point & { time: number }) | null>(null)
  const lastTouch = useRef(Number.NEGATIVE_INFINITY)

  const fromMiddle = ({ x, y }: Point): Point => {
    const box = stage.current?.getBoundingClientRect()
    return box === undefined ? { x, y } : { x: x - box.x - box.width / 2, y: y - box.y - box.height / 2 }
  }

  /** In a page that scrolls, the wheel scrolls it as long as the image fits. */
  const isForPage = (event: WheelEvent) => mode === 'embedded' && !event.ctrlKey && !gestures.canDrag()
  const zoom = useEffectEvent((event: WheelEvent) => {
    if (isForPage(event)) return
    event.preventDefault()
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 33 : event.deltaY
    const factor = Math.exp(-Math.min(200, Math.max(-200, pixels)) * (event.ctrlKey ? 0.01 : 0.0022))
    gestures.onZoom(factor, fromMiddle({ x: event.clientX, y: event.clientY }))
  })

  /** Chromium finds a fling in a quick swipe, even where nothing scrolls, and takes the next tap for the end of it. */
  const keepFromFling = useEffectEvent((event: TouchEvent) => {
    if (event.cancelable && (mode !== 'embedded' || gestures.canDrag())) event.preventDefault()
  })

  // React listens passively to both, and then nothing of what the browser does by itself could be prevented.
  useEffect(() => {
    const element = stage.current
    if (mode === 'compact') return
    const onWheel = (event: WheelEvent) => zoom(event)
    const onTouchMove = (event: TouchEvent) => keepFromFling(event)
    element?.addEventListener('wheel', onWheel, { passive: false })
    element?.addEventListener('touchmove', onTouchMove, { passive: false })
    return () => {
      element?.removeEventListener('wheel', onWheel)
      element?.removeEventListener('touchmove', onTouchMove)
    }
  }, [stage, mode])

  function onPointerDown(event: PointerEvent) {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const point = { x: event.clientX, y: event.clientY }
    pointers.current.set(event.pointerId, point)
    start.current = pointers.current.size === 1 ? point : null
  }

  function onPointerMove(event: PointerEvent) {
    const before = pointers.current.get(event.pointerId)
    if (before === undefined) return
    const now = { x: event.clientX, y: event.clientY }
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1]
    pointers.current.set(event.pointerId, now)
    if (other === undefined) {
      if (gestures.canDrag()) gestures.onDrag(now.x - before.x, now.y - before.y)
      return
    }
    const factor = distance(now, other) / Math.max(1, distance(before, other))
    gestures.onZoom(factor, fromMiddle({ x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }))
    gestures.onDrag((now.x - before.x) / 2, (now.y - before.y) / 2)
  }

  function onPointerUp(event: PointerEvent) {
    pointers.current.delete(event.pointerId)
    const from = start.current
    start.current = null
    if (from === null || event.type === 'pointercancel' || event.pointerType === 'mouse') return
    lastTouch.current = event.timeStamp
    const to = { x: event.clientX, y: event.clientY }
    const step = gestures.canDrag() ? 0 : swipeOf(to.x - from.x, to.y - from.y)
    if (step !== 0) return gestures.onSwipe(step)
    if (distance(from, to) < 10) onTap(to, event.timeStamp)
  }

  function onTap(at: Point, time: number) {
    const last = lastTap.current
    const isSecond = last !== null && time - last.time < doubleTapMs && distance(last, at) < doubleTapPx
    lastTap.current = isSecond ? null : { ...at, time }
    if (isSecond) gestures.onDoubleTap(fromMiddle(at))
  }

  if (mode === 'compact') return {}
  return {
    onPointerDown,
    onPointerMove,
    onPointerUp,
    onPointerCancel: onPointerUp,
    onDoubleClick(event: { clientX: number; clientY: number; nativeEvent: Event }) {
      // Fingers are handled above; the double click that follows them is an emulation by the browser.
      if (event.nativeEvent.timeStamp - lastTouch.current < 1000) return
      gestures.onDoubleTap(fromMiddle({ x: event.clientX, y: event.clientY }))
    },
  }
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y)
