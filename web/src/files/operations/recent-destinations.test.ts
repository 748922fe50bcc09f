import { expect, test } from 'bun:test'

const held = new Map<string, string>()
Object.assign(globalThis, {
  localStorage: {
    getItem: (key: string) => held.get(key) ?? null,
    setItem() {
      throw new DOMException('', 'QuotaExceededError')
    },
    removeItem: (key: string) => void held.delete(key),
  },
})
const { rememberDestination } = await import('./recent-destinations.ts')

test('a full storage keeps nothing from being moved to a folder', () => {
  rememberDestination('/box')
  expect(held.size).toBe(0)
})
