import { type RefObject, useEffect } from 'react'
import { isRightToLeft } from './direction.ts'

const controls = 'button, a[href]'

/**
 * Makes everything that can be pressed inside one stop of the Tab key; the arrows, Home and End move within. The
 * controls may come and go: Tab returns to the one that had the focus last.
 */
export function useRovingFocus(container: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = container.current
    if (element === null) return
    let current: Element | null = null

    const list = () => [...element.querySelectorAll<HTMLElement>(controls)].filter((control) => !isDisabled(control))

    function arrange() {
      const all = list()
      if (current === null || !all.includes(current as HTMLElement)) current = all[0] ?? null
      for (const control of all) control.tabIndex = control === current ? 0 : -1
    }

    function onFocusIn(event: FocusEvent) {
      const control = (event.target as Element).closest(controls)
      if (control === null || !element?.contains(control)) return
      current = control
      arrange()
    }

    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
      const all = list()
      const at = all.indexOf(event.target as HTMLElement)
      const to = at === -1 ? undefined : target(event.key, at, all.length)
      if (to === undefined) return
      event.preventDefault()
      all[to]?.focus()
    }

    arrange()
    const observer = new MutationObserver(arrange)
    observer.observe(element, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] })
    element.addEventListener('focusin', onFocusIn)
    element.addEventListener('keydown', onKeyDown)
    return () => {
      observer.disconnect()
      element.removeEventListener('focusin', onFocusIn)
      element.removeEventListener('keydown', onKeyDown)
    }
  }, [container])
}

function target(key: string, at: number, count: number): number | undefined {
  const isRtl = isRightToLeft()
  switch (key) {
    case 'ArrowRight':
      return (at + (isRtl ? count - 1 : 1)) % count
    case 'ArrowLeft':
      return (at + (isRtl ? 1 : count - 1)) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}

const isDisabled = (control: HTMLElement): boolean => control instanceof HTMLButtonElement && control.disabled
