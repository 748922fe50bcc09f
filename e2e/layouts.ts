import type { Page } from '@playwright/test'

/** What a key says on a layout without Latin letters, and where it is. */
const cyrillic: Record<string, string> = { a: 'ф', c: 'с', v: 'м', x: 'ч', k: 'л', s: 'ы', f: 'а', m: 'ь', z: 'я' }

/** Presses the key at the place of a Latin letter, on a keyboard that writes Russian. */
export async function pressRussian(page: Page, letter: string, held: { ctrl?: boolean; shift?: boolean } = {}) {
  const key = cyrillic[letter] ?? ''
  const devtools = await page.context().newCDPSession(page)
  const event = {
    key: held.shift ? key.toUpperCase() : key,
    code: `Key${letter.toUpperCase()}`,
    windowsVirtualKeyCode: letter.toUpperCase().charCodeAt(0),
    modifiers: (held.ctrl ? 2 : 0) + (held.shift ? 8 : 0),
  }
  await devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...event })
  await devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event })
  await devtools.detach()
}
