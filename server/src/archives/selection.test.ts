import { expect, test } from 'bun:test'
import { parsePath } from '../storage/path.ts'
import { parseSelection, titleOf } from './selection.ts'

test.each([
  ['/', undefined, ['/'], '/', 'root'],
  ['/box', '', ['/box'], '/box', 'box'],
  ['/box', 'a.txt', ['/box/a.txt'], '/box/a.txt', 'a.txt'],
  ['/box', '/a.txt', ['/box/a.txt'], '/box/a.txt', 'a.txt'],
  ['/box', 'a,b', ['/box/a', '/box/b'], '/box', '_box'],
  ['/', 'a,b', ['/a', '/b'], '/', '_root'],
  ['/box', 'x/a,x/y/b', ['/box/x/a', '/box/x/y/b'], '/box/x', '_x'],
  ['/box', 'x,x y,x/z,x', ['/box/x', '/box/x y'], '/box', '_box'],
  ['/box', 'x,x/z', ['/box/x'], '/box/x', '_x'],
  ['/box', 'a%2Cb,c+d', ['/box/a,b', '/box/c+d'], '/box', '_box'],
])('parseSelection of %s with the list %j', (folder, list, paths, common, title) => {
  const selection = parseSelection(parsePath(folder), list)
  expect(selection).toMatchObject({ paths, common })
  expect(titleOf(selection, 'root')).toBe(title)
})

test.each(['..', '../x', 'a/%2e%2e/b', 'a,..', '%2e%2e%2fx', '%ff', 'a%00'])('parseSelection refuses %s', (list) => {
  expect(() => parseSelection(parsePath('/box'), list)).toThrow()
})

// Each name against each other would take minutes, and the runner gives up before.
test('parseSelection takes 200,000 names in one pass', () => {
  const list = Array.from({ length: 200_000 }, (_, index) => index).join()
  expect(parseSelection(parsePath('/box'), list).paths).toHaveLength(200_000)
})
