import { useEffect, useState } from 'react'
import { isAsking } from '../dialogs/ask.ts'
import { workspace } from '../workspace/workspace.ts'
import type { Command, KeyBinding } from './command.ts'
import type { OtherKeys } from './keyboard.ts'
import { allCommands, run, untilComplete } from './registry.ts'

/** Runs the commands whose keys are pressed. For the frame around the files: the page of a link has no commands. */
export function useCommandKeys(): OtherKeys {
  const [paste] = useState(() => new PasteKeys())
  const [runCommand] = useState(() => (keys: string, event: KeyboardEvent) => {
    const found = commandFor(keys, event)
    // Perhaps a command that is being loaded.
    if (found === undefined) return void untilComplete()?.then(() => runLate(keys, event))
    if (found.binding.event === 'paste' && event.isTrusted) return paste.onKeys(found.command)
    event.preventDefault()
    void run(found.command)
  })
  useEffect(() => {
    const listen = (event: ClipboardEvent) => paste.onPaste(event)
    document.addEventListener('paste', listen)
    return () => document.removeEventListener('paste', listen)
  }, [paste])
  return runCommand
}

function runLate(keys: string, event: KeyboardEvent): void {
  const found = isAsking() ? undefined : commandFor(keys, event)
  if (found !== undefined) void run(found.command)
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
  const parts = keys === '+' ? ['+'] : keys.split('+').map((part) => (part.length === 1 ? part.toUpperCase() : part))
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
