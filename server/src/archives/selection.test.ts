import { expect, test } from 'bun:test'
import { parsePath } from '../storage/path.ts'
import { parseSelection, selectionOf, titleOf } from './selection.ts'

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
])('parseSelection of %s with the list %j', async (folder, list, paths, common, title) => {
  const selection = await parseSelection(parsePath(folder), list)
  expect(selection).toMatchObject({ paths, common })
  expect(titleOf(selection, 'root')).toBe(title)
})

test.each(['..', '../x', 'a/%2e%2e/b', 'a,..', '%2e%2e%2fx', '%ff', 'a%00'])(
  'parseSelection refuses %s',
  async (list) => {
    await expect(parseSelection(parsePath('/box'), list)).rejects.toThrow()
  },
)

// Each name against each other would take minutes, and the runner gives up before.
test('parseSelection takes 200,000 names in one pass', async () => {
  const list = Array.from({ length: 200_000 }, (_, index) => index).join()
  expect((await parseSelection(parsePath('/box'), list)).paths).toHaveLength(200_000)
})

test('others are served while those of ten thousand long paths are left out that lie below another', async () => {
  const paths = Array.from({ length: 10_000 }, (_, index) => parsePath(`/${'x/'.repeat(390)}${index}`))
  let served = 0
  const count = () => {
    served += 1
    if (served < 1000) setImmediate(count)
  }
  setImmediate(count)
  const selection = await selectionOf([...paths, parsePath(`${paths[0]}/below`)])
  expect([selection.paths.length, selection.common]).toEqual([10_000, parsePath('/x'.repeat(390))])
  expect(served).toBeGreaterThan(1)
})
