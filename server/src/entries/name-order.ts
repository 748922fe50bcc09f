import type { Sorting } from '@filestead/contract'
import { isSortKey } from '@filestead/contract/sort-keys'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { folderType, type NameList, type Order } from './name-list.ts'
import { orderByName } from './sorting.ts'

/** The same order as that of `orderByName`, which makes a text for each name; this makes none where all are ASCII. */
export async function orderOfNames(names: NameList, sorting: Sorting, signal?: Cancellation): Promise<Order> {
  if (!names.isAscii || names.count > mostByWords) return orderOfTexts(names, sorting, signal)
  const { by, asc } = sorting
  const keys = isSortKey(by) || asc ? naturalKeys(names, asc) : plainKeys(names)
  const order = new Uint32Array(names.count).map((_, index) => index)
  const pause = timeSlices(signal)
  const runs: Run[] = [{ start: 0, end: order.length, depth: 0 }]
  for (let run = runs.pop(); run !== undefined; run = runs.pop()) {
    const rest = pause()
    if (rest !== undefined) await rest
    sortByWord(keys, order, run, runs)
  }
  return asc ? order.reverse() : order
}

async function orderOfTexts(names: NameList, sorting: Sorting, signal?: Cancellation): Promise<Order> {
  const texts = Array.from({ length: names.count }, (_, index) => ({
    name: names.textOf(index),
    kind: names.typeOf(index) === folderType ? 'folder' : 'file',
  }))
  return Uint32Array.from(await orderByName(texts, sorting, signal))
}

/** What names are compared by: the bytes of each key from its start on. */
interface Keys {
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  readonly longest: number
}

const [zero, nine, A, Z] = [48, 57, 65, 90]
const toLower = 32

const plainKeys = (names: NameList): Keys => ({
  bytes: names.bytes,
  starts: new Uint32Array(names.count).map((_, index) => names.startOf(index) + 1),
  longest: longestKey,
})

/** As `naturalKey`: every run of digits is preceded by its length. Then the name itself, for names that are equal in that. */
function naturalKeys(names: NameList, asc: boolean): Keys {
  const { bytes: source, count, used } = names
  const bytes = new Uint8Array(used * 3 + count * 2 + wordLength)
  const starts = new Uint32Array(count)
  let [at, longest] = [0, 0]
  for (let index = 0; index < count; index += 1) {
    const [start, end] = [names.startOf(index) + 1, names.endOf(index) - 1]
    starts[index] = at
    bytes[at] = (names.typeOf(index) === folderType) === asc ? 49 : zero
    at += 1
    for (let from = start; from < end; ) {
      const byte = source[from] as number
      if (byte < zero || byte > nine) {
        bytes[at] = byte >= A && byte <= Z ? byte + toLower : byte
        at += 1
        from += 1
        continue
      }
      let digitsEnd = from + 1
      while (isDigit(source[digitsEnd] as number)) digitsEnd += 1
      while (from < digitsEnd - 1 && source[from] === zero) from += 1
      bytes[at] = zero
      bytes[at + 1] = digitsEnd - from
      at += 2
      for (; from < digitsEnd; from += 1) {
        bytes[at] = source[from] as number
        at += 1
      }
    }
    // Behind a zero that ends the key, and with the one that ends the name.
    at += 1
    for (let from = start; from <= end; from += 1) {
      bytes[at] = source[from] as number
      at += 1
    }
    longest = Math.max(longest, at - (starts[index] as number))
  }
  return { bytes, starts, longest }
}

const isDigit = (byte: number): boolean => byte >= zero && byte <= nine

type Word = [number, number, number, number]

interface Run {
  readonly start: number
  readonly end: number
  /** So many bytes are equal in all of its keys. */
  readonly depth: number
}

/** So many bytes are compared at once. */
const wordLength = 4
const longestKey = 1024
/** A word and the place of its name fit into the 53 bits of a number: the runtime sorts numbers by itself. */
const mostByWords = 2 ** 21

/** Sorts a run by the next bytes, and adds the runs of names that are still equal to those that are to be sorted. */
function sortByWord({ bytes, starts, longest }: Keys, order: Order, { start, end, depth }: Run, runs: Run[]): void {
  const length = end - start
  const words = new Float64Array(length)
  let differ = 0
  for (let place = 0, first = 0; place < length; place += 1) {
    const at = (starts[order[start + place] as number] as number) + depth
    const [one, two, three, four] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]] as Word
    const word = (one << 24) | (two << 16) | (three << 8) | four
    if (place === 0) first = word
    differ |= word ^ first
    words[place] = (word >>> 0) * mostByWords + place
  }
  if (differ === 0) {
    if (depth + wordLength < longest) runs.push({ start, end, depth: depth + wordLength })
    return
  }
  words.sort()
  const before = order.slice(start, end)
  let [runStart, runWord] = [0, -1]
  const close = (runEnd: number) => {
    // A folder that changes while it is read may tell a name twice, and both are equal to the end.
    if (runEnd - runStart > 1 && depth + wordLength < longest)
      runs.push({ start: start + runStart, end: start + runEnd, depth: depth + wordLength })
  }
  for (let place = 0; place < length; place += 1) {
    const value = words[place] as number
    const word = Math.floor(value / mostByWords)
    order[start + place] = before[value - word * mostByWords] as number
    if (word === runWord) continue
    close(place)
    runStart = place
    runWord = word
  }
  close(length)
}
