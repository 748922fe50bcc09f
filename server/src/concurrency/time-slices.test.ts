import { expect, test } from 'bun:test'
import { yieldToLoop } from './time-slices.ts'

const turnOfLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

test('of the long tasks that pause one continues in each turn of the event loop, in their order', async () => {
  const continued: string[] = []
  const task = async (name: string) => {
    for (let round = 0; round < 2; round += 1) {
      await yieldToLoop()
      continued.push(name)
    }
  }
  const tasks = ['a', 'b', 'c'].map(task)
  const counts: number[] = []
  while (continued.length < 6) {
    await turnOfLoop()
    counts.push(continued.length)
  }
  await Promise.all(tasks)
  expect(continued).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
  for (const [index, count] of counts.entries()) expect(count - (counts[index - 1] ?? 0)).toBeLessThanOrEqual(1)
})
