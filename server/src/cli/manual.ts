import type { z } from 'zod'
import { defaultOf, descriptionOf, isSwitch, type OptionDescription } from '../config/descriptions.ts'
import { configOption, databaseOption, FirstStartOptions, ServerOptions } from '../config/options.ts'
import { variableFor } from '../config/sources.ts'

/** The options of the server as Markdown tables, from the definitions that --help prints. */
function optionTables(): string {
  const groups = new Map<string, string[]>()
  for (const { group, row } of rows()) groups.set(group, [...(groups.get(group) ?? []), row])
  return [...groups]
    .map(([group, lines]) =>
      [`### ${group}`, '', '| flag | variable | default | what it does |', '|---|---|---|---|', ...lines, ''].join(
        '\n',
      ),
    )
    .join('\n')
}

function* rows(): Generator<{ group: string; row: string }> {
  yield rowOf('database', databaseOption, '')
  yield rowOf('config', configOption, '', { hasVariable: false })
  for (const { shape } of [ServerOptions, FirstStartOptions])
    for (const [key, schema] of Object.entries(shape) as [string, z.ZodType][]) {
      const usual = defaultOf(schema)
      const shown = isSwitch(schema) ? String(usual ?? false) : String(usual ?? '')
      if (descriptionOf(schema).group !== '') yield rowOf(key, descriptionOf(schema), shown)
    }
}

function rowOf(key: string, about: OptionDescription, usual: string, { hasVariable = true } = {}) {
  const flag = `${about.short ? `-${about.short} ` : ''}--${key}${about.value ? ` ${about.value}` : ''}`
  const cells = [
    code(flag),
    hasVariable ? code(variableFor(key)) : '',
    usual === '' ? '' : code(usual),
    about.description,
  ]
  return { group: about.group, row: `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |` }
}

const code = (text: string): string => `\`${text}\``

const [start, end] = ['<!-- options: written by npm run manual -->', '<!-- end of options -->']

/** The text with new tables between its marks. */
export function withOptionTables(text: string): string {
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from === -1 || to < from) return text
  return `${text.slice(0, from + start.length)}\n\n${optionTables()}\n${text.slice(to)}`
}
