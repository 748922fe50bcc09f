import { useLayoutEffect, useRef } from 'react'
import { isAsking } from '../dialogs/ask.ts'
import { isComposing, pressedKey } from '../ui/pressed-key.ts'

/** What keys do, by how they are written: 'Escape', 'ArrowRight', 'Mod+S', 'Alt+ArrowUp', '+', 'k'. */
export type Keys = Readonly<Record<string, Action | undefined>>

/** Answers false where the key means nothing to it just now. */
type Action = () => unknown

/**
 * The order in which keys are offered: what is in front of the page (a drawer, a viewer), the frame around it, the
 * page. Within one level the component that was mounted last comes first.
 */
type Level = 'front' | 'frame' | 'page'
const levels: readonly Level[] = ['front', 'frame', 'page']

interface Layer {
  readonly level: Level
  keys(): Keys
}

/** Of mounted components, which end with the session. */
const layers: Layer[] = []

interface KeysOptions {
  level?: Level
  isOn?: boolean
}

/** Keys of a component from the moment that it is seen, wherever the focus is, except in a dialog, a menu or a field. */
export function useKeys(keys: Keys, { level = 'front', isOn = true }: KeysOptions = {}): void {
  const latest = useRef(keys)
  useLayoutEffect(() => {
    latest.current = keys
  })
  useLayoutEffect(() => {
    if (!isOn) return
    const layer = { level, keys: () => latest.current }
    layers.push(layer)
    return () => void layers.splice(layers.indexOf(layer), 1)
  }, [level, isOn])
}

/** Gets the keys that no component has taken. */
export type OtherKeys = (keys: string, event: KeyboardEvent) => void

/** The one listener for keys of the whole page: first the components' own, then `others`. */
export function useKeyboard(others?: OtherKeys): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event, others)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [others])
}

function onKeyDown(event: KeyboardEvent, others: OtherKeys | undefined): void {
  if (event.defaultPrevented || isComposing(event)) return
  const keys = writtenKeys(event)
  if (isAsking()) {
    // Saving is the page's business, not the browser's, also while a question about it is open.
    if (keys === 'Mod+S' && actionsOfLayers(keys, event).length > 0) event.preventDefault()
    return
  }
  for (const action of actionsOfLayers(keys, event))
    if (action() !== false) {
      event.preventDefault()
      return
    }
  others?.(keys, event)
}

function actionsOfLayers(keys: string, event: KeyboardEvent): Action[] {
  if (belongsToTarget(event, keys)) return []
  return levels.flatMap((level) =>
    layers.toReversed().flatMap((layer) => {
      const own = layer.level === level ? layer.keys() : {}
      return (Object.hasOwn(own, keys) ? own[keys] : undefined) ?? []
    }),
  )
}

/** As in `KeyBinding`. Shift is written where the key has a name or is a letter; '?' is '?' however it is typed. */
export function writtenKeys(event: KeyboardEvent): string {
  const key = pressedKey(event)
  const isLetter = /^\p{L}$/u.test(key)
  const modifiers = [
    (event.ctrlKey || event.metaKey) && 'Mod',
    event.altKey && 'Alt',
    event.shiftKey && (isLetter || key.length > 1) && 'Shift',
  ].filter((modifier) => modifier !== false)
  // Caps Lock changes no command.
  return [...modifiers, isLetter && modifiers.length > 0 ? key.toUpperCase() : isLetter ? key.toLowerCase() : key].join(
    '+',
  )
}

/** A menu, a field, or what Enter and Space press anyway. Ctrl+S and Escape mean the page everywhere. */
function belongsToTarget({ target }: KeyboardEvent, keys: string): boolean {
  if (!(target instanceof Element) || keys === 'Escape' || keys === 'Mod+S') return false
  if (target.closest('[role=menu], [data-own-keys], select, textarea, [contenteditable]') !== null) return true
  if (target instanceof HTMLInputElement)
    return target.type !== 'checkbox' && (target.type !== 'range' || keys.startsWith('Arrow'))
  return (keys === 'Enter' || keys === ' ') && target.closest('button, a, [role=button]') !== null
}
