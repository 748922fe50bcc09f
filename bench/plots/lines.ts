import type { CurveResult, Line } from '../curves/curve.ts'
import { logScale, rangeAround, thinOut, ticksWithin } from './log-scale.ts'
import { spread } from './spread.ts'
import { element, label, type Plot, round, tip } from './svg.ts'
import { colourOf } from './theme.ts'
import { toDuration, toSize } from './words.ts'

const LEFT = 58
/** Of a character of a name, on average. */
const NAME_WIDTH = 7.3
const TOP = 56
const BOTTOM = 44
const LABEL_HEIGHT = 15

const axisNames = { entries: 'entries in the folder', bytes: 'size of the file', clients: 'clients at once' }

/** Cost against size, both in equal factors; every line has its name at its end. */
export function plotLines({ title, axis, lines }: CurveResult, peers: readonly string[], width: number): Plot {
  const height = width < 420 ? 340 : 380
  const shown = lines.filter(({ points }) => points.length > 0)
  const all = shown.flatMap(({ points }) => points)
  const sizes = [...new Set(all.map(({ size }) => size))].sort((a, b) => a - b)
  const range = rangeAround(all.map(({ ms }) => ms))
  const ticks = ticksWithin(range)
  const right = 20 + NAME_WIDTH * Math.max(...shown.map(({ name }) => name.length), 0)
  const x = logScale([sizes[0] ?? 1, sizes.at(-1) ?? 10], [LEFT + 8, width - right - 8])
  const y = logScale(range, [height - BOTTOM, TOP])
  // The largest size has its name in any case.
  const named = thinOut(sizes.toReversed(), x, axis === 'bytes' ? 52 : 62)

  const marks = [
    label(0, 15, title, { class: 'title' }),
    label(0, 34, `time by ${axisNames[axis]}; lower is better`, { class: 'soft' }),
    ...ticks.flatMap((tick) => [
      element('line', { class: 'rule', x1: LEFT, x2: width - right, y1: y(tick), y2: y(tick) }),
      label(LEFT - 8, y(tick) + 4, toDuration(tick), { class: 'soft', 'text-anchor': 'end' }),
    ]),
    ...named.map((size) =>
      label(x(size), height - BOTTOM + 20, toSize(size, axis), { class: 'soft', 'text-anchor': 'middle' }),
    ),
  ]
  // The one that the plot is about is drawn last, over the others.
  const byWeight = shown.toSorted((a, b) => weightOf(a, peers) - weightOf(b, peers))
  for (const line of byWeight) marks.push(drawLine(line, peers, x, y, axis))
  return {
    title: `${title}: time by ${axisNames[axis]}`,
    width,
    height,
    marks: [...marks, ...nameLines(shown, peers, { x, y, right: width - right, height })],
  }
}

type Position = (value: number) => number

function weightOf({ name }: Line, peers: readonly string[]): number {
  return name === peers[0] ? 1 : 0
}

/** The path of a curve: a move, then lines. */
export function pathOf(points: Line['points'], x: Position, y: Position): string {
  return points.map(({ size, ms }, index) => `${index === 0 ? 'M' : 'L'}${round(x(size))} ${round(y(ms))}`).join('')
}

function drawLine(
  { name, points }: Line,
  peers: readonly string[],
  x: Position,
  y: Position,
  axis: CurveResult['axis'],
) {
  const dots = points.map(({ size, ms }) =>
    element('circle', { class: 'dot', cx: x(size), cy: y(ms), r: name === peers[0] ? 4 : 3 }, [
      tip(`${name}: ${toDuration(ms)} at ${toSize(size, axis)}`),
    ]),
  )
  return element('g', { class: colourOf(name, peers) }, [
    element('path', { class: 'line', d: pathOf(points, x, y) }),
    ...dots,
  ])
}

interface Frame {
  x: Position
  y: Position
  right: number
  height: number
}

function nameLines(lines: readonly Line[], peers: readonly string[], { x, y, right, height }: Frame): string[] {
  const ends = lines.map(({ points }) => points.at(-1) ?? { size: 1, ms: 1 })
  const places = spread(
    ends.map(({ ms }) => y(ms)),
    LABEL_HEIGHT,
    TOP,
    height - BOTTOM,
  )
  const from = right + 14
  return lines.map(({ name }, index) => {
    const end = ends[index] ?? { size: 1, ms: 1 }
    const place = places[index] ?? 0
    const leader = `M${round(x(end.size) + 6)} ${round(y(end.ms))}L${round(from - 3)} ${round(place)}`
    return element('g', { class: colourOf(name, peers) }, [
      element('path', { class: 'leader', d: leader }),
      label(from, place + 4, name, { class: 'named' }),
    ])
  })
}
