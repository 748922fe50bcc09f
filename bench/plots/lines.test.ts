import { expect, test } from 'bun:test'
import type { CurveResult } from '../curves/curve.ts'
import { pathOf, plotLines } from './lines.ts'
import { toInline } from './svg.ts'

test('the path of a curve is one move and then lines', () => {
  const points = [
    { size: 1, ms: 2 },
    { size: 10, ms: 4 },
  ]
  const times10 = (value: number) => value * 10
  expect(pathOf(points, times10, times10)).toBe('M10 20L100 40')
})

const curve: CurveResult = {
  name: 'listing',
  title: 'Listing',
  axis: 'entries',
  lines: [
    { name: 'ls -lU', isTool: true, points: [{ size: 100, ms: 2 }] },
    {
      name: 'us',
      isTool: false,
      points: [
        { size: 100, ms: 3 },
        { size: 1000, ms: 9 },
      ],
    },
    {
      name: '<b>other',
      isTool: false,
      points: [
        { size: 100, ms: 3 },
        { size: 1000, ms: 9 },
      ],
    },
    { name: 'failed', isTool: false, points: [] },
  ],
}

test('every line has its name at its end, and one without points has neither', () => {
  const svg = toInline(plotLines(curve, ['us', '<b>other', 'failed'], 400))
  for (const name of ['ls -lU', 'us', '&#60;b&#62;other']) expect(svg).toContain(`class="named">${name}</text>`)
  expect(svg).not.toContain('failed')
  expect(svg).not.toContain('NaN')
})
