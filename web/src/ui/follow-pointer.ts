import type { PointerEvent } from 'react'

/** From a press until it ends: how far the pointer has gone, in pixels. */
export function followPointer(
  { currentTarget, pointerId, clientX, clientY }: PointerEvent<HTMLElement>,
  onMove: (right: number, down: number) => void,
): void {
  const move = (event: globalThis.PointerEvent) => onMove(event.clientX - clientX, event.clientY - clientY)
  const end = () => {
    currentTarget.removeEventListener('pointermove', move)
    currentTarget.removeEventListener('lostpointercapture', end)
  }
  currentTarget.setPointerCapture(pointerId)
  currentTarget.addEventListener('pointermove', move)
  currentTarget.addEventListener('lostpointercapture', end)
}
