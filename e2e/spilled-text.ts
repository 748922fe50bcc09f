import type { Page } from '@playwright/test'

/**
 * Text that is cut off or sticks out: of its button, of a box that hides what is too much, or of the window.
 * What can be scrolled to is not lost. Names of files and people, times and code are exempt: they are as long as they
 * are, and are shortened on purpose.
 */
export function findSpilledText(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const exempt = 'bdi, time, code, pre, textarea, script, style, noscript, svg, [hidden], option'
    const controls =
      'button, [role="tab"], [role="menuitem"], [role="option"], th, [role="columnheader"], label, h1, h2, h3'
    const found: string[] = []

    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement
      if (parent === null || node.nodeValue?.trim() === '' || parent.closest(exempt) !== null) continue
      if (!parent.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || isForEarsOnly(parent))
        continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const rect of range.getClientRects()) {
        const problem = rect.width === 0 ? null : problemOf(rect, parent)
        if (problem === null) continue
        found.push(`“${node.nodeValue?.trim()}” ${problem}`)
        break
      }
    }
    const { scrollWidth } = document.documentElement
    if (scrollWidth > innerWidth) found.push(`The page is ${scrollWidth} px wide in a window of ${innerWidth}`)
    return found

    function problemOf(text: DOMRect, parent: Element): string | null {
      const control = parent.closest(controls)
      if (control !== null && !isWithin(text, control.getBoundingClientRect(), true))
        return `sticks out of its ${control.getAttribute('role') ?? control.tagName.toLowerCase()}`
      let mayScrollAside = false
      let mayScroll = false
      for (
        let box: Element | null = parent;
        box !== null && box !== document.documentElement;
        box = box.parentElement
      ) {
        const { overflowX, overflowY, display, position } = getComputedStyle(box)
        if (display === 'inline') continue
        const edges = box.getBoundingClientRect()
        const hides = (how: string) => how === 'hidden' || how === 'clip'
        if (!mayScrollAside && hides(overflowX) && !isWithin(text, edges, true)) return 'is cut off at the side'
        if (!mayScroll && hides(overflowY) && !isWithin(text, edges, false)) return 'is cut off above or below'
        if (/auto|scroll/.test(overflowX) && box.scrollWidth > box.clientWidth) mayScrollAside = true
        if (/auto|scroll/.test(overflowY)) mayScroll = true
        if (position === 'fixed') break
      }
      return mayScrollAside || (text.left > -1 && text.right < innerWidth + 1) ? null : 'leaves the window'
    }

    function isWithin(inner: DOMRect, outer: DOMRect, isAside: boolean): boolean {
      // Rounding, and lines that are a little taller than their letters.
      return isAside
        ? inner.left > outer.left - 1 && inner.right < outer.right + 1
        : inner.top > outer.top - 3 && inner.bottom < outer.bottom + 3
    }

    function isForEarsOnly(element: Element): boolean {
      for (let box: Element | null = element; box !== null; box = box.parentElement) {
        if (getComputedStyle(box).clipPath !== 'none') return true
      }
      return false
    }
  })
}
