import { element, type Plot, round } from './svg.ts'

/** Colours that stay apart from each other on light and on dark, and for readers who do not see red and green. */
const light = {
  paper: '#ffffff',
  ink: '#17202a',
  soft: '#56616e',
  rule: '#e2e6eb',
  own: '#0b63ce',
  tool: '#5f6975',
  other1: '#c2410c',
  other2: '#7c3aed',
  other3: '#0f766e',
  other4: '#a3195b',
}

const dark: typeof light = {
  paper: '#10151c',
  ink: '#e8edf3',
  soft: '#9aa7b5',
  rule: '#29323d',
  own: '#62adff',
  tool: '#a6b0bb',
  other1: '#fb923c',
  other2: '#b9a0ff',
  other3: '#3fc9b8',
  other4: '#f58cbd',
}

const declare = (colours: typeof light) =>
  Object.entries(colours)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')

const colourRules = Object.keys(light)
  .filter((name) => /^(own|tool|other)/.test(name))
  .map((name) => `.${name}{--colour:var(--${name})}`)

export const theme = [
  `:root{${declare(light)};color-scheme:light dark}`,
  `@media (prefers-color-scheme:dark){:root{${declare(dark)}}}`,
  '.plot{font:12px/1.3 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}',
  '.plot text{fill:var(--ink)}',
  '.plot .title{font-size:15px;font-weight:650}',
  '.plot .soft{fill:var(--soft)}',
  '.plot .strong{font-weight:650}',
  '.plot .over{paint-order:stroke;stroke:var(--paper);stroke-width:5px;stroke-linejoin:round}',
  '.plot .rule{stroke:var(--rule);stroke-width:1}',
  '.plot .base{stroke:var(--own);stroke-width:2}',
  ...colourRules,
  '.plot .bar,.plot .dot{fill:var(--colour)}',
  '.plot .line{stroke:var(--colour);stroke-width:2;fill:none;stroke-linejoin:round;stroke-linecap:round}',
  '.plot .leader{stroke:var(--colour);stroke-width:1;opacity:.5;fill:none}',
  '.plot .own .line,.plot .line.own{stroke-width:3.5}',
  '.plot .tool .line,.plot .line.tool{stroke-dasharray:5 5}',
  '.plot text.named{fill:var(--colour);font-weight:600}',
  '.plot .paper{fill:var(--paper)}',
].join('\n')

const PADDING = 16

/** A file of its own, with a ground of its own: the page around it may be light where the reader's system is dark. */
export function toFile({ title, width, height, marks }: Plot): string {
  const [w, h] = [round(width + 2 * PADDING), round(height + 2 * PADDING)]
  const ground = element('rect', { width: w, height: h, rx: 8, class: 'paper' })
  const content = element('g', { transform: `translate(${PADDING} ${PADDING})` }, marks)
  const attributes = { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${w} ${h}`, width: w, height: h }
  return `${element('svg', { ...attributes, role: 'img', 'aria-label': title, class: 'plot' }, [
    element('style', {}, theme),
    ground,
    content,
  ])}\n`
}

/** The first peer has the product's colour, whatever its name. */
export function colourOf(name: string, peers: readonly string[]): string {
  const index = peers.indexOf(name)
  if (index === -1) return 'tool'
  return index === 0 ? 'own' : `other${((index - 1) % 4) + 1}`
}
