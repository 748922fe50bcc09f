import { expect, test } from 'bun:test'
import { treeMove } from './tree-keys.ts'
import { treeRows } from './tree-rows.ts'

const names = (...all: string[]) => ({ names: all, error: null })
const known = new Map([
  ['/', names('a', 'b', 'c')],
  ['/b', names('x', 'y')],
  ['/c', names()],
])
/** a, b, b/x, b/y, c */
const rows = treeRows('/', new Set(['/', '/b']), known)
const press = (key: string, at: number, isRightToLeft = false, altKey = false) =>
  treeMove({ key, altKey, ctrlKey: false, metaKey: false, shiftKey: false }, rows, at, isRightToLeft)

test('arrows, Home and End move and stop at both ends', () => {
  expect(press('ArrowDown', -1)).toEqual({ kind: 'to', index: 0 })
  expect(press('ArrowDown', 4)).toEqual({ kind: 'to', index: 4 })
  expect(press('ArrowUp', 0)).toEqual({ kind: 'to', index: 0 })
  expect(press('End', 0)).toEqual({ kind: 'to', index: 4 })
  expect(press('Home', 3)).toEqual({ kind: 'to', index: 0 })
})

test('the arrow along the text opens, then goes in; the other one goes out, then closes', () => {
  expect(press('ArrowRight', 0)).toEqual({ kind: 'open', index: 0 })
  expect(press('ArrowRight', 1)).toEqual({ kind: 'to', index: 2 })
  expect(press('ArrowRight', 4)).toBeNull()
  expect(press('ArrowLeft', 3)).toEqual({ kind: 'to', index: 1 })
  expect(press('ArrowLeft', 1)).toEqual({ kind: 'close', index: 1 })
  expect(press('ArrowLeft', 0)).toBeNull()
})

test('in a language from right to left the arrows are the other way round', () => {
  expect(press('ArrowLeft', 0, true)).toEqual({ kind: 'open', index: 0 })
  expect(press('ArrowRight', 1, true)).toEqual({ kind: 'close', index: 1 })
})

test('keys of the browser and of the page are left alone', () => {
  expect(press('ArrowUp', 0, false, true)).toBeNull()
  expect(press('Escape', 0)).toBeNull()
  expect(press('Tab', 0)).toBeNull()
  expect(press('q', 0)).toEqual({ kind: 'type', text: 'q' })
})
