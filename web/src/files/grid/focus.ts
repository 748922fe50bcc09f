import {
  type FocusEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { isAsking } from '../../dialogs/ask.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { isFocusNowhere } from '../../ui/focus-return.ts'
import type { Reveal, Seen } from './FileGrid.tsx'
import type { Layout } from './layout.ts'

interface GridFocusOptions {
  entries: readonly Entry[]
  layout: Layout
  scroller: RefObject<HTMLElement | null>
  sheet: RefObject<HTMLElement | null>
  reveal: Reveal | null
  takesFocus: boolean
  seen: Seen | null
  isReturning: boolean
  onLeave: ((seen: Seen) => void) | undefined
}

export interface GridFocus {
  /** The row with the focus, or the one that would get it; it is drawn even out of view. */
  active: number
  /** Makes it the active row without moving the focus. */
  setActive(index: number): void
  /** Brings the row into view and focuses it. */
  goTo(index: number): void
  /** The Tab key leads on, perhaps out of the page: then no element is told to have the focus, as if a row had been removed. */
  leave(): void
  onFocus(event: FocusEvent<HTMLElement>): void
  onBlur(event: FocusEvent<HTMLElement>): void
}

/** One row is the grid's stop of the Tab key. It is remembered by name, so that a reload does not lose it. */
export function useGridFocus(options: GridFocusOptions): GridFocus {
  const { entries, layout, scroller, sheet, reveal, takesFocus, seen, isReturning } = options
  const [held, setHeld] = useState<{ name: string; index: number } | null>(() =>
    isReturning && seen?.active != null ? { name: seen.active, index: 0 } : null,
  )
  const active = useMemo(() => indexOfHeld(entries, held), [entries, held])
  /** Is the focus here, or was it on a row that has just been removed? */
  const isHere = useRef(false)
  const isWanted = useRef(takesFocus)
  /** The row that got the focus when the one that had it was removed: only until it is known where it shall go on. */
  const substitute = useRef<string | null>(null)

  const setActive = (index: number) => {
    const name = entries[index]?.name
    if (name !== undefined && (held?.index !== index || held.name !== name)) setHeld({ name, index })
  }

  /** Once, as soon as there is something to scroll. */
  const unrestored = useRef(seen)
  const restoreScroll = () => {
    if (unrestored.current === null || scroller.current === null) return
    scroller.current.scrollTop = unrestored.current.top
    if (unrestored.current.hadFocus && isFocusNowhere()) isWanted.current = true
    unrestored.current = null
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: when there is a layout, not when it changes
  useLayoutEffect(() => {
    if (isReturning && layout.height > 0) restoreScroll()
  }, [layout.height > 0])

  const leave = useEffectEvent((left: HTMLElement) =>
    options.onLeave?.({
      top: left.scrollTop,
      active: entries[active]?.name ?? null,
      hadFocus: left.contains(document.activeElement),
    }),
  )
  useLayoutEffect(() => {
    const left = scroller.current
    return () => {
      if (left !== null) leave(left)
    }
  }, [scroller])

  const focusActive = () => rowElement(sheet.current, active)?.focus({ preventScroll: true })

  // After every rendering: the row may only now be there.
  useLayoutEffect(() => {
    const isLost = isHere.current && document.activeElement === document.body
    if (!isWanted.current && !isLost) return
    if (isInMenu()) {
      // A menu that was opened while the listing was on its way would close.
      isWanted.current = false
      return
    }
    if (rowElement(sheet.current, active) === null) return
    if (isLost && !isWanted.current) substitute.current = entries[active]?.name ?? null
    isWanted.current = false
    focusActive()
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new request brings something into view
  useEffect(() => {
    const index = reveal === null ? -1 : entries.findIndex(({ name }) => name === reveal.name)
    if (reveal === null || index === -1 || layout.height === 0) return
    const isOnAnotherRow =
      held !== null && held.name !== substitute.current && entries.some(({ name }) => name === held.name)
    if (reveal.focus === 'replace' && isOnAnotherRow) return
    if (reveal.isArrival) restoreScroll()
    // The selected row and the one with the focus are the same. The row that had it may be gone, and another one have it.
    const isNowhere = !reveal.isArrival && isFocusNowhere()
    // What is typed on in a field would be commands here.
    const isWriting = document.activeElement?.matches('input, textarea')
    const isTaken = reveal.focus === 'take' && !isAsking() && !isWriting
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
    leave() {
      isHere.current = false
    },
    onFocus(event) {
      isHere.current = true
      const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')
      const index = Number(row?.dataset.index)
      if (entries[index]?.name !== substitute.current) substitute.current = null
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

const isInMenu = (): boolean => document.activeElement?.closest('[role="menu"][data-state="open"]') != null

/** The column headers stay in place, so the rows that they cover do not count as visible. */
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
