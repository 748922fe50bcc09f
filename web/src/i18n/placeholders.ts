const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u
const leftToRight = /(?![\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}])\p{L}/u

/**
 * What goes into a {{placeholder}}: numbers as the language writes them, and what runs against the sentence, such as
 * an English name in a Hebrew one, set apart by invisible marks. A `bdi` would do the same, but a text has no elements.
 */
export function inSentence(value: unknown, tag: string, direction: 'ltr' | 'rtl'): unknown {
  if (typeof value === 'number') return numbersOf(tag).format(value)
  if (typeof value !== 'string') return value
  const against = direction === 'ltr' ? rightToLeft : leftToRight
  return against.test(value) ? `\u2068${value}\u2069` : value
}

/** For what is heard, or looked for by its name: there the marks would count as letters. */
export const withoutMarks = (text: string): string => text.replace(/[\u2068\u2069]/g, '')

/** Making a formatter costs more than using it a hundred times. */
let numbers: { tag: string; format: Intl.NumberFormat['format'] } | undefined

function numbersOf(tag: string) {
  if (numbers?.tag !== tag) numbers = { tag, format: new Intl.NumberFormat(tag).format }
  return numbers
}
