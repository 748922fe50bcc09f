import { nameOf } from '@filestead/contract'
import { stemOf } from '../formats/names.ts'

interface Suggestion {
  entries: readonly { name: string; isDir: boolean }[]
  folder: string
  /** What the name ends with, such as '.zip'. */
  ending: string
  /** Stands for a folder without a name. */
  otherwise: string
  isTaken: (name: string) => boolean
}

/** The name of a file that is made of entries: that of the only one, else that of their folder; numbered where it is taken. */
export function suggestedName({ entries, folder, ending, otherwise, isTaken }: Suggestion): string {
  const [first, second] = entries
  const own = first !== undefined && second === undefined ? (first.isDir ? first.name : stemOf(first.name)) : ''
  const name = own || nameOf(folder) || otherwise
  if (!isTaken(name + ending)) return name
  let count = 1
  while (isTaken(`${name}(${count})${ending}`)) count += 1
  return `${name}(${count})`
}

/** With its ending, which may have been typed. */
export const withEnding = (name: string, ending: string): string =>
  name.toLowerCase().endsWith(ending) && name.length > ending.length ? name : name + ending
