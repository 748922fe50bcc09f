import { type KeyboardEvent, type RefObject, useRef } from 'react'
import type { Entry } from '../../server/queries/resources.ts'
import { isRightToLeft } from '../../ui/direction.ts'
import { pressedKey } from '../../ui/pressed-key.ts'
import { click, gathered, movedTo, only, type Selection } from '../../workspace/selection.ts'
import type { Point } from './FileGrid.tsx'
import { type GridFocus, rowElement } from './focus.ts'
import type { Layout } from './layout.ts'
import { TypeAhead } from './type-ahead.ts'

interface GridKeysOptions {
  entries: readonly Entry[]
  /** What letters find, where names of entries are made up. */
  typed: readonly { name: string }[] | undefined
  layout: Layout
  isList: boolean
  scroller: RefObject<HTMLElement | null>
  focus: GridFocus
  selection: Selection
  /** The arrows move the focus alone. */
  isSelectingMany: boolean
  onSelect: (selection: Selection) => void
  onOpen: (entry: Entry) => void
  onOpenInNewTab: ((entry: Entry) => void) | undefined
  onMenu: ((entry: Entry, at: Point) => void) | undefined
}

/**
 * As file managers have it: the arrows move the selection with the focus, with Ctrl the focus alone; Shift extends,
 * Space adds and removes, Enter opens, letters find.
 */
export function useGridKeys(options: GridKeysOptions): (event: KeyboardEvent<HTMLElement>) => void {
  const { entries, layout, isList, scroller, focus, selection, isSelectingMany, onSelect } = options
  const typeAhead = useRef(new TypeAhead())

  function moveTo(index: number, { isExtending = false, isFocusAlone = isSelectingMany } = {}) {
    const to = entries[Math.min(Math.max(index, 0), entries.length - 1)]
    if (to === undefined) return
    if (isExtending) {
      const from = entries[focus.active]?.name ?? to.name
      const start = selection.anchor === null ? only(from) : selection
      onSelect(click(start, entries, to.name, isFocusAlone ? 'range-add' : 'range'))
    } else if (!isFocusAlone) onSelect(movedTo(selection, to.name))
    focus.goTo(index)
  }

  /** Keys that act on the selection act on the row with the focus when there is none. */
  function selectActive() {
    const entry = entries[focus.active]
    if (selection.names.size === 0 && entry !== undefined) onSelect(only(entry.name))
  }

  function toggleActive({ name }: Entry, { shiftKey, ctrlKey, metaKey }: KeyboardEvent) {
    if (shiftKey) onSelect(click(selection, entries, name, 'range'))
    else if (ctrlKey || metaKey) onSelect({ ...click(selection, entries, name, 'toggle'), by: 'space' })
    else onSelect(gathered(selection, entries, name))
  }

  function openMenu() {
    const entry = entries[focus.active]
    const row = rowElement(scroller.current, focus.active)
    if (entry === undefined || row === null) return
    if (!selection.names.has(entry.name)) onSelect(only(entry.name))
    const { left, right, bottom, height } = row.getBoundingClientRect()
    const isRtl = getComputedStyle(row).direction === 'rtl'
    options.onMenu?.(entry, { x: isRtl ? right - 48 : left + 48, y: bottom - Math.min(height / 2, 20) })
  }

  return (event) => {
    const target = event.target as HTMLElement
    if (target.closest('[data-columns]') !== null || event.altKey) return
    const isCommand = event.ctrlKey || event.metaKey
    const now = event.timeStamp
    const entry = entries[focus.active]
    if (event.key === 'Tab') return focus.leave()
    const to = destination(event.key, focus.active, layout, isList, entries.length, scroller.current)
    if (to !== undefined) moveTo(to, { isExtending: event.shiftKey, isFocusAlone: isCommand || isSelectingMany })
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) openMenu()
    else if (event.key === 'Enter' && !isCommand && entry !== undefined) options.onOpen(entry)
    else if (event.key === 'Enter' && entry !== undefined) options.onOpenInNewTab?.(entry)
    else if (event.key === ' ' && entry !== undefined && (isCommand || !typeAhead.current.isTyping(now)))
      toggleActive(entry, event)
    else if (event.key.length === 1 && !isCommand) {
      const isWord = typeAhead.current.isTyping(now)
      const found = typeAhead.current.next(event.key, options.typed ?? entries, focus.active, now)
      if (found !== -1) moveTo(found)
      // No name begins like that: the key may mean something else, as the question mark does.
      else if (!isWord) return
    } else {
      if (['F2', 'Delete'].includes(event.key) || (isCommand && ['c', 'x'].includes(pressedKey(event).toLowerCase())))
        selectActive()
      return
    }
    event.preventDefault()
  }
}

function destination(
  key: string,
  active: number,
  layout: Layout,
  isList: boolean,
  count: number,
  scroller: HTMLElement | null,
): number | undefined {
  const forward = isRightToLeft() ? -1 : 1
  switch (key) {
    case 'ArrowDown':
      return layout.neighbour(active, 1)
    case 'ArrowUp':
      return layout.neighbour(active, -1)
    case 'ArrowRight':
      return isList ? undefined : active + forward
    case 'ArrowLeft':
      return isList ? undefined : active - forward
    case 'Home':
      return 0
    case 'End':
      return count - 1
    case 'PageDown':
      return paged(active, 1, layout, scroller)
    case 'PageUp':
      return paged(active, -1, layout, scroller)
    default:
      return undefined
  }
}

/** As many lines on as fit on the screen. */
function paged(active: number, direction: -1 | 1, layout: Layout, scroller: HTMLElement | null): number {
  const room = (scroller?.clientHeight ?? 0) - layout.boxOf(active).height * 2
  const start = layout.boxOf(active).y
  let at = active
  for (;;) {
    const next = layout.neighbour(at, direction)
    if (next === at || Math.abs(layout.boxOf(next).y - start) > Math.max(room, 1)) return at === active ? next : at
    at = next
  }
}
