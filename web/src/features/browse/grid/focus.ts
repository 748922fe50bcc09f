import { type FocusEvent, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Entry } from '../../../api/resources.ts'
import { isAsking } from '../../../prompts/prompts.ts'
import type { FileGridProps } from './FileGrid.tsx'
import type { Layout } from './layout.ts'

interface GridFocusOptions extends FileGridProps {
  scroller: RefObject<HTMLElement | null>
  sheet: RefObject<HTMLElement | null>
  layout: Layout
}

export interface GridFocus {
  /** The row that the keyboard is on; it is drawn even out of sight. */
  active: number
  /** Makes it the active row without moving the focus. */
  setActive(index: number): void
  /** Brings the row into view and focuses it. */
  goTo(index: number): void
  onFocus(event: FocusEvent<HTMLElement>): void
  onBlur(event: FocusEvent<HTMLElement>): void
}

/** One row is the grid's stop of the Tab key. It is remembered by name, so that a reload does not lose it. */
export function useGridFocus(options: GridFocusOptions): GridFocus {
  const { entries, scroller, sheet, layout, reveal, takesFocus, seen = null, isReturning = false } = options
  const [held, setHeld] = useState<{ name: string; index: number } | null>(() =>
    isReturning && seen?.active != null ? { name: seen.active, index: 0 } : null,
  )
  const active = useMemo(() => indexOfHeld(entries, held), [entries, held])
  /** Is the focus here, or was it on a row that has just gone? */
  const isHere = useRef(false)
  const isWanted = useRef(takesFocus === true)
  /** The row that got the focus when the one that had it went: only until it is known where it shall go on. */
  const standIn = useRef<string | null>(null)

  const setActive = (index: number) => {
    const name = entries[index]?.name
    if (name !== undefined && (held?.index !== index || held.name !== name)) setHeld({ name, index })
  }

  /** Once, as soon as there is something to scroll. */
  const toComeBackTo = useRef(seen)
  const comeBack = () => {
    if (toComeBackTo.current === null || scroller.current === null) return
    scroller.current.scrollTop = toComeBackTo.current.top
    if (toComeBackTo.current.hadFocus && document.activeElement === document.body) isWanted.current = true
    toComeBackTo.current = null
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: when there is a layout, not when it changes
  useLayoutEffect(() => {
    if (isReturning && layout.height > 0) comeBack()
  }, [layout.height > 0])

  const latest = useRef({ onLeave: options.onLeave, active: null as string | null })
  latest.current = { onLeave: options.onLeave, active: entries[active]?.name ?? null }
  useLayoutEffect(() => {
    const left = scroller.current
    return () => {
      if (left === null) return
      const { onLeave, active: name } = latest.current
      onLeave?.({ top: left.scrollTop, active: name, hadFocus: left.contains(document.activeElement) })
    }
  }, [scroller])

  const focusActive = () => rowElement(sheet.current, active)?.focus({ preventScroll: true })

  // After every drawing: the row may only now be there.
  useLayoutEffect(() => {
    const isLost = isHere.current && document.activeElement === document.body
    if (!isWanted.current && !isLost) return
    if (rowElement(sheet.current, active) === null) return
    if (isLost && !isWanted.current) standIn.current = entries[active]?.name ?? null
    isWanted.current = false
    focusActive()
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new wish brings something into view
  useEffect(() => {
    const index = reveal == null ? -1 : entries.findIndex(({ name }) => name === reveal.name)
    if (reveal == null || index === -1 || layout.height === 0) return
    const isAnotherRow =
      held !== null && held.name !== standIn.current && entries.some(({ name }) => name === held.name)
    if (reveal.focus === 'replace' && isAnotherRow) return
    if (reveal.isArrival) comeBack()
    // What is chosen and what has the focus are one row. The row that had it may have gone, and another one stood in.
    const isNowhere = !reveal.isArrival && document.activeElement === document.body
    const isTaken = reveal.focus === 'take' && !isAsking()
    if (isHere.current || isNowhere || isTaken) isWanted.current = true
    setActive(index)
    scrollTo(scroller.current, sheet.current, layout, index, 'middle')
  }, [reveal, layout.height > 0])

  return {
    active,
    setActive,
    goTo(index) {
      const to = Math.min(Math.max(index, 0), entries.length - 1)
      scrollTo(scroller.current, sheet.current, layout, to, 'nearest')
      isWanted.current = true
      if (to === active) focusActive()
      setActive(to)
    },
    onFocus(event) {
      isHere.current = true
      const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')
      const index = Number(row?.dataset.index)
      if (entries[index]?.name !== standIn.current) standIn.current = null
      if (row !== null) setActive(index)
      // The grid itself can be focused by a program; its row is what is meant.
      else if (event.target === event.currentTarget) focusActive()
    },
    onBlur({ relatedTarget, currentTarget }) {
      if (relatedTarget !== null && !currentTarget.contains(relatedTarget as Node)) isHere.current = false
    },
  }
}

function indexOfHeld(entries: readonly Entry[], held: { name: string; index: number } | null): number {
  if (held === null) return entries.length === 0 ? -1 : 0
  if (entries[held.index]?.name === held.name) return held.index
  const found = entries.findIndex(({ name }) => name === held.name)
  return found === -1 ? Math.min(held.index, entries.length - 1) : found
}

export const rowElement = (sheet: HTMLElement | null, index: number): HTMLElement | null =>
  sheet?.querySelector(`[data-index="${index}"]`) ?? null

/** The column headers stay where they are, so what they cover does not count as seen. */
function scrollTo(
  scroller: HTMLElement | null,
  sheet: HTMLElement | null,
  layout: Layout,
  index: number,
  where: 'nearest' | 'middle',
): void {
  if (scroller === null || sheet === null || index < 0) return
  const covered = sheet.offsetTop
  const { y, height } = layout.boxOf(index)
  const room = scroller.clientHeight - covered
  const isAbove = y < scroller.scrollTop
  const isBelow = y + height > scroller.scrollTop + room
  if (!isAbove && !isBelow) return
  if (where === 'middle') scroller.scrollTop = y - (room - height) / 2
  else if (isAbove) scroller.scrollTop = layout.lineOf(index) <= 1 ? 0 : y
  else scroller.scrollTop = y + height - room
}
