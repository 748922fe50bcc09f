import { expect, test } from 'bun:test'
import { lookThrough } from './looked-through.ts'

const options = {
  isUnbroken: (one: string, other: string) => one === other,
  mostLooks: 100,
  atOnce: 8,
  longest: 5000,
}

function row(text: string) {
  let looks = 0
  const look = async (index: number) => {
    looks += 1
    const state = text[index] ?? '.'
    return state === '.' ? null : state
  }
  /** What is known, with '?' for what was not looked at. */
  const shown = (found: ReadonlyMap<number, string | null>) =>
    [...text].map((_, index) => (found.has(index) ? (found.get(index) ?? '.') : '?')).join('')
  return { look, shown, looks: () => looks }
}

test('a row without changes is known by its ends', async () => {
  const { look, shown } = row('aaaaaaaaaa')
  const { found, isCut } = await lookThrough(10, look, options)
  expect([shown(found), isCut]).toEqual(['a????????a', false])
})

test('every change is found where it is, with few looks', async () => {
  const text = `${'a'.repeat(300)}b${'c'.repeat(500)}`
  const { look, looks } = row(text)
  const { found, isCut } = await lookThrough(text.length, look, options)
  expect(isCut).toBe(false)
  expect([299, 300, 301].map((index) => found.get(index))).toEqual(['a', 'b', 'c'])
  expect(looks()).toBeLessThan(40)
})

test('what was there only for a while is found between two looks without it', async () => {
  const { look, shown } = row('....x.....')
  const { found, isCut } = await lookThrough(10, look, options)
  expect([shown(found), isCut]).toEqual(['....x.....', false])
})

test('rows of none and of one are looked through', async () => {
  const none = await lookThrough(0, row('').look, options)
  expect([none.found.size, none.isCut]).toEqual([0, false])
  const one = row('a')
  const { found } = await lookThrough(1, one.look, options)
  expect([one.shown(found), one.looks()]).toEqual(['a', 1])
})

test('the number of looks is limited, and told', async () => {
  const { look, looks } = row('.'.repeat(1000))
  const { isCut } = await lookThrough(1000, look, { ...options, mostLooks: 20 })
  expect([isCut, looks() <= 20]).toEqual([true, true])
})

test('changes are found before the looks are spent on stretches without anything', async () => {
  const text = `${'.'.repeat(200)}${'b'.repeat(30)}${'a'.repeat(150)}`
  const { look } = row(text)
  const { found, isCut } = await lookThrough(text.length, look, { ...options, mostLooks: 40 })
  expect(isCut).toBe(true)
  expect([199, 200, 229, 230].map((index) => found.get(index))).toEqual([null, 'b', 'b', 'a'])
})

test('a look that hangs ends the looking, and what is known is told', async () => {
  const text = 'aabbaabbaa'
  const { shown } = row(text)
  const hanging = new Promise<never>(() => {})
  const look = (index: number) => (index === 4 ? hanging : Promise.resolve(text[index] ?? null))
  const { found, isCut } = await lookThrough(10, look, { ...options, isUnbroken: () => false, longest: 30 })
  expect([shown(found), isCut]).toEqual(['a????????a', true])
})
