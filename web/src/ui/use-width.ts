import { type RefObject, useLayoutEffect, useState } from 'react'

/** Is the element narrower than this? Asked again whenever its width changes, drawn again only when the answer does. */
export function useIsNarrowerThan(element: RefObject<HTMLElement | null>, pixels: number): boolean {
  const [isNarrower, setIsNarrower] = useState(false)
  useLayoutEffect(() => {
    const measured = element.current
    if (measured === null) return
    const measure = () => setIsNarrower(measured.clientWidth < pixels)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(measured)
    return () => observer.disconnect()
  }, [element, pixels])
  return isNarrower
}
