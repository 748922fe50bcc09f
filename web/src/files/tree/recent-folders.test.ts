import { beforeEach, expect, test } from 'bun:test'

const held = new Map<string, string>()
let isFull = false
Object.assign(globalThis, {
  localStorage: {
    getItem: (key: string) => held.get(key) ?? null,
    setItem(key: string, value: string) {
      if (isFull) throw new DOMException('', 'QuotaExceededError')
      held.set(key, value)
    },
    removeItem: (key: string) => void held.delete(key),
  },
})
const { currentScope, endScope } = await import('../../state/session-scope.ts')
const { forgetFolder, rememberFolder } = await import('./recent-folders.ts')
const { rememberDestination } = await import('../operations/recent-destinations.ts')

const key = 'filestead.my.recent-folders'

beforeEach(() => {
  isFull = false
  held.clear()
  endScope('cut-off')
})

test('a full storage keeps no folder from being opened, left, or moved to', () => {
  isFull = true
  rememberFolder('/box', currentScope())
  forgetFolder('/box')
  rememberDestination('/box')
  expect(held.size).toBe(0)
})

test('a folder that the last session has looked at is not among those of the next one', () => {
  const last = currentScope()
  rememberFolder('/a', last)
  expect(held.get(key)).toBe('["/a"]')
  held.clear()
  endScope('cut-off')
  rememberFolder('/b', last)
  expect(held.size).toBe(0)
})
