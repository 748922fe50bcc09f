import { type Comparison, compareCpu, compareWorks } from './compare.ts'
import { type BarGroup, plotBars } from './plots/bars.ts'
import { plotLines } from './plots/lines.ts'
import { rangeAround, ticksWithin } from './plots/log-scale.ts'
import type { Plot } from './plots/svg.ts'
import { colourOf } from './plots/theme.ts'
import { plain, toDuration, toRatio } from './plots/words.ts'
import type { Run } from './run.ts'

/** A plot of a run, drawn for a width. */
export interface Figure {
  name: string
  kind: 'bars' | 'curve'
  draw(width: number): Plot
}

/** All that can be drawn of a run; parts that were not measured have none. */
export function figuresOf(run: Run): Figure[] {
  const peers = run.peers.map(({ name }) => name)
  const own = peers[0] ?? ''
  const figures: Figure[] = []
  const addBars = (name: string, toPlot: Parameters<typeof plotBars>[0]) => {
    if (toPlot.groups.length > 0) figures.push({ name, kind: 'bars', draw: (width) => plotBars(toPlot, width) })
  }
  addBars('works', {
    ...ratioPlot(compareWorks(run), peers),
    title: `What the others take, ${own} = 1`,
    subtitle: `To the right: more time than ${own}, or memory. To the left: less.`,
  })
  addBars('fairness', fairnessPlot(run, peers))
  for (const curve of run.curves) {
    figures.push({ name: curve.name, kind: 'curve', draw: (width) => plotLines(curve, peers, width) })
  }
  addBars('processor', {
    ...ratioPlot(compareCpu(run), peers),
    title: `Processor time, ${own} = 1`,
    subtitle: `Per request. To the right: more than ${own}. To the left: less.`,
  })
  return figures
}

function ratioPlot(comparisons: readonly Comparison[], peers: readonly string[]) {
  const groups: BarGroup[] = comparisons
    .filter(({ others }) => others.length > 0)
    .map(({ title, unit, own, others }) => ({
      title,
      detail: `${peers[0]}: ${toAmount(own, unit)}`,
      bars: others.map(({ name, figure, ratio }) => ({
        colour: colourOf(name, peers),
        from: 1,
        to: ratio,
        label: `${name} ${toRatio(ratio)}`,
        tip: `${name}: ${toAmount(figure, unit)}`,
      })),
    }))
  const range = rangeAround([0.7, 1.5, ...groups.flatMap(({ bars }) => bars.map(({ to }) => to))])
  return { groups, range, ticks: ticksWithin(range), toTick: toRatio, base: 1 }
}

function fairnessPlot({ fairness }: Run, peers: readonly string[]) {
  const groups: BarGroup[] = fairness.map(({ title, cells }) => ({
    title,
    detail: '',
    bars: cells.map(({ peer, median, worst, count }) => ({
      colour: colourOf(peer, peers),
      from: median,
      to: worst,
      label: `${peer} ${toDuration(worst)}`,
      tip: `${peer}: half of ${count} within ${toDuration(median)}, all within ${toDuration(worst)}`,
      isOwn: peer === peers[0],
    })),
  }))
  const range = rangeAround(groups.flatMap(({ bars }) => bars.flatMap(({ from, to }) => [from, to])))
  return {
    title: 'A small listing beside heavy work',
    subtitle: 'Dot: half of the listings were answered by then. End of the bar, and figure: the slowest one.',
    groups,
    range,
    ticks: ticksWithin(range),
    toTick: toDuration,
    hasDots: true,
  }
}

export function toAmount(figure: number, unit: Comparison['unit']): string {
  return unit === 'ms' ? toDuration(figure) : `${plain(figure)} ${unit}`
}
