import { type RefObject, useEffect, useState } from 'react'

const restMs = 1500
const wantsLessMotion = matchMedia('(prefers-reduced-motion: reduce)')

/**
 * True while the bars may fade: the pointer has not moved for a while, no bar holds the focus, and the person does not
 * work by keyboard. Any key brings them back until the pointer moves again.
 */
export function useResting(frame: RefObject<HTMLElement | null>, isEnabled: boolean): boolean {
  const [isResting, setIsResting] = useState(false)

  useEffect(() => {
    const element = frame.current
    if (!isEnabled || element === null || wantsLessMotion.matches) return setIsResting(false)
    let timer: ReturnType<typeof setTimeout> | undefined
    const isHeld = () => element.querySelector('[data-bar]:focus-within, [data-bar]:hover, [data-state=open]') !== null
    const rest = () => setIsResting(!isHeld())
    function onPointer() {
      setIsResting(false)
      clearTimeout(timer)
      timer = setTimeout(rest, restMs)
    }
    function onKey() {
      setIsResting(false)
      clearTimeout(timer)
    }
    onPointer()
    element.addEventListener('pointermove', onPointer)
    element.addEventListener('pointerdown', onPointer)
    addEventListener('keydown', onKey, true)
    return () => {
      clearTimeout(timer)
      element.removeEventListener('pointermove', onPointer)
      element.removeEventListener('pointerdown', onPointer)
      removeEventListener('keydown', onKey, true)
    }
  }, [frame, isEnabled])

  return isResting
}
