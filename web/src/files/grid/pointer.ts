import { type MouseEvent, type PointerEvent, useRef } from 'react'
import type { Entry } from '../../server/queries/resources.ts'
import { type ClickKind, click, nothing, only, type Selection } from '../../workspace/selection.ts'
import type { Point } from './FileGrid.tsx'
import type { GridFocus } from './focus.ts'
import { isBeyondName, type RubberBand } from './rubber-band.ts'

interface GridPointerOptions {
  entries: readonly Entry[]
  selection: Selection
  /** A click adds or removes. */
  isSelectingMany: boolean
  /** A click opens. */
  opensOnClick: boolean
  /** Selected rows can be dragged. */
  canDrag: boolean
  focus: GridFocus
  band: RubberBand
  onSelect: (selection: Selection) => void
  onOpen: (entry: Entry) => void
  onOpenInNewTab: ((entry: Entry) => void) | undefined
  onMenu: ((entry: Entry | null, at: Point) => void) | undefined
}

/** Two clicks this close are a double click, and so is what the system counts as one: it may be set to a slower pace. */
const doubleClickTime = 300
const noClick = { name: '', time: 0 }
const longPressTime = 500
const longPressTolerance = 10

/** Clicks, double clicks, long presses and the right button, handled once for all rows. */
export function useGridPointer(options: GridPointerOptions) {
  const { entries, selection, isSelectingMany, opensOnClick, focus, band, onSelect, onOpen, onMenu } = options
  const lastClick = useRef(noClick)
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number } | null>(null)
  const wasPressedLong = useRef(false)
  const pointerType = useRef('mouse')

  function entryAt(event: { target: EventTarget }): { entry: Entry; index: number; row: Element } | null {
    const row = (event.target as Element).closest<HTMLElement>('[data-index]')
    const index = Number(row?.dataset.index ?? -1)
    const entry = entries[index]
    return row === null || entry === undefined ? null : { entry, index, row }
  }

  function endPress() {
    if (press.current !== null) clearTimeout(press.current.timer)
    press.current = null
  }

  function onPointerDown(event: PointerEvent<HTMLElement>) {
    pointerType.current = event.pointerType
    wasPressedLong.current = false
    endPress()
    const found = entryAt(event)
    band.press(event, isOnFreeSpace(event, found))
    if (found === null) return
    const canPressLong = event.button === 0 && (event.pointerType !== 'mouse' || opensOnClick)
    if (!canPressLong || isOnControl(event)) return
    const timer = setTimeout(() => {
      wasPressedLong.current = true
      onSelect(click(selection, entries, found.entry.name, 'toggle'))
    }, longPressTime)
    press.current = { timer, x: event.clientX, y: event.clientY }
  }

  function isOnFreeSpace(event: PointerEvent<HTMLElement>, found: ReturnType<typeof entryAt>): boolean {
    if (isOnControl(event)) return false
    if (found === null) return true
    return isBeyondName(found.row, event.clientX) && !(options.canDrag && selection.names.has(found.entry.name))
  }

  /** The focus stays with the row: its controls are for the pointer, the keys are the grid's. */
  function onMouseDown(event: MouseEvent<HTMLElement>) {
    if ((event.target as Element).closest('[data-index] :is(input, button)') === null) return
    event.preventDefault()
    ;(event.target as Element).closest<HTMLElement>('[data-index]')?.focus({ preventScroll: true })
  }

  function onPointerMove({ clientX, clientY }: PointerEvent<HTMLElement>) {
    if (press.current === null) return
    if (Math.hypot(clientX - press.current.x, clientY - press.current.y) > longPressTolerance) endPress()
  }

  function onClick(event: MouseEvent<HTMLElement>) {
    endPress()
    const found = entryAt(event)
    if (wasPressedLong.current || band.wasDrawn()) return
    if (found === null) {
      const isFree = (event.target as Element).closest('[data-columns]') === null
      if (isFree && selection.names.size > 0) onSelect(nothing)
      return
    }
    const { entry, index } = found
    focus.setActive(index)
    const control = (event.target as Element).closest<HTMLElement>('input, [data-menu]')
    if (control?.dataset.menu === 'true') return openMenuAt(entry, control)
    const kind = clickKind(event, isSelectingMany || control !== null)
    if (kind !== 'only') {
      lastClick.current = noClick
      return onSelect(click(selection, entries, entry.name, kind))
    }
    const isQuick = event.detail > 1 || event.timeStamp - lastClick.current.time < doubleClickTime
    const isSecond = isQuick && lastClick.current.name === entry.name
    lastClick.current = isSecond ? noClick : { name: entry.name, time: event.timeStamp }
    if (opensOnClick || isSecond) onOpen(entry)
    else onSelect(only(entry.name))
  }

  function openMenuAt(entry: Entry, button: HTMLElement) {
    if (!selection.names.has(entry.name)) onSelect(only(entry.name))
    const { left, bottom } = button.getBoundingClientRect()
    onMenu?.(entry, { x: left, y: bottom })
  }

  function onContextMenu(event: MouseEvent<HTMLElement>) {
    endPress()
    if (onMenu === undefined || (event.target as Element).closest('[data-columns]') !== null) return
    event.preventDefault()
    // A long press of a finger selects; the menu has its own button.
    if (pointerType.current === 'touch') return
    const found = entryAt(event)
    if (found === null) onSelect(nothing)
    else {
      focus.setActive(found.index)
      if (!selection.names.has(found.entry.name)) onSelect(only(found.entry.name))
    }
    onMenu(found?.entry ?? null, { x: event.clientX, y: event.clientY })
  }

  function onAuxClick(event: MouseEvent<HTMLElement>) {
    const found = event.button === 1 ? entryAt(event) : null
    if (found !== null) options.onOpenInNewTab?.(found.entry)
  }

  return {
    onPointerDown,
    onPointerMove,
    onMouseDown,
    onPointerUp: endPress,
    onPointerCancel: endPress,
    onClick,
    onContextMenu,
    onAuxClick,
  }
}

const isOnControl = (event: PointerEvent<HTMLElement>): boolean =>
  (event.target as Element).closest('input, button, a, [data-columns]') !== null

function clickKind(event: MouseEvent, isToggling: boolean): ClickKind {
  const isCommand = event.ctrlKey || event.metaKey
  if (event.shiftKey) return isCommand ? 'range-add' : 'range'
  return isCommand || isToggling ? 'toggle' : 'only'
}
