import { expect, test } from 'bun:test'
import { queueOf } from './turns.ts'

test('a few work at a time, the others in the order they came', async () => {
  const queue = queueOf(2)
  const told: string[] = []
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>())
  const work = async (index: number) => {
    using turn = queue.turn()
    await turn.begun()
    told.push(`${index} begins`)
    await gates[index]?.promise
    told.push(`${index} ends`)
  }
  const all = [0, 1, 2, 3].map(work)
  await Bun.sleep(0)
  expect(told).toEqual(['0 begins', '1 begins'])
  gates[1]?.resolve()
  await all[1]
  await Bun.sleep(0)
  expect(told.slice(2)).toEqual(['1 ends', '2 begins'])
  for (const gate of gates) gate.resolve()
  await Promise.all(all)
  expect(told.slice(4).sort()).toEqual(['0 ends', '2 ends', '3 begins', '3 ends'])
})

test('a turn begins at once where one is free, and is given on once', () => {
  const queue = queueOf(1)
  const [first, second, third] = [queue.turn(), queue.turn(), queue.turn()]
  expect([first.begins(), second.begins(), first.begins()]).toEqual([true, false, true])
  second[Symbol.dispose]()
  expect(third.begins()).toBe(false)
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  expect([third.begins(), second.begins()]).toEqual([true, false])
})
