import { aheadOf, type Comparison, compareWorks } from './compare.ts'
import { type Figure, figuresOf, toAmount } from './figures.ts'
import { escapeText, toInline } from './plots/svg.ts'
import { theme } from './plots/theme.ts'
import { toRatio } from './plots/words.ts'
import { reasons } from './reasons.ts'
import { remarksOf } from './report.ts'
import type { Run } from './run.ts'
import { describeRun } from './run-words.ts'

/** One file without anything from outside: plots, then all figures as a table. */
export function toPage(run: Run): string {
  const comparisons = compareWorks(run)
  const figures = figuresOf(run)
  const bars = figures.filter(({ kind }) => kind === 'bars')
  const curves = figures.filter(({ kind }) => kind === 'curve')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Filestead: performance</title>
<style>
${theme}
${style}
</style>
<header>
<h1>Performance</h1>
${describeRun(run)
  .map((line) => `<p>${escapeText(line)}</p>`)
  .join('\n')}
</header>
<main>
${summaryOf(comparisons)}
${curves.length > 0 ? `<section class="curves">${curves.map((figure) => drawn(figure, 520)).join('\n')}</section>` : ''}
${bars.map((figure) => `<section>${drawn(figure, 1040)}</section>`).join('\n')}
${behindOf(comparisons)}
${tableOf(run, comparisons)}
${remarksSection(run)}
</main>
</html>
`
}

/** Drawn twice, for wide and for small screens: a plot that is only made smaller cannot be read. */
function drawn({ draw }: Figure, width: number): string {
  return `<div class="wide">${toInline(draw(width))}</div><div class="small">${toInline(draw(342))}</div>`
}

function summaryOf(comparisons: readonly Comparison[]): string {
  const pairs = comparisons.flatMap(({ others }) => others.filter(({ isTool }) => !isTool))
  if (pairs.length === 0) return ''
  const ahead = pairs.filter(({ ratio }) => ratio > 1.1).length
  const behind = pairs.filter(({ ratio }) => ratio < 0.9).length
  const tile = (count: number, text: string) => `<li><b>${count}</b> ${text}</li>`
  return `<ul class="summary">${tile(ahead, 'times ahead of another server')}${tile(pairs.length - ahead - behind, 'times level, within a tenth')}${tile(behind, 'times behind')}</ul>`
}

function behindOf(comparisons: readonly Comparison[]): string {
  const items = comparisons.flatMap((comparison) => {
    const others = aheadOf(comparison)
    if (others.length === 0) return []
    const named = others.map(({ name, ratio }) => `${name} ${toRatio(ratio)}`).join(', ')
    return `<dt>${escapeText(comparison.title)} <span>${escapeText(named)}</span></dt><dd>${escapeText(reasons[comparison.work] ?? '')}</dd>`
  })
  return items.length === 0
    ? ''
    : `<section><h2>Where others are ahead, and why</h2><dl>${items.join('\n')}</dl></section>`
}

function tableOf({ peers }: Run, comparisons: readonly Comparison[]): string {
  if (comparisons.length === 0) return ''
  const names = peers.map(({ name }) => name)
  const head = ['work', 'tool', ...names].map((name) => `<th scope="col">${escapeText(name)}</th>`).join('')
  const rows = comparisons.map(({ title, unit, own, others }) => {
    const tool = others.find(({ isTool }) => isTool)
    const cells = names.slice(1).map((name) => others.find((other) => other.name === name && !other.isTool))
    const toCell = (other: (typeof others)[number] | undefined) =>
      other === undefined
        ? '<td>–</td>'
        : `<td>${toAmount(other.figure, unit)} <span>${toRatio(other.ratio)}</span></td>`
    const toolCell =
      tool === undefined ? '<td>–</td>' : toCell(tool).replace('<td>', `<td><i>${escapeText(tool.name)}</i> `)
    return `<tr><th scope="row">${escapeText(title)}</th>${toolCell}<td><b>${toAmount(own, unit)}</b></td>${cells.map(toCell).join('')}</tr>`
  })
  return `<section><h2>All figures</h2><div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div></section>`
}

function remarksSection(run: Run): string {
  const items = remarksOf(run).map((line) => `<li>${escapeText(line)}</li>`)
  return items.length === 0 ? '' : `<section><h2>Notes</h2><ul>${items.join('')}</ul></section>`
}

const style = `
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,main{max-width:1088px;margin:0 auto;padding:0 24px}
header{padding-top:40px}
h1{font-size:32px;line-height:1.2;margin:0 0 12px}
h2{font-size:20px;margin:0 0 16px}
header p{margin:4px 0;color:var(--soft)}
section{margin:48px 0}
.curves{display:grid;grid-template-columns:1fr 1fr;gap:40px 32px}
.plot{display:block;max-width:100%;height:auto}
.small{display:none}
.summary{display:grid;grid-template-columns:repeat(3,minmax(0,180px));gap:12px;list-style:none;padding:0;margin:28px 0 0}
.summary li{border:1px solid var(--rule);border-radius:10px;padding:10px 14px;color:var(--soft);font-size:14px;line-height:1.3}
.summary b{display:block;color:var(--ink);font-size:24px}
dt{font-weight:600;margin-top:14px}
dt span,td span{color:var(--soft);font-weight:400;margin-left:6px}
dd{margin:2px 0 0;max-width:76ch;color:var(--soft)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;min-width:100%}
th,td{text-align:right;padding:7px 12px;border-bottom:1px solid var(--rule);white-space:nowrap}
th:first-child{text-align:left;padding-left:0;font-weight:500}
thead th{color:var(--soft);font-weight:500}
td i{font-style:normal;color:var(--soft)}
@media (max-width:1136px){.curves{grid-template-columns:1fr}}
@media (max-width:700px){.wide{display:none}.small{display:block}header,main{padding-left:24px;padding-right:24px}header{padding-top:24px}h1{font-size:26px}section{margin:36px 0}}
`
