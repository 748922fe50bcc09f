import { type RefObject, useEffect, useState } from 'react'

const idleMs = 1500
const wantsLessMotion = matchMedia('(prefers-reduced-motion: reduce)')

/**
 * True while the bars may fade: the pointer has not moved for a while, no bar holds the focus, the keyboard is not in use,
 * and the file is shown. Any key shows them until the pointer moves again.
 */
export function useIdleBars(frame: RefObject<HTMLElement | null>, isEnabled: boolean): boolean {
  const [isIdle, setIsIdle] = useState(false)

  useEffect(() => {
    const element = frame.current
    if (!isEnabled || element === null || wantsLessMotion.matches) return setIsIdle(false)
    let timer: ReturnType<typeof setTimeout> | undefined
    // What could not be shown has nothing that the bars would cover, and is left by them.
    const isInUse = () =>
      element.querySelector('[data-bar]:focus-within, [data-bar]:hover, [data-state=open], [role=alert]') !== null
    function onPointer() {
      setIsIdle(false)
      clearTimeout(timer)
      timer = setTimeout(() => setIsIdle(!isInUse()), idleMs)
    }
    function onKey() {
      setIsIdle(false)
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

  return isIdle
}
