import { type KeyboardEvent, type RefObject, useRef } from 'react'
import { click, only } from '../../../place/selection.ts'
import { pressedKey } from '../../../ui/pressed-key.ts'
import type { FileGridProps } from './FileGrid.tsx'
import { type GridFocus, rowElement } from './focus.ts'
import type { Layout } from './layout.ts'
import { TypeAhead } from './type-ahead.ts'

interface GridKeysOptions extends FileGridProps {
  scroller: RefObject<HTMLElement | null>
  layout: Layout
  focus: GridFocus
}

/**
 * The arrows move, Shift extends, Space chooses, Enter opens, letters find. Choosing and moving are separate, so that
 * several entries can be gathered with the keyboard alone.
 */
export function useGridKeys(options: GridKeysOptions): (event: KeyboardEvent<HTMLElement>) => void {
  const { entries, viewMode, selection, onSelect, onOpen, onMenu, scroller, layout, focus } = options
  const typeAhead = useRef(new TypeAhead())

  function moveTo(index: number, isExtending: boolean) {
    const to = entries[Math.min(Math.max(index, 0), entries.length - 1)]
    if (to === undefined) return
    if (isExtending) {
      const from = entries[focus.active]?.name ?? to.name
      const start = selection.anchor === null ? only(from) : selection
      onSelect(click(start, entries, to.name, 'range'))
    }
    focus.goTo(index)
  }

  /** Keys that act on what is chosen act on the row with the focus when nothing is. */
  function chooseActive() {
    const entry = entries[focus.active]
    if (selection.names.size === 0 && entry !== undefined) onSelect(only(entry.name))
  }

  function openMenu() {
    const entry = entries[focus.active]
    const row = rowElement(scroller.current, focus.active)
    if (entry === undefined || row === null) return
    if (!selection.names.has(entry.name)) onSelect(only(entry.name))
    const { left, right, bottom, height } = row.getBoundingClientRect()
    const isRtl = getComputedStyle(row).direction === 'rtl'
    onMenu?.(entry, { x: isRtl ? right - 48 : left + 48, y: bottom - Math.min(height / 2, 20) })
  }

  return (event) => {
    const target = event.target as HTMLElement
    if (target.closest('[data-columns]') !== null || event.altKey) return
    const isCommand = event.ctrlKey || event.metaKey
    const now = event.timeStamp
    const entry = entries[focus.active]
    const to = destination(event.key, focus.active, layout, viewMode, entries.length, scroller.current)
    if (to !== undefined) moveTo(to, event.shiftKey)
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) openMenu()
    else if (event.key === 'Enter' && !isCommand && entry !== undefined) onOpen(entry)
    else if (event.key === 'Enter' && entry !== undefined) options.onOpenInNewTab?.(entry)
    else if (event.key === ' ' && entry !== undefined && !typeAhead.current.isTyping(now)) {
      onSelect(click(selection, entries, entry.name, event.shiftKey ? 'range' : 'toggle'))
    } else if (event.key.length === 1 && !isCommand) {
      const isWord = typeAhead.current.isTyping(now)
      const found = typeAhead.current.next(event.key, entries, focus.active, now)
      if (found !== -1) focus.goTo(found)
      // No name begins like that: the key may mean something else, as the question mark does.
      else if (!isWord) return
    } else {
      if (['F2', 'Delete'].includes(event.key) || (isCommand && ['c', 'x'].includes(pressedKey(event).toLowerCase())))
        chooseActive()
      return
    }
    event.preventDefault()
  }
}

function destination(
  key: string,
  active: number,
  layout: Layout,
  viewMode: string,
  count: number,
  scroller: HTMLElement | null,
): number | undefined {
  const isTiles = viewMode !== 'list'
  const forward = document.documentElement.dir === 'rtl' ? -1 : 1
  switch (key) {
    case 'ArrowDown':
      return layout.neighbour(active, 1)
    case 'ArrowUp':
      return layout.neighbour(active, -1)
    case 'ArrowRight':
      return isTiles ? active + forward : undefined
    case 'ArrowLeft':
      return isTiles ? active - forward : undefined
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
