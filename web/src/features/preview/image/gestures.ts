import { type PointerEvent, type RefObject, useEffect, useRef } from 'react'
import { swipeOf } from '../swipe.ts'

interface Point {
  x: number
  y: number
}

export interface Gestures {
  /** Zooms by a factor around a point, given from the middle of the stage. */
  onZoom(factor: number, at: Point): void
  onDrag(dx: number, dy: number): void
  onSwipe(step: -1 | 1): void
  onDoubleTap(at: Point): void
  /** A picture that is larger than the stage is moved; one that fits lets a finger step on. */
  canDrag(): boolean
}

const doubleTapMs = 300
const doubleTapPx = 30

/** Mouse, finger and two fingers on the stage of a picture. */
export function useGestures(stage: RefObject<HTMLElement | null>, gestures: Gestures) {
  const current = useRef(gestures)
  current.current = gestures
  const pointers = useRef(new Map<number, Point>())
  const start = useRef<Point | null>(null)
  const lastTap = useRef<(Point & { time: number }) | null>(null)
  const lastTouch = useRef(Number.NEGATIVE_INFINITY)

  const fromMiddle = ({ x, y }: Point): Point => {
    const box = stage.current?.getBoundingClientRect()
    return box === undefined ? { x, y } : { x: x - box.x - box.width / 2, y: y - box.y - box.height / 2 }
  }

  // React listens to the wheel passively, and then the page could not be kept from scrolling or zooming.
  useEffect(() => {
    const element = stage.current
    function onWheel(event: WheelEvent) {
      event.preventDefault()
      const box = element?.getBoundingClientRect() ?? new DOMRect()
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 33 : event.deltaY
      const factor = Math.exp(-Math.min(200, Math.max(-200, pixels)) * (event.ctrlKey ? 0.01 : 0.0022))
      const at = { x: event.clientX - box.x - box.width / 2, y: event.clientY - box.y - box.height / 2 }
      current.current.onZoom(factor, at)
    }
    element?.addEventListener('wheel', onWheel, { passive: false })
    return () => element?.removeEventListener('wheel', onWheel)
  }, [stage])

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
      if (current.current.canDrag()) current.current.onDrag(now.x - before.x, now.y - before.y)
      return
    }
    const factor = distance(now, other) / Math.max(1, distance(before, other))
    current.current.onZoom(factor, fromMiddle({ x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }))
    current.current.onDrag((now.x - before.x) / 2, (now.y - before.y) / 2)
  }

  function onPointerUp(event: PointerEvent) {
    pointers.current.delete(event.pointerId)
    const from = start.current
    start.current = null
    if (from === null || event.type === 'pointercancel' || event.pointerType === 'mouse') return
    lastTouch.current = event.timeStamp
    const to = { x: event.clientX, y: event.clientY }
    const step = current.current.canDrag() ? 0 : swipeOf(to.x - from.x, to.y - from.y)
    if (step !== 0) return current.current.onSwipe(step)
    if (distance(from, to) < 10) onTap(to, event.timeStamp)
  }

  function onTap(at: Point, time: number) {
    const last = lastTap.current
    const isSecond = last !== null && time - last.time < doubleTapMs && distance(last, at) < doubleTapPx
    lastTap.current = isSecond ? null : { ...at, time }
    if (isSecond) current.current.onDoubleTap(fromMiddle(at))
  }

  return {
    onPointerDown,
    onPointerMove,
    onPointerUp,
    onPointerCancel: onPointerUp,
    onDoubleClick(event: { clientX: number; clientY: number; nativeEvent: Event }) {
      // Fingers were heard above already; what follows them is the browser's imitation of a mouse.
      if (event.nativeEvent.timeStamp - lastTouch.current < 1000) return
      current.current.onDoubleTap(fromMiddle({ x: event.clientX, y: event.clientY }))
    },
  }
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y)
