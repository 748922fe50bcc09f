import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { aheadOf, type Comparison, compareWorks } from './compare.ts'
import { type Figure, figuresOf, toAmount } from './figures.ts'
import { toFile } from './plots/theme.ts'
import { toDuration, toRatio } from './plots/words.ts'
import { reasons } from './reasons.ts'
import { remarksOf } from './report.ts'
import type { Run } from './run.ts'
import { describeRun } from './run-words.ts'

const docs = resolve(import.meta.dir, '../docs')
const WIDTHS = { bars: 828, curve: 480 }

/** Puts a run into docs/performance.md, between its marks, and its plots beside the other pictures. */
export async function writeDocs(run: Run): Promise<void> {
  const page = join(docs, 'performance.md')
  const figures = figuresOf(run)
  const text = putBetweenMarks(await Bun.file(page).text(), toMarkdown(run, figures))
  mkdirSync(join(docs, 'images'), { recursive: true })
  for (const figure of figures) {
    await Bun.write(join(docs, 'images', fileOf(figure)), toFile(figure.draw(WIDTHS[figure.kind])))
  }
  await Bun.write(page, text)
}

const BEGIN = '<!-- Written by `npm run bench -- --docs` from here -->'
const END = '<!-- to here -->'

export function putBetweenMarks(page: string, written: string): string {
  const [before, rest] = page.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error('docs/performance.md has lost its marks')
  return `${before}${BEGIN}\n\n${written.trim()}\n\n${END}${after}`
}

export function toMarkdown(run: Run, figures: readonly Figure[] = figuresOf(run)): string {
  const comparisons = compareWorks(run)
  const imagesOf = (isWanted: (figure: Figure) => boolean) => figures.filter(isWanted).map(toImage).join('\n')
  const imageOf = (wanted: string) => imagesOf(({ name }) => name === wanted)
  const parts = [
    ['', describeRun(run).join('\n')],
    ['', imageOf('works')],
    ['### Where others are ahead, and why', comparisons.length > 0 ? behindOf(comparisons) : ''],
    ['### Cost against size', imagesOf(({ kind }) => kind === 'curve')],
    ['### Small requests beside heavy work', fairnessOf(run)],
    ['', imageOf('fairness')],
    ['### Processor time', imageOf('processor')],
    ['### All figures', comparisons.length > 0 ? tableOf(run, comparisons) : ''],
    [
      '',
      remarksOf(run)
        .map((remark) => `- ${remark}`)
        .join('\n'),
    ],
  ]
  return parts
    .filter(([, content]) => content !== '')
    .map((part) => part.join('\n\n').trim())
    .join('\n\n')
}

const fileOf = ({ name }: Figure): string => `performance-${name}.svg`

function toImage(figure: Figure): string {
  const { title, width } = figure.draw(WIDTHS[figure.kind])
  const share = figure.kind === 'curve' ? '49%' : String(width)
  return `<img alt="${title.replaceAll('"', '')}" src="images/${fileOf(figure)}" width="${share}">`
}

function behindOf(comparisons: readonly Comparison[]): string {
  const lines = comparisons.flatMap((comparison) => {
    const others = aheadOf(comparison)
    if (others.length === 0) return []
    const named = others.map(
      ({ name, figure, ratio }) => `${name} ${toAmount(figure, comparison.unit)} (${toRatio(ratio)})`,
    )
    const own = toAmount(comparison.own, comparison.unit)
    return `- **${comparison.title}**, ${own}: ${named.join(', ')}. ${reasons[comparison.work] ?? ''}`.trim()
  })
  return lines.length > 0 ? lines.join('\n') : 'Nowhere in this run, by more than a tenth.'
}

function fairnessOf({ fairness, peers }: Run): string {
  const own = peers[0]?.name
  const worst = fairness
    .flatMap(({ title, cells }) => cells.filter(({ peer }) => peer === own).map((cell) => ({ title, ...cell })))
    .toSorted((a, b) => b.worst - a.worst)[0]
  if (worst === undefined) return ''
  return `The slowest small listing of ${own} in this run took ${toDuration(worst.worst)} (beside “${worst.title}”), half of them ${toDuration(worst.median)} or less.`
}

function tableOf({ peers }: Run, comparisons: readonly Comparison[]): string {
  const names = peers.map(({ name }) => name)
  const lines = comparisons.map(({ title, unit, own, others }) => {
    const tool = others.find(({ isTool }) => isTool)
    const cells = names.slice(1).map((name) => {
      const other = others.find((one) => one.name === name && !one.isTool)
      return other === undefined ? '' : `${toAmount(other.figure, unit)} (${toRatio(other.ratio)})`
    })
    return [title, tool ? `${tool.name} ${toAmount(tool.figure, unit)}` : '', toAmount(own, unit), ...cells]
  })
  const header = ['work', 'tool', ...names]
  const rule = header.map((_, index) => (index === 0 ? '---' : '---:'))
  return [header, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
