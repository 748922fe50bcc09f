import { type RefObject, useLayoutEffect, useMemo, useState } from 'react'
import type { Layout } from './layout.ts'

/** Drawn beyond both edges, so that scrolling shows no empty space before the next rendering. */
const overscan = 320
/** The visible range is rounded to this, so that not every pixel of scrolling renders. */
const step = 160

interface GridWindowOptions {
  scroller: RefObject<HTMLElement | null>
  layout: Layout
  /** The row with the focus, which is drawn wherever it is. */
  active: number
  /** The first scroll position. */
  start: number
}

/** The entries to draw: those in view, some around them, and the one with the focus. */
export function useGridWindow({ scroller, layout, active, start }: GridWindowOptions): readonly number[] {
  const [view, setView] = useState({ top: start, height: 0 })

  // Again for each layout: a shorter one moves the scroll position.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    function measure({ scrollTop, clientHeight }: HTMLElement) {
      const top = Math.floor(scrollTop / step) * step
      const height = Math.ceil(clientHeight / step) * step + step
      setView((before) => (before.top === top && before.height === height ? before : { top, height }))
    }
    const onChange = () => measure(element)
    onChange()
    element.addEventListener('scroll', onChange, { passive: true })
    const observer = new ResizeObserver(onChange)
    observer.observe(element)
    return () => {
      element.removeEventListener('scroll', onChange)
      observer.disconnect()
    }
  }, [scroller, layout])

  return useMemo(
    () => indicesIn(layout, view.top - overscan, view.height + 2 * overscan, active),
    [layout, view, active],
  )
}

/** In the order of the screen, which is also the order that assistive technology reads. */
function indicesIn(layout: Layout, y: number, height: number, active: number): number[] {
  const indices = layout
    .touching({ x: 0, y, width: Number.MAX_SAFE_INTEGER, height })
    .flatMap(([start, end]) => Array.from({ length: end - start }, (_, at) => start + at))
  if (active < 0 || active >= layout.count || indices.includes(active)) return indices
  const after = indices.findIndex((index) => index > active)
  return indices.toSpliced(after === -1 ? indices.length : after, 0, active)
}
