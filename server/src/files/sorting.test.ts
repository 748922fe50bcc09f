import { expect, test } from 'bun:test'
import { naturalKey, type Sorting } from '@filestead/contract'
import { orderOf, orderWithPauses } from './sorting.ts'

const folder = (name: string, seconds = 0) => ({ name, kind: 'folder', size: 4096, seconds, nanoseconds: 0 })
const file = (name: string, size = 0, seconds = 0) => ({ name, kind: 'file', size, seconds, nanoseconds: 0 })
const names = (given: ReturnType<typeof file>[], sorting: Sorting) =>
  orderOf(given, sorting)
    .map((index) => given[index]?.name)
    .join(' ')

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
])('orderOf by %s, asc %p', (by, asc, order) => {
  expect(names(entries, { by, asc })).toBe(order)
})

test('orderOf compares numbers in names by value, whatever their zeros', () => {
  const given = ['v10', 'v9', 'v010b', 'v2', 'v100000000000000000001', 'v10a'].map((name) => file(name))
  expect(names(given, { by: 'name', asc: false })).toBe('v2 v9 v10 v10a v010b v100000000000000000001')
  expect(naturalKey('A7') < naturalKey('a12')).toBe(true)
})

test('orderOf takes a key that every object has for one it does not know', () => {
  const given = ['b', 'C', 'a', 'd'].map((name) => file(name))
  for (const by of ['toString', 'constructor', 'colour']) expect(names(given, { by, asc: false })).toBe('C a b d')
})

test('orderWithPauses sorts a large folder like orderOf, and yields to the event loop', async () => {
  const many = Array.from({ length: 30_000 }, (_, at) => {
    const number = (at * 7919) % 30_011
    return number % 10 === 0
      ? folder(`Folder ${number}`, number % 7)
      : file(`file ${number}.txt`, number % 11, number % 13)
  })
  for (const by of ['name', 'size', 'modified', 'colour'])
    for (const asc of [true, false])
      expect(await orderWithPauses(many, { by, asc })).toEqual(orderOf(many, { by, asc }))

  const larger = Array.from({ length: 100_000 }, (_, at) => file(`file ${(at * 7919) % 100_003}.txt`))
  let turns = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  })()
  await orderWithPauses(larger, { by: 'name', asc: false })
  isOver = true
  await others
  expect(turns).toBeGreaterThan(3)
})
