/**
 * Chromium knows how Icelandic counts, but neither its dates nor its times, and would write English ones into the
 * page. Norwegian writes numbers, dates and lists almost alike; the words for times are our own.
 */
const standIn = 'nb-IS'

/** The tag itself, or where this browser cannot write Icelandic, one that it can. */
export const writtenHere = (tag: string): string =>
  tag.split('-')[0] === 'is' && Intl.RelativeTimeFormat.supportedLocalesOf(tag).length === 0 ? standIn : tag

export const isStandIn = (tag: string): boolean => tag === standIn

interface Words {
  /** After 'fyrir', for one and for several. */
  past: [string, string]
  /** After 'eftir'. */
  future: [string, string]
  /** Times that have a name of their own. */
  named: Record<number, string>
}

const words: Record<'second' | 'minute' | 'hour' | 'day' | 'month' | 'year', Words> = {
  second: { past: ['sekúndu', 'sekúndum'], future: ['sekúndu', 'sekúndur'], named: { 0: 'núna' } },
  minute: { past: ['mínútu', 'mínútum'], future: ['mínútu', 'mínútur'], named: { 0: 'á þessari mínútu' } },
  hour: {
    past: ['klukkustund', 'klukkustundum'],
    future: ['klukkustund', 'klukkustundir'],
    named: { 0: 'þessa stundina' },
  },
  day: {
    past: ['degi', 'dögum'],
    future: ['dag', 'daga'],
    named: { [-2]: 'í fyrradag', [-1]: 'í gær', 0: 'í dag', 1: 'á morgun', 2: 'eftir tvo daga' },
  },
  month: {
    past: ['mánuði', 'mánuðum'],
    future: ['mánuð', 'mánuði'],
    named: { [-1]: 'í síðasta mánuði', 0: 'í þessum mánuði', 1: 'í næsta mánuði' },
  },
  year: {
    past: ['ári', 'árum'],
    future: ['ár', 'ár'],
    named: { [-1]: 'á síðasta ári', 0: 'á þessu ári', 1: 'á næsta ári' },
  },
}

const rules = new Intl.PluralRules('is')

export function sayTime(value: number, unit: keyof typeof words): string {
  const { past, future, named } = words[unit]
  const amount = Math.abs(value)
  const [one, several] = value < 0 ? past : future
  const noun = rules.select(amount) === 'one' ? one : several
  return named[value] ?? `${value < 0 ? 'fyrir' : 'eftir'} ${amount} ${noun}`
}
