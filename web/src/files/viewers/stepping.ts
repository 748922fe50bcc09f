import { type TouchEvent, useEffect, useEffectEvent, useRef } from 'react'
import { useKeys } from '../../commands/keyboard.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { isRightToLeft } from '../../ui/direction.ts'
import type { PreviewKind } from '../formats/kinds.ts'
import type { Neighbours } from './neighbours.ts'

export type Step = -1 | 1

interface Stepping {
  neighbours: Neighbours
  /** False while the folder is still being read. */
  isKnown: boolean
  onOpen(entry: Entry): void
}

/** Steps to the file before or after, by arrow keys and Enter, and by the function it answers. */
export function useStepping({ neighbours, isKnown, onOpen }: Stepping): (step: Step) => void {
  const early = useRef<Step | null>(null)

  function step(direction: Step) {
    const target = direction === 1 ? neighbours.next : neighbours.previous
    if (target !== null) onOpen(target)
    else if (!isKnown) early.current = direction
  }

  // A key that was pressed before the folder was known counts once it is.
  const stepEarly = useEffectEvent(() => {
    if (early.current !== null) step(early.current)
    early.current = null
  })
  useEffect(() => {
    if (isKnown) stepEarly()
  }, [isKnown])

  const forward = () => step(1)
  const back = () => step(-1)
  const [right, left] = isRightToLeft() ? [back, forward] : [forward, back]
  useKeys({ Enter: forward, ArrowRight: right, ArrowLeft: left }, { level: 'frame' })
  return step
}

/**
 * What is looked at or played covers the whole page: a dark stage in both themes, with the buttons to its neighbours at
 * the sides. What is read stands beside the sidebar, as the editor does.
 */
export const isOnStage = (kind: PreviewKind): boolean => kind === 'image' || kind === 'video' || kind === 'audio'

const farEnough = 60

/** The direction of a finger's movement: 1 towards the next file, -1 towards the previous one, 0 neither. */
export function swipeOf(dx: number, dy: number): Step | 0 {
  if (Math.abs(dx) < farEnough || Math.abs(dx) < 2 * Math.abs(dy)) return 0
  return dx < 0 !== isRightToLeft() ? 1 : -1
}

/** For viewers without gestures of their own: one finger drawn sideways steps. */
export function useSwipe(onSwipe: (step: Step) => void) {
  const start = useRef<{ clientX: number; clientY: number } | null>(null)
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
