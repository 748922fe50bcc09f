import { useEffect } from 'react'
import { currentPlace } from '../place/place.ts'
import { isAsking } from '../prompts/prompts.ts'
import { pressedKey } from '../ui/pressed-key.ts'
import { allActions, perform } from './registry.ts'

const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** 'Mod+Shift+F' as the keyboard in front of the person writes it. */
export function shownShortcut(shortcut: string): string {
  const parts = shortcut.split('+')
  if (!isMac) return parts.map((part) => (part === 'Mod' ? 'Ctrl' : part)).join('+')
  return parts.map((part) => macSigns[part] ?? part).join('')
}

const macSigns: Record<string, string> = { Mod: '⌘', Shift: '⇧', Alt: '⌥', Delete: '⌦' }

/** Does the event mean this shortcut? Letters count whatever Caps Lock says, and in whatever alphabet the layout writes. */
export function isShortcut(event: KeyboardEvent, shortcut: string): boolean {
  const parts = shortcut.split('+')
  const key = parts.at(-1) ?? ''
  return (
    pressedKey(event).toLowerCase() === key.toLowerCase() &&
    (event.ctrlKey || event.metaKey) === parts.includes('Mod') &&
    event.shiftKey === parts.includes('Shift') &&
    event.altKey === parts.includes('Alt')
  )
}

/** Listens for every action's shortcut, except while a question is open or text is being typed. */
export function useShortcuts(): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || isAsking() || isTyping(event) || isForText(event)) return
      const place = currentPlace()
      const action = allActions().find(
        ({ shortcut, otherShortcut, isAvailable }) =>
          [shortcut, otherShortcut].some((keys) => keys !== undefined && isShortcut(event, keys)) && isAvailable(place),
      )
      if (action === undefined) return
      event.preventDefault()
      void perform(action)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}

/** In a field most keys belong to the text. Function keys do not, nor does what a text knows no meaning for. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.target
  if (!(target instanceof HTMLElement) || /^F\d+$/.test(event.key) || isShortcut(event, 'Mod+Shift+F')) return false
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type)
}

/** Who has selected words on the page wants to copy those. */
function isForText(event: KeyboardEvent): boolean {
  const isCopying = isShortcut(event, 'Mod+C') || isShortcut(event, 'Mod+X')
  return isCopying && getSelection()?.isCollapsed === false
}
