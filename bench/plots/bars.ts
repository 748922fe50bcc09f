import { logScale, thinOut } from './log-scale.ts'
import { element, label, type Plot, tip } from './svg.ts'

/** One bar from one value to another. */
export interface Bar {
  colour: string
  from: number
  to: number
  label: string
  tip: string
  isOwn?: boolean
}

export interface BarGroup {
  title: string
  detail: string
  bars: Bar[]
}

interface BarPlot {
  title: string
  subtitle: string
  groups: readonly BarGroup[]
  /** From the smallest to the largest value that has a place. */
  range: readonly [number, number]
  ticks: readonly number[]
  toTick(value: number): string
  /** A line through all groups that everything is read against. */
  base?: number
  /** Marks the beginning of every bar as a value of its own. */
  hasDots?: boolean
}

const BAR = 13
const STEP = 19
const GROUP_GAP = 16
const TITLE_STEP = 20
const TOP = 84
const NARROW = 560
const LABEL_ROOM = 112
const TICK_ROOM = 34

/** Groups of bars below each other; every bar has its name and figure at its end. */
export function plotBars(plot: BarPlot, width: number): Plot {
  const { title, subtitle, groups, ticks, toTick, base, hasDots = false } = plot
  const isNarrow = width < NARROW
  const column = isNarrow ? 0 : 222
  const x = logScale(plot.range, [column + (isNarrow ? 24 : 16), width - LABEL_ROOM])

  const marks: string[] = []
  let y = TOP
  for (const { title: name, detail, bars } of groups) {
    if (isNarrow) {
      marks.push(label(0, y + 11, name, { class: 'strong over' }))
      marks.push(label(width, y + 11, detail, { class: 'soft over', 'text-anchor': 'end' }))
      y += TITLE_STEP
    } else {
      marks.push(label(0, y + 11, name, { class: 'strong over' }))
      marks.push(label(0, y + 28, detail, { class: 'soft' }))
    }
    for (const [index, bar] of bars.entries()) marks.push(drawBar(bar, x, y + index * STEP, hasDots))
    y += Math.max(bars.length * STEP, isNarrow ? 0 : 2 * STEP) + GROUP_GAP
  }
  const height = y
  const ground = [
    label(0, 15, title, { class: 'title' }),
    ...wrap(subtitle, width).map((line, index) => label(0, 34 + index * 15, line, { class: 'soft' })),
    ...thinAround(base, ticks, x).flatMap((tick) => [
      element('line', { class: 'rule', x1: x(tick), x2: x(tick), y1: TOP - 8, y2: height - GROUP_GAP + 4 }),
      label(x(tick), TOP - 14, toTick(tick), { class: 'soft', 'text-anchor': 'middle' }),
    ]),
  ]
  if (base !== undefined) {
    ground.push(element('line', { class: 'base', x1: x(base), x2: x(base), y1: TOP - 8, y2: height - GROUP_GAP + 4 }))
  }
  return { title: `${title}. ${subtitle}`, width, height, marks: [...ground, ...marks] }
}

/** The base has its label in any case; the others keep their distance to it. */
function thinAround(base: number | undefined, ticks: readonly number[], x: (value: number) => number): number[] {
  if (base === undefined) return thinOut(ticks, x, TICK_ROOM)
  const below = ticks.filter((tick) => tick < base).toReversed()
  const above = ticks.filter((tick) => tick > base)
  return [...new Set([below, above].flatMap((side) => thinOut([base, ...side], x, TICK_ROOM)))]
}

function drawBar(
  { colour, from, to, label: text, tip: told, isOwn }: Bar,
  x: (value: number) => number,
  y: number,
  hasDot: boolean,
) {
  const [start, end] = [x(from), x(to)]
  const [left, right] = start < end ? [start, end] : [end, start]
  const shape = hasDot ? { y: y + 4, height: 5 } : { y, height: BAR }
  return element('g', { class: colour }, [
    element('rect', { class: 'bar', x: left, width: Math.max(right - left, 1.5), rx: 2, ...shape }, [tip(told)]),
    ...(hasDot ? [element('circle', { class: 'dot', cx: start, cy: y + 6.5, r: 5 })] : []),
    // On the right of bars of both directions: names that begin at one line are read faster.
    label(right + 7, y + 11, text, { class: isOwn ? 'named' : undefined }),
  ])
}

/** Lines of so many characters as fit at 12 pixels. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line !== undefined && (line.length + 1 + word.length) * 6.1 <= width)
      lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}
