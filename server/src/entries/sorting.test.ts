import { expect, test } from 'bun:test'
import { compareText, naturalKey, type Sorting } from '@filestead/contract'
import { orderOf } from './sorting.ts'

const folder = (name: string, seconds = 0) => ({ name, kind: 'folder', size: 4096, seconds, nanoseconds: 0 })
const file = (name: string, size = 0, seconds = 0) => ({ name, kind: 'file', size, seconds, nanoseconds: 0 })
const names = async (given: ReturnType<typeof file>[], sorting: Sorting) =>
  (await orderOf(given, sorting)).map((index) => given[index]?.name).join(' ')

const entries = [
  folder('Beta', 3),
  folder('alpha', 1),
  file('file10.txt', 30, 6),
  file('File2.txt', 20, 2),
  file('file1.txt', 50, 5),
  file('zz.txt', 10, 4),
]

test.each([
  ['name', false, 'alpha Beta file1.txt File2.txt file10.txt zz.txt'],
  ['name', true, 'Beta alpha zz.txt file10.txt File2.txt file1.txt'],
  ['size', false, 'file1.txt file10.txt File2.txt zz.txt alpha Beta'],
  ['size', true, 'alpha Beta zz.txt File2.txt file10.txt file1.txt'],
  ['modified', false, 'file10.txt file1.txt zz.txt Beta File2.txt alpha'],
  ['modified', true, 'alpha File2.txt Beta zz.txt file1.txt file10.txt'],
  ['colour', false, 'Beta File2.txt alpha file1.txt file10.txt zz.txt'],
  ['colour', true, 'Beta alpha zz.txt file10.txt File2.txt file1.txt'],
])('orderOf by %s, asc %p', async (by, asc, order) => {
  expect(await names(entries, { by, asc })).toBe(order)
})

test('orderOf compares numbers in names by value, whatever their zeros', async () => {
  const given = ['v10', 'v9', 'v010b', 'v2', 'v100000000000000000001', 'v10a'].map((name) => file(name))
  expect(await names(given, { by: 'name', asc: false })).toBe('v2 v9 v10 v10a v010b v100000000000000000001')
  expect(naturalKey('A7') < naturalKey('a12')).toBe(true)
})

test('orderOf takes a key that every object has for one it does not know', async () => {
  const given = ['b', 'C', 'a', 'd'].map((name) => file(name))
  for (const by of ['toString', 'constructor', 'colour']) expect(await names(given, { by, asc: false })).toBe('C a b d')
})

test('times before 1970 and fractions of a second count', async () => {
  const at = (name: string, seconds: number, nanoseconds: number) => ({ ...file(name, 0, seconds), nanoseconds })
  const given = [at('a', 1, 0), at('b', -20, 5), at('c', 0, 10), at('d', -3, 0), at('e', 0, 9), at('f', -20, 40)]
  expect(await names(given, { by: 'modified', asc: true })).toBe('b f d e c a')
  expect(await names(given, { by: 'modified', asc: false })).toBe('a c e d f b')
})

/** What the order has to be, the slow way. */
function comparedOrder(given: ReturnType<typeof file>[], { by, asc }: Sorting): number[] {
  const direction = asc ? 1 : -1
  const key = given.map(({ name }) => naturalKey(name))
  const entry = (index: number) => given[index] as ReturnType<typeof file>
  const byName = (a: number, b: number) =>
    compareText(key[a] ?? '', key[b] ?? '') || compareText(entry(a).name, entry(b).name)
  const foldersFirst = (a: number, b: number) => Number(entry(b).kind === 'folder') - Number(entry(a).kind === 'folder')
  const rules: Record<string, (a: number, b: number) => number> = {
    name: (a, b) => foldersFirst(a, b) || -direction * byName(a, b),
    size: (a, b) =>
      direction * (foldersFirst(a, b) || (entry(a).kind === 'folder' ? 0 : entry(a).size - entry(b).size)) ||
      byName(a, b),
    modified: (a, b) => direction * (entry(a).seconds - entry(b).seconds) || byName(a, b),
    colour: (a, b) =>
      asc ? foldersFirst(a, b) || -direction * byName(a, b) : compareText(entry(a).name, entry(b).name),
  }
  return given.map((_, index) => index).sort(rules[by])
}

test.each(['name', 'size', 'modified', 'colour'])('a large folder by %s is sorted as by comparison', async (by) => {
  const many = Array.from({ length: 30_000 }, (_, at) => {
    const number = (at * 7919) % 30_011
    if (number % 10 === 0) return folder(`Folder ${number}`, number % 7)
    const name = number % 3 === 0 ? `Größe 😀 ${number}` : `file ${number}${'.txt'.repeat(number % 4)}`
    return file(name, number % 11, number % 13)
  })
  for (const asc of [true, false]) expect(await orderOf(many, { by, asc })).toEqual(comparedOrder(many, { by, asc }))
})

test('thousands of names that are shown alike are all there', async () => {
  const many = Array.from({ length: 10_000 }, () => file('a\ufffd'))
  expect((await orderOf(many, { by: 'name', asc: false })).toSorted((a, b) => a - b)).toEqual([...many.keys()])
})

test('the event loop gets its turn while a large folder is sorted', async () => {
  const larger = Array.from({ length: 200_000 }, (_, at) => file(`file ${(at * 7919) % 200_003}.txt`))
  let turns = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  })()
  await orderOf(larger, { by: 'name', asc: false })
  isOver = true
  await others
  expect(turns).toBeGreaterThan(3)
})
