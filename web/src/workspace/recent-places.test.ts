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
const { currentScope, endScope } = await import('../state/session-scope.ts')
const { forgetPlace, recentPlaces, rememberPlace } = await import('./recent-places.ts')

const key = 'filestead.my.recent-places'

beforeEach(() => {
  isFull = false
  held.clear()
  endScope('cut-off')
})

const folder = (path: string) => ({ path, isDir: true })

test('a full storage keeps no folder from being opened or left', () => {
  isFull = true
  rememberPlace(folder('/box'), currentScope())
  forgetPlace('/box')
  expect(held.size).toBe(0)
})

test('a folder that is gone takes along what was opened in it', () => {
  for (const path of ['/box', '/box/in', '/boxes']) rememberPlace(folder(path), currentScope())
  rememberPlace({ path: '/box/a.txt', isDir: false }, currentScope())
  forgetPlace('/box')
  expect(recentPlaces()).toEqual([folder('/boxes')])
})

test('a folder that the last session has looked at is not among those of the next one', () => {
  const last = currentScope()
  rememberPlace(folder('/a'), last)
  expect(held.get(key)).toBe('[{"path":"/a","isDir":true}]')
  held.clear()
  endScope('cut-off')
  rememberPlace(folder('/b'), last)
  expect(held.size).toBe(0)
})
