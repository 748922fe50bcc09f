import type { MarkedExtension } from 'marked'

/** Is there a formula, perhaps? The library is loaded only for texts with one. */
export const hasMath = (source: string): boolean => /\$[^$\s]/.test(source)

/** Formulas between $ signs, as MathML. */
export async function mathExtensions(): Promise<MarkedExtension> {
  const { default: temml } = await import('temml')
  const draw = (formula: string, isBlock: boolean) =>
    temml.renderToString(formula, { displayMode: isBlock, throwOnError: false, trust: false, maxExpand: 1000 })
  return {
    extensions: [
      {
        name: 'mathBlock',
        level: 'block',
        start: (text) => text.indexOf('$$'),
        tokenizer(text) {
          const match = /^\$\$([\s\S]+?)\$\$(?:\n|$)/.exec(text)
          return match === null ? undefined : { type: 'mathBlock', raw: match[0], text: match[1] ?? '' }
        },
        renderer: ({ text }) => `<p>${draw(text, true)}</p>\n`,
      },
      {
        name: 'mathInline',
        level: 'inline',
        start: (text) => text.indexOf('$'),
        tokenizer(text) {
          // Two prices in one sentence are not a formula: no space inside, no digit right after.
          const match = /^\$(?!\s)((?:\\\$|[^$\n])+?)(?<!\s)\$(?!\d)/.exec(text)
          return match === null ? undefined : { type: 'mathInline', raw: match[0], text: match[1] ?? '' }
        },
        renderer: ({ text }) => draw(text, false),
      },
    ],
  }
}
