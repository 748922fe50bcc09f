import { expect, test } from 'bun:test'
import { type Layout, layOut, type Measures } from './layout.ts'

const measures: Measures = { mode: 'mosaic', width: 1168, folders: 6, files: 11, rowHeight: 40, isNarrow: false }

const everywhere = { x: 0, y: 0, width: Number.MAX_SAFE_INTEGER, height: Number.MAX_SAFE_INTEGER }
const linesOf = (layout: Layout) => Array.from({ length: layout.count }, (_, index) => layout.lineOf(index))

test('a list has one line per entry', () => {
  const layout = layOut({ ...measures, mode: 'list' })
  expect(layout.count).toBe(17)
  expect(layout.height).toBe(17 * 40)
  expect(layout.boxOf(3)).toEqual({ x: 0, y: 120, width: 1168, height: 40 })
  expect(layout.lineOf(16)).toBe(16)
  expect(layout.headings).toEqual([])
})

test('tiles stand in groups with a heading each, as many in a line as fit', () => {
  const layout = layOut(measures)
  expect(linesOf(layout)).toEqual([1, 1, 1, 1, 2, 2, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6])
  expect(layout.headings.map(({ group, count }) => [group, count])).toEqual([
    ['folders', 6],
    ['files', 11],
  ])
  expect(layout.boxOf(5)).toMatchObject({ x: 294, y: 48 + 68 })
  expect(layout.boxOf(6)).toMatchObject({ x: 0, y: 48 + 2 * 68 + 48 })
})

test.each(['list', 'mosaic'] as const)('in %s boxes follow one another within the sheet', (mode) => {
  for (const width of [360, 700, 1168, 2400]) {
    const layout = layOut({ ...measures, mode, width, isNarrow: width < 500 })
    for (let index = 0; index < layout.count; index += 1) {
      const [box, last] = [layout.boxOf(index), layout.boxOf(Math.max(index - 1, 0))]
      expect(box.x + box.width).toBeLessThanOrEqual(width + 0.01)
      expect(box.y + box.height).toBeLessThanOrEqual(layout.height + 0.01)
      if (index === 0) continue
      const isSameLine = layout.lineOf(index) === layout.lineOf(index - 1)
      expect(isSameLine ? box.y === last.y && box.x >= last.x + last.width : box.y >= last.y + last.height).toBe(true)
    }
  }
})

test('a viewport is touched by the entries in it alone, in their order, however many there are', () => {
  const large = { ...measures, mode: 'list' as const, folders: 0, files: 100_000 }
  expect(layOut(large).touching({ ...everywhere, y: 2_000_010, height: 100 })).toEqual([[50_000, 50_003]])
  const tiles = layOut(measures)
  expect(tiles.touching(everywhere).flat()).toEqual([0, 4, 4, 6, 6, 10, 10, 14, 14, 17])
})

test('a tablet has two columns of tiles beside its sidebar', () => {
  expect(layOut({ ...measures, width: 564 }).boxOf(1).y).toBe(48)
})

test('a group that is empty has no heading', () => {
  expect(layOut({ ...measures, folders: 0 }).headings.map(({ group }) => group)).toEqual(['files'])
  expect(layOut({ ...measures, files: 0 }).headings.map(({ group }) => group)).toEqual(['folders'])
  expect(layOut({ ...measures, folders: 0, files: 0 })).toMatchObject({ count: 0, height: 0 })
})

test('up and down go by sight, past headings, and stop at the edges', () => {
  const layout = layOut(measures)
  expect(layout.neighbour(1, 1)).toBe(5)
  expect(layout.neighbour(3, 1)).toBe(5)
  expect(layout.neighbour(5, 1)).toBe(7)
  expect(layout.neighbour(7, -1)).toBe(5)
  expect(layout.neighbour(2, -1)).toBe(2)
  expect(layout.neighbour(16, 1)).toBe(16)
})

test('a band touches what it covers, however little', () => {
  const layout = layOut(measures)
  expect(layout.touching({ x: 0, y: 0, width: 10, height: 47 })).toEqual([])
  expect(layout.touching({ x: 10, y: 60, width: 300, height: 5 })).toEqual([[0, 2]])
  expect(layout.touching({ x: 0, y: 0, width: 2000, height: 5000 }).flatMap(([a, b]) => b - a)).toEqual([4, 2, 4, 4, 3])
  const list = layOut({ ...measures, mode: 'list' })
  expect(list.touching({ x: 5, y: 41, width: 1, height: 100 })).toEqual([[1, 4]])
  expect(list.touching({ x: 5, y: 9000, width: 1, height: 100 })).toEqual([])
})
