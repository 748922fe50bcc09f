import { type MouseEvent, type PointerEvent, useRef } from 'react'
import type { Entry } from '../../server/queries/resources.ts'
import { type ClickKind, click, isPressed, nothing, only, pressed, type Selection } from '../../workspace/selection.ts'
import type { Point } from './FileGrid.tsx'
import type { GridFocus } from './focus.ts'
import { isBeyondName, type RubberBand } from './rubber-band.ts'

interface GridPointerOptions {
  entries: readonly Entry[]
  selection: Selection
  /** A click adds or removes. */
  isSelectingMany: boolean
  /** A click opens, and a tap. */
  opensOnClick: boolean
  opensOnTap: boolean
  /** Selected rows can be dragged. */
  canDrag: boolean
  focus: GridFocus
  band: RubberBand
  onSelect: (selection: Selection) => void
  onOpen: (entry: Entry) => void
  /** A finger has selected an entry by a tap. */
  onTapSelect: ((entry: Entry) => void) | undefined
  onOpenInNewTab: ((entry: Entry) => void) | undefined
  onMenu: ((entry: Entry | null, at: Point) => void) | undefined
}

/** Two clicks this close are a double click, and so is what the system counts as one: it may be set to a slower pace. */
const doubleClickTime = 300
const noClick = { name: '', time: 0, before: nothing }
const longPressTime = 500
const longPressTolerance = 10

/**
 * Clicks, double clicks, long presses and the right button, handled once for all rows. A long press of a finger begins a
 * selection, to which each tap adds.
 */
export function useGridPointer(options: GridPointerOptions) {
  const { entries, selection, isSelectingMany, opensOnClick, opensOnTap, focus, band, onSelect, onOpen } = options
  const lastClick = useRef(noClick)
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; end(): void; x: number; y: number } | null>(null)
  const wasPressedLong = useRef(false)
  const pointerType = useRef('mouse')
  const isByFinger = () => pointerType.current !== 'mouse'

  /** A key between two clicks, or the focus elsewhere, ends the pair: the second one is a first one. */
  function endPair() {
    lastClick.current = noClick
  }

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
    const canPressLong = event.button === 0 && (isByFinger() || opensOnClick)
    if (!canPressLong || isOnControl(event)) return
    const { index, entry } = found
    function end() {
      endPress()
      wasPressedLong.current = true
      focus.setActive(index)
      onSelect(isByFinger() ? pressed(selection, entry.name) : click(selection, entries, entry.name, 'toggle'))
    }
    press.current = { timer: setTimeout(end, longPressTime), end, x: event.clientX, y: event.clientY }
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
      // A tap that misses a row must not undo a selection that was gathered tap by tap.
      const isFree = (event.target as Element).closest('[data-columns]') === null && !isPressed(selection)
      if (isFree && selection.names.size > 0) onSelect(nothing)
      return
    }
    const { entry, index } = found
    focus.setActive(index)
    const control = (event.target as Element).closest<HTMLElement>('input, [data-menu]')
    if (control?.dataset.menu === 'true') return openMenuAt(entry, control)
    // Also after "Select all": a tap that takes one back must not open it instead.
    const isGathering = isByFinger() && (isPressed(selection) || selection.names.size > 1)
    const kind = clickKind(event, isSelectingMany || control !== null || isGathering)
    if (kind !== 'only') {
      endPair()
      const next = click(selection, entries, entry.name, kind)
      return onSelect(isByFinger() ? { ...next, by: 'press' } : next)
    }
    const isQuick = event.detail > 1 || event.timeStamp - lastClick.current.time < doubleClickTime
    const isSecond = isQuick && lastClick.current.name === entry.name
    const { before } = lastClick.current
    // A folder that opens by two clicks of three has something else below the third one: only the system may find a second
    // double click in it and a fourth.
    const time = event.detail > 1 ? 0 : event.timeStamp
    lastClick.current = isSecond ? noClick : { name: entry.name, time, before: selection }
    // The first click of the two was not meant to end a selection of several.
    if (isSecond && !entry.isDir && before.names.size > 1) onSelect(before)
    if (isSecond || (isByFinger() ? opensOnTap : opensOnClick)) return onOpen(entry)
    onSelect(only(entry.name))
    if (isByFinger()) options.onTapSelect?.(entry)
  }

  function openMenuAt(entry: Entry, button: HTMLElement) {
    if (!selection.names.has(entry.name)) onSelect(only(entry.name))
    const { left, bottom } = button.getBoundingClientRect()
    options.onMenu?.(entry, { x: left, y: bottom })
  }

  function onContextMenu(event: MouseEvent<HTMLElement>) {
    const { onMenu } = options
    if ((event.target as Element).closest('[data-columns]') !== null) return endPress()
    // A long press of a finger selects; the menu has its own button. The system may find a press long before we do.
    if (isByFinger() && press.current !== null) press.current.end()
    endPress()
    if (onMenu === undefined && !wasPressedLong.current) return
    event.preventDefault()
    if (onMenu === undefined || wasPressedLong.current || pointerType.current === 'touch') return
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
    onBlur: endPair,
    onKeyDownCapture: endPair,
  }
}

const isOnControl = (event: PointerEvent<HTMLElement>): boolean =>
  (event.target as Element).closest('input, button, a, [data-columns]') !== null

function clickKind(event: MouseEvent, isToggling: boolean): ClickKind {
  const isCommand = event.ctrlKey || event.metaKey
  if (event.shiftKey) return isCommand ? 'range-add' : 'range'
  return isCommand || isToggling ? 'toggle' : 'only'
}
