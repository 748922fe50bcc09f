import { useEffect, useRef } from 'react'
import { isAsking } from '../dialogs/ask.ts'
import { isComposing, pressedKey } from '../ui/pressed-key.ts'
import { workspace } from '../workspace/workspace.ts'
import type { Command, KeyBinding } from './command.ts'
import { allCommands, run } from './registry.ts'

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

/** Keys of a component while it is mounted, wherever the focus is, except in a dialog, a menu or a field. */
export function useKeys(keys: Keys, { level = 'front', isOn = true }: KeysOptions = {}): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    if (!isOn) return
    const layer = { level, keys: () => latest.current }
    layers.push(layer)
    return () => void layers.splice(layers.indexOf(layer), 1)
  }, [level, isOn])
}

/** The one listener for keys of the whole page: first the components' own, then the commands'. */
export function useKeyboard(): void {
  useEffect(() => {
    const ending = new AbortController()
    const paste = new PasteKeys()
    window.addEventListener('keydown', (event) => onKeyDown(event, paste), { signal: ending.signal })
    document.addEventListener('paste', (event) => paste.onPaste(event), { signal: ending.signal })
    return () => ending.abort()
  }, [])
}

function onKeyDown(event: KeyboardEvent, paste: PasteKeys): void {
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
  const found = commandFor(keys, event)
  if (found === undefined) return
  if (found.binding.event === 'paste' && event.isTrusted) {
    paste.onKeys(found.command)
    return
  }
  event.preventDefault()
  void run(found.command)
}

/** How long after its keys the event of the browser may come. Some browsers send none where nothing can be edited. */
const pasteDelay = 300

/**
 * Pasting begins with the browser's event, which tells what is on the system's clipboard: files there are uploaded, and
 * are not the business of a command.
 */
class PasteKeys {
  #waiting: ReturnType<typeof setTimeout> | undefined

  onKeys(command: Command): void {
    clearTimeout(this.#waiting)
    this.#waiting = setTimeout(() => void run(command), pasteDelay)
  }

  onPaste(event: ClipboardEvent): void {
    clearTimeout(this.#waiting)
    const hasFiles = [...(event.clipboardData?.items ?? [])].some(({ kind }) => kind === 'file')
    if (event.defaultPrevented || hasFiles || isAsking() || isTextField(event.target)) return
    const found = boundTo(({ event: name }) => name === 'paste')
    if (found === undefined) return
    event.preventDefault()
    void run(found.command)
  }
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

function commandFor(keys: string, event: KeyboardEvent): BoundCommand | undefined {
  if (isTyping(event, keys) || isCopyingText(keys)) return undefined
  return boundTo((binding) => binding.context === undefined && binding.keys === keys)
}

interface BoundCommand {
  command: Command
  binding: KeyBinding
}

/** The first command that is offered and has such a binding. */
function boundTo(isMeant: (binding: KeyBinding) => boolean): BoundCommand | undefined {
  const now = workspace()
  for (const command of allCommands()) {
    const binding = command.keys?.find(isMeant)
    if (binding !== undefined && command.when(now)) return { command, binding }
  }
  return undefined
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

/** In a field most keys belong to the text. Function keys do not, nor does what a text knows no meaning for. */
const isTyping = ({ target, key }: KeyboardEvent, keys: string): boolean =>
  !/^F\d+$/.test(key) && keys !== 'Mod+Shift+F' && isTextField(target)

function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type)
}

/** Words that are selected on the page are copied by the browser. */
const isCopyingText = (keys: string): boolean =>
  ['Mod+C', 'Mod+X'].includes(keys) && getSelection()?.isCollapsed === false

const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** 'Mod+Shift+F' as it is printed on the keyboard: Ctrl+Shift+F, on a Mac ⇧⌘F. */
export function shownKeys(keys: string, onMac = isMac): string {
  const parts = keys === '+' ? ['+'] : keys.split('+')
  if (!onMac) return parts.map((part) => (part === 'Mod' ? 'Ctrl' : part)).join('+')
  const place = (part: string) => macOrder.indexOf(part)
  const modifiers = parts.filter((part) => place(part) !== -1).toSorted((a, b) => place(a) - place(b))
  return [...modifiers, ...parts.filter((part) => place(part) === -1)].map((part) => macSigns[part] ?? part).join('')
}

/** The order in which a Mac writes modifiers. */
const macOrder = ['Alt', 'Shift', 'Mod']
const macSigns: Record<string, string> = { Mod: '⌘', Shift: '⇧', Alt: '⌥', Delete: '⌦', Enter: '↩' }

/** What is shown beside the label of a command; undefined where it has no keys. */
export const hintOf = ({ keys }: Command): string | undefined => keys?.[0] && shownKeys(keys[0].keys)
