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

/** As a browser that knows Icelandic says it. */
export function sayTime(value: number, unit: keyof typeof words): string {
  const { past, future, named } = words[unit]
  const amount = Math.abs(value)
  const [one, several] = value < 0 ? past : future
  const noun = rules.select(amount) === 'one' ? one : several
  return named[value] ?? `${value < 0 ? 'fyrir' : 'eftir'} ${amount} ${noun}`
}
