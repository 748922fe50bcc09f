import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useLayoutEffect, useMemo } from 'react'
import type { Layout } from './layout.ts'

/** The entries to draw: what is in sight, a little around it, and the one with the focus wherever it is. */
export function useGridWindow(
  scroller: RefObject<HTMLElement | null>,
  layout: Layout,
  active: number,
  count: number,
  /** Where it is scrolled to at first. */
  initialOffset: number,
): readonly number[] {
  const activeLine = active >= 0 && active < count ? layout.lineOf(active) : -1
  const withActive = useCallback(
    (range: Range) => {
      const lines = defaultRangeExtractor(range)
      return activeLine === -1 || lines.includes(activeLine) ? lines : [...lines, activeLine].sort((a, b) => a - b)
    },
    [activeLine],
  )
  const virtualizer = useVirtualizer({
    count: layout.lineCount,
    getScrollElement: () => scroller.current,
    estimateSize: layout.lineSize,
    // About eight rows of the list, however tall the lines are.
    overscan: Math.max(2, Math.round(320 / Math.max(40, layout.lineSize(layout.lineCount - 1)))),
    rangeExtractor: withActive,
    initialOffset,
    useFlushSync: false,
  })
  useLayoutEffect(() => {
    if (layout.lineCount > 0) virtualizer.measure()
  }, [virtualizer, layout])

  const lines = virtualizer.getVirtualItems().map(({ index }) => index)
  const key = lines.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the lines
  return useMemo(
    () =>
      lines.flatMap((line) => {
        const { start, end } = layout.line(line)
        return Array.from({ length: end - start }, (_, step) => start + step)
      }),
    [key, layout],
  )
}
