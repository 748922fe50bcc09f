import { expect, test } from 'bun:test'
import { type Layout, layOut, type Measures } from './layout.ts'

const measures: Measures = { mode: 'mosaic', width: 1168, folders: 6, files: 11, rowHeight: 40, isNarrow: false }

const all = (layout: Layout) => Array.from({ length: layout.lineCount }, (_, line) => layout.line(line))

test('a list has one line per entry', () => {
  const layout = layOut({ ...measures, mode: 'list' })
  expect(layout.lineCount).toBe(17)
  expect(layout.height).toBe(17 * 40)
  expect(layout.boxOf(3)).toEqual({ x: 0, y: 120, width: 1168, height: 40 })
  expect(layout.lineOf(16)).toBe(16)
  expect(layout.headings).toEqual([])
})

test('tiles stand in groups with a heading each, as many in a line as fit', () => {
  const layout = layOut(measures)
  expect(all(layout).map(({ start, end }) => [start, end])).toEqual([
    [0, 0],
    [0, 4],
    [4, 6],
    [6, 6],
    [6, 10],
    [10, 14],
    [14, 17],
  ])
  expect(layout.headings.map(({ group, count }) => [group, count])).toEqual([
    ['folders', 6],
    ['files', 11],
  ])
  expect(layout.boxOf(5)).toMatchObject({ x: 294, y: 48 + 68 })
  expect(layout.boxOf(6)).toMatchObject({ x: 0, y: 48 + 2 * 68 + 48 })
})

test.each(['list', 'mosaic', 'mosaic gallery'] as const)('in %s lines, sizes and boxes agree', (mode) => {
  for (const width of [360, 700, 1168, 2400]) {
    const layout = layOut({ ...measures, mode, width, isNarrow: width < 500 })
    let top = 0
    let next = 0
    for (let line = 0; line < layout.lineCount; line += 1) {
      const { start, end } = layout.line(line)
      for (let index = start; index < end; index += 1) {
        expect(index).toBe(next)
        expect(layout.lineOf(index)).toBe(line)
        expect(layout.boxOf(index).y).toBeCloseTo(top)
        expect(layout.boxOf(index).x + layout.boxOf(index).width).toBeLessThanOrEqual(width + 0.01)
        next += 1
      }
      top += layout.lineSize(line)
    }
    expect(next).toBe(17)
    expect(top).toBeCloseTo(layout.height)
  }
})

test('a group that is empty has no heading', () => {
  expect(layOut({ ...measures, folders: 0 }).headings.map(({ group }) => group)).toEqual(['files'])
  expect(layOut({ ...measures, files: 0 }).lineCount).toBe(3)
  expect(layOut({ ...measures, folders: 0, files: 0 })).toMatchObject({ lineCount: 0, height: 0 })
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

test('a phone gets a contact sheet of three squares', () => {
  const layout = layOut({ ...measures, mode: 'mosaic gallery', width: 390, isNarrow: true })
  expect([6, 7, 8, 9].map((index) => layout.boxOf(index).y === layout.boxOf(6).y)).toEqual([true, true, true, false])
  const { width, height } = layout.boxOf(6)
  expect(width).toBeCloseTo(height)
})
