import { Failure } from '../failure.ts'

/** The list without the entries from `first` to `last`, or without `first` alone. */
export function withoutRange<T>(list: readonly T[], noun: string, first: string, last: string | undefined): T[] {
  const [from, to] = [indexIn(list, noun, first), indexIn(list, noun, last ?? first)]
  if (to < from) throw new Failure('invalid', `${to} comes before ${from}`)
  return list.filter((_, at) => at < from || at > to)
}

function indexIn(list: readonly unknown[], noun: string, text: string): number {
  const index = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (index < list.length) return index
  const there = list.length === 0 ? 'there are none' : `they go from 0 to ${list.length - 1}`
  throw new Failure('invalid', `There is no ${noun} ${JSON.stringify(text)}: ${there}`)
}
