import { expect, test } from 'bun:test'
import type { NamedMediaFacts } from '@filestead/contract'
import type { Entry } from '../../server/queries/resources.ts'
import { formatLength, justify, keepInView, layOutGallery, openGallery, partLength } from './gallery.ts'
import type { Layout } from './layout.ts'

let folder = 0

/** A folder of its own for each test: shapes are remembered by path. */
function photos(count: number, { folders = 0, type = 'image' as Entry['type'] } = {}): Entry[] {
  folder += 1
  const entry = (name: string, isDir: boolean) =>
    ({ name, path: `/${folder}/${name}`, modified: '2026-01-01T00:00:00Z', isDir, type, size: 1 }) as Entry
  return [
    ...Array.from({ length: folders }, (_, at) => entry(`folder ${at}`, true)),
    ...Array.from({ length: count }, (_, at) => entry(`${at}.jpg`, false)),
  ]
}

const measured = (entries: readonly Entry[], width = 1168, isNarrow = false): Layout => {
  const folders = entries.filter(({ isDir }) => isDir).length
  const files = entries.length - folders
  return layOutGallery({ mode: 'mosaic gallery', width, folders, files, rowHeight: 40, isNarrow }, entries)
}

/** Answers with these shapes, and waits until they have arrived. */
async function tell(entries: readonly Entry[], from: number, facts: (name: string) => Partial<NamedMediaFacts> | null) {
  const asked: (readonly string[])[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const gallery = openGallery(async (names) => {
    asked.push(names)
    return names.flatMap((name) => {
      const found = facts(name)
      return found === null ? [] : [{ name, width: 3, height: 2, ...found }]
    })
  }, resolve)
  gallery.want(entries, from, from)
  await promise
  await Bun.sleep(0)
  gallery.stop()
  return asked
}

const room = { width: 1000, gap: 10, height: 200 }

test('rows fill the width, at about the height wanted, and the last one may end before the edge', () => {
  const ratios = Array.from({ length: 250 }, (_, at) => [1.5, 0.67, 1.78, 1, 2.4][at % 5] ?? 1)
  const rows = justify(ratios, room)
  expect(rows.map(({ start }) => start)).toEqual([0, ...rows.slice(0, -1).map(({ end }) => end)])
  for (const { start, end, height } of rows.slice(0, -1)) {
    const width = ratios.slice(start, end).reduce((sum, ratio) => sum + ratio * height, room.gap * (end - start - 1))
    expect(width).toBeCloseTo(room.width)
    expect(height).toBeGreaterThan(140)
    expect(height).toBeLessThan(280)
  }
  expect(rows.at(-1)).toMatchObject({ end: 250 })
  expect(rows.at(-1)?.height).toBeLessThanOrEqual(205)
})

test('one picture is not stretched to the whole width', () => {
  expect(justify([0.67], room)).toEqual([{ start: 0, end: 1, height: 200, top: 0 }])
})

test.each([390, 768, 1168, 2400])('at a width of %p boxes follow one another without touching', (width) => {
  const entries = photos(200, { folders: 5 })
  const layout = measured(entries, width, width < 500)
  for (let index = 1; index < layout.count; index += 1) {
    const [last, box] = [layout.boxOf(index - 1), layout.boxOf(index)]
    expect(box.x + box.width).toBeLessThanOrEqual(width + 0.01)
    const isSameLine = layout.lineOf(index) === layout.lineOf(index - 1)
    expect(isSameLine ? box.y === last.y && box.x > last.x + last.width : box.y > last.y).toBe(true)
  }
  const all = layout.touching({ x: 0, y: 0, width, height: layout.height })
  expect(all.flatMap(([from, to]) => Array.from({ length: to - from }, (_, at) => from + at))).toEqual([
    ...entries.keys(),
  ])
})

test('pictures keep their shape once it is known; one that is far too wide is shown whole', async () => {
  const entries = photos(3)
  await tell(entries, 0, (name) =>
    name === '1.jpg' ? { width: 1, height: 2 } : name === '2.jpg' ? { width: 9, height: 1 } : {},
  )
  const layout = measured(entries)
  const ratio = (index: number) => layout.boxOf(index).width / (layout.boxOf(index).height - 34)
  expect([ratio(0), ratio(1), ratio(2)].map((value) => value.toFixed(2))).toEqual(['1.50', '0.50', '4.00'])
  expect([0, 1, 2].map((index) => layout.photo?.(index)?.isWhole)).toEqual([false, false, true])
})

test('parts are asked for when they come near, and once; what becomes known above moves a part as a whole', async () => {
  const entries = photos(5 * partLength)
  const far = 4 * partLength
  expect((await tell(entries, far, () => ({}))).map((names) => names[0])).toEqual([`${far}.jpg`])
  const before = measured(entries)
  expect([0, far].map((index) => before.photo?.(index)?.isKnown)).toEqual([false, true])
  const asked = await tell(entries, 0, () => ({ width: 1, height: 1 }))
  expect(asked.flat()).toHaveLength(2 * partLength)
  const after = measured(entries)
  const moved = after.boxOf(far).y - before.boxOf(far).y
  expect(moved).not.toBe(0)
  for (let index = far; index < entries.length; index += 1) {
    const { y, ...box } = before.boxOf(index)
    expect(after.boxOf(index)).toEqual({ ...box, y: y + moved })
  }
  const scroller = { scrollTop: before.boxOf(far).y + 7 } as HTMLElement
  keepInView(scroller, before, after)
  expect(scroller.scrollTop).toBeCloseTo(after.boxOf(far).y + 7)
})

test('a part whose shapes cannot be told counts as known', async () => {
  const entries = photos(2)
  await tell(entries, 0, () => null)
  expect(measured(entries).photo?.(1)?.isKnown).toBe(true)
})

test('after a failure pictures have a usual shape, and the next gallery asks again', async () => {
  const entries = photos(2)
  const { promise, resolve } = Promise.withResolvers<void>()
  const gallery = openGallery(async () => {
    throw new Error('no connection')
  }, resolve)
  gallery.want(entries, 0, 0)
  await promise
  expect(measured(entries).photo?.(0)?.isKnown).toBe(true)
  gallery.stop()
  expect((await tell(entries, 0, () => ({}))).flat()).toEqual(['0.jpg', '1.jpg'])
})

test('films tell their length', async () => {
  const entries = photos(1, { type: 'video' })
  await tell(entries, 0, () => ({ duration: 34.4 }))
  expect(measured(entries).photo?.(0)?.length).toBe('0:34')
  expect([59.6, 61, 3725].map(formatLength)).toEqual(['1:00', '1:01', '1:02:05'])
})

test('up and down go to the picture that is nearest, also between folders and pictures', () => {
  const layout = measured(photos(40, { folders: 7 }))
  const below = layout.neighbour(6, 1)
  expect(below).toBeGreaterThanOrEqual(7)
  expect(layout.lineOf(below)).toBe(layout.lineOf(7))
  expect(layout.neighbour(below, -1)).toBeLessThan(7)
  expect(layout.neighbour(46, 1)).toBe(46)
  for (let index = 7; index < 40; index += 1) {
    const next = layout.neighbour(index, 1)
    if (next !== index) expect(layout.lineOf(next)).toBe(layout.lineOf(index) + 1)
  }
})

test('what is seen stays while further pictures arrive, and nothing is shown before anything is known', async () => {
  const entries = photos(10)
  const isShown = () => measured(entries).photo?.(0)?.isKnown
  expect(isShown()).toBe(false)
  await tell(entries.slice(0, 2), 0, () => ({}))
  expect(isShown()).toBe(true)
})
