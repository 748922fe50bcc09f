import type { PointerEvent, TouchEvent } from 'react'
import { useRef } from 'react'
import { isRightToLeft } from './keys.ts'

const farEnough = 60

/** Which way a finger went: 1 towards the next, -1 towards the previous, 0 neither. */
export function swipeOf(dx: number, dy: number): -1 | 0 | 1 {
  if (Math.abs(dx) < farEnough || Math.abs(dx) < 2 * Math.abs(dy)) return 0
  return dx < 0 !== isRightToLeft() ? 1 : -1
}

type Point = Pick<PointerEvent, 'clientX' | 'clientY'>

/** For viewers without gestures of their own: one finger drawn sideways steps on. */
export function useSwipe(onSwipe: (step: -1 | 1) => void) {
  const start = useRef<Point | null>(null)
  return {
    onTouchStart(event: TouchEvent) {
      const isPlain = event.touches.length === 1 && (event.target as Element).closest('input, [data-own-keys]') === null
      start.current = isPlain ? (event.touches[0] ?? null) : null
    },
    onTouchEnd(event: TouchEvent) {
      const from = start.current
      const to = event.changedTouches[0]
      start.current = null
      if (from === null || to === undefined || event.touches.length > 0) return
      const step = swipeOf(to.clientX - from.clientX, to.clientY - from.clientY)
      if (step !== 0) onSwipe(step)
    },
  }
}
