import { beforeEach, expect, test } from 'bun:test'
import type { Entry } from '../server/queries/resources.ts'

const held = new Map<string, string>()
const events = new EventTarget()
Object.assign(globalThis, {
  window: events,
  addEventListener: events.addEventListener.bind(events),
  removeEventListener: events.removeEventListener.bind(events),
  localStorage: {
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
    removeItem: (key: string) => void held.delete(key),
  },
})
const { currentScope, endScope } = await import('../state/session-scope.ts')
const { clipboard } = await import('./clipboard.ts')
const { keepClipboard } = await import('./kept-clipboard.ts')

const key = 'filestead.my.clipboard'
const entry = (name: string) => ({ path: `/box/${name}`, name, isDir: false }) as Entry
const copyOf = (...names: string[]) => ({ kind: 'copy' as const, folder: '/box', entries: names.map(entry) })
/** What another tab has stored tells of itself. */
function storeElsewhere(text: string | null): void {
  if (text === null) held.delete(key)
  else held.set(key, text)
  events.dispatchEvent(Object.assign(new Event('storage'), { key }))
}

beforeEach(() => {
  held.clear()
  endScope('cut-off')
})

test('what is held outlives the page, and what was taken before it was loaded is newer', () => {
  held.set(key, JSON.stringify(copyOf('a')))
  keepClipboard()
  expect(clipboard.get()).toEqual(copyOf('a'))

  endScope('cut-off')
  clipboard.set(copyOf('b'))
  keepClipboard()
  expect(clipboard.get()).toEqual(copyOf('b'))
  expect(JSON.parse(held.get(key) ?? '')).toEqual(copyOf('b'))
})

test('other tabs hear of what is taken, and of what is pasted', () => {
  keepClipboard()
  clipboard.set(copyOf('a'))
  expect(JSON.parse(held.get(key) ?? '')).toEqual(copyOf('a'))
  storeElsewhere(JSON.stringify(copyOf('b')))
  expect(clipboard.get()).toEqual(copyOf('b'))
  storeElsewhere(null)
  expect(clipboard.get()).toBeNull()
})

test('a session that has ended neither writes nor hears any more', () => {
  keepClipboard(currentScope())
  clipboard.set(copyOf('a'))
  endScope('signed-out')
  held.clear()
  clipboard.set(copyOf('b'))
  expect(held.has(key)).toBe(false)
  storeElsewhere(JSON.stringify(copyOf('c')))
  expect(clipboard.get()).toEqual(copyOf('b'))
})

test('more than the storage should hold stays in the page, and takes the place of what was kept', () => {
  keepClipboard()
  clipboard.set(copyOf('a'))
  clipboard.set(copyOf(...Array.from({ length: 2001 }, (_, index) => String(index))))
  expect(held.has(key)).toBe(false)
  expect(clipboard.get()?.entries).toHaveLength(2001)
  held.set(key, 'no JSON')
  endScope('cut-off')
  keepClipboard()
  expect(clipboard.get()).toBeNull()
})
