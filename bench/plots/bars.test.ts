import { expect, test } from 'bun:test'
import { plotBars, wrap } from './bars.ts'
import { toInline } from './svg.ts'

const bar = { colour: 'other1', label: 'other 2×', tip: 'other: 2 ms' }
const plotOf = (width: number, ticks = [0.1, 1, 10]) =>
  plotBars(
    {
      title: 'Title',
      subtitle: 'Subtitle',
      groups: [
        {
          title: 'Work',
          detail: 'us: 1 ms',
          bars: [
            { ...bar, from: 1, to: 4 },
            { ...bar, from: 1, to: 0.25 },
          ],
        },
      ],
      range: [0.1, 10],
      ticks,
      toTick: String,
      base: 1,
    },
    width,
  )

test('bars to both sides begin at the base', () => {
  const svg = toInline(plotOf(1000))
  const bars = [...svg.matchAll(/class="bar" x="([\d.]+)" width="([\d.]+)"/g)].map(([, x, width]) => [
    Number(x),
    Number(width),
  ])
  const [right = [], left = []] = bars
  expect(left[1]).toBeCloseTo(right[1] ?? 0, 0)
  expect((left[0] ?? 0) + (left[1] ?? 0)).toBeCloseTo(right[0] ?? 0, 0)
})

test('a narrow plot has titles above their bars, so it is higher', () => {
  expect(plotOf(340).height).toBeGreaterThan(plotOf(1000).height)
})

test('the base has its label where there is no room for all', () => {
  const svg = toInline(plotOf(340, [0.1, 0.2, 0.5, 0.8, 0.9, 1, 1.1, 2, 5, 10]))
  expect(svg).toContain('>1</text>')
  expect(svg).not.toContain('>0.9</text>')
  expect(svg).not.toContain('>1.1</text>')
})

test('text is broken into lines that fit', () => {
  expect(wrap('one two three', 70)).toEqual(['one two', 'three'])
})
