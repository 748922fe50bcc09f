import { expect, test } from 'bun:test'
import { folderType, NameList } from './name-list.ts'
import { orderOfNames } from './name-order.ts'
import { orderByName } from './sorting.ts'

/** The same numbers in every run. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % below
  }
}

function namesOf(alphabet: string, count: number, seed: number): string[] {
  const next = random(seed)
  const characters = [...alphabet]
  const make = () => Array.from({ length: 1 + next(12) }, () => characters[next(characters.length)]).join('')
  const long = 'the same beginning '.repeat(10)
  return [...new Set(Array.from({ length: count }, (_, index) => `${index % 5 === 0 ? long : ''}${make()}`))]
}

const sortings = [
  { by: 'name', asc: false },
  { by: 'name', asc: true },
  { by: '', asc: false },
  { by: '', asc: true },
] as const

test.each([
  ['ASCII', 'aAbB019.-_ 0'],
  ['other', 'aA01ßüÉ中🙂\uffee'],
])('names in %s letters are in the order of texts', async (_, alphabet) => {
  const entries = namesOf(alphabet, 5000, 7).map((name, index) => ({ name, kind: index % 3 === 0 ? 'folder' : 'file' }))
  const names = new NameList()
  for (const { name, kind } of entries) names.add(kind === 'folder' ? folderType : 8, Buffer.from(`${name}\0`), 0)
  for (const sorting of sortings)
    expect([...(await orderOfNames(names, sorting))]).toEqual(await orderByName(entries, sorting))
})

test('a name that is told twice is kept twice', async () => {
  const names = new NameList()
  for (const name of ['b', 'same', 'same', 'a']) names.add(8, Buffer.from(`${name}\0`), 0)
  const bytes = names.inOrder(await orderOfNames(names, { by: 'name', asc: false }))
  expect(Buffer.from(bytes).toString()).toBe('\x08a\0\x08b\0\x08same\0\x08same\0')
})

test('a name is whole whatever its type and its length', async () => {
  const names = new NameList()
  const long = Array.from({ length: 100 }, (_, index) => `${index + 100}${'x'.repeat(4092)}`)
  for (const name of [...long, 'short']) names.add(0, Buffer.from(`${name}\0`), 0)
  const bytes = names.inOrder(await orderOfNames(names, { by: 'name', asc: false }))
  const parts = Buffer.from(bytes).toString('latin1').split('\0')
  expect(parts.map((part) => part.slice(1))).toEqual([...long, 'short', ''])
})

test('others get their turn while names with the same beginning are sorted, and it ends when nobody waits for it', async () => {
  const names = new NameList()
  for (let at = 0; at < 200_000; at += 1) names.add(8, Buffer.from(`file ${(at * 7919) % 200_003}.txt\0`), 0)
  let turns = 0
  const left = new Error('left')
  const signal = {
    throwIfAborted() {
      turns += 1
      if (turns > 1) throw left
    },
  }
  await expect(orderOfNames(names, { by: 'name', asc: false }, signal)).rejects.toBe(left)
})
