import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** One step of a locator: from the elements found so far to some inside of them. */
export interface Step {
  /** Without it: a field, by its label. */
  role?: string
  name?: string
  isExact?: boolean
}

/** How the one element looks that all steps lead to. */
export interface Found {
  count: number
  x: number
  y: number
  /** A click at that point would reach it, and it takes clicks. */
  isReady: boolean
  attribute: string | null
}

/** Roles and names as assistive technology hears them are computed by axe, which each document loads once. */
export const library: string = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Axe {
  setup(root: Element): void
  teardown(): void
  commons: {
    aria: { getRole(element: Element): string | null }
    dom: { isVisibleToScreenReaders(element: Element): boolean; isVisibleOnScreen(element: Element): boolean }
    text: { accessibleText(element: Element): string }
  }
}

/** Runs in the page. Answers null where the library is not loaded yet. */
export function search(steps: Step[], attribute: string | null): Found | null {
  const { axe } = window as unknown as { axe?: Axe }
  if (axe === undefined) return null
  const { aria, dom, text } = axe.commons

  function isNamed(element: Element, { name, isExact }: Step): boolean {
    if (name === undefined) return true
    const found = text.accessibleText(element)
    return isExact ? found === name : found.toLowerCase().includes(name.toLowerCase())
  }

  function isMeant(element: Element, step: Step): boolean {
    if (step.role !== undefined && aria.getRole(element) !== step.role) return false
    return isNamed(element, step) && dom.isVisibleToScreenReaders(element) && dom.isVisibleOnScreen(element)
  }

  axe.setup(document.documentElement)
  try {
    let found: Element[] = [document.documentElement]
    for (const step of steps) {
      const inside = found.flatMap((each) => [...each.querySelectorAll(step.role === undefined ? 'input' : '*')])
      found = [...new Set(inside)].filter((element) => isMeant(element, step))
    }
    const [first] = found
    if (first === undefined) return { count: 0, x: 0, y: 0, isReady: false, attribute: null }
    first.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' })
    const { left, top, width, height } = first.getBoundingClientRect()
    const x = Math.round(left + width / 2)
    const y = Math.round(top + height / 2)
    const isReady = first.contains(document.elementFromPoint(x, y)) && !first.matches(':disabled')
    const value = attribute === null ? null : first.getAttribute(attribute)
    return { count: found.length, x, y, isReady, attribute: value }
  } finally {
    axe.teardown()
  }
}
