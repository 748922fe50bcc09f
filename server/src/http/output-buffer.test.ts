import { expect, test } from 'bun:test'
import { bufferBudget, buffered } from './output-buffer.ts'

const text = (index: number) => `${index} ${'é'.repeat(1000)}`

function* chunks(count: number): Generator<string> {
  for (let index = 0; index < count; index += 1) yield text(index)
}

const never = () => {
  throw new Error('evicted')
}

test.each([0, 3_600_000])('every chunk comes once and in order, made after %d ms or on demand', async (after) => {
  let drained = 0
  const buffer = buffered(chunks(50), { after, drained: () => drained++, evicted: never })
  const first = await buffer.next()
  await Bun.sleep(5)
  const rest = await Array.fromAsync(buffer)
  expect([first.value, ...rest]).toEqual(Array.from({ length: 50 }, (_, index) => text(index)))
  expect(drained).toBe(1)
})

test('the source is released though the client reads nothing', async () => {
  const drained = Promise.withResolvers<void>()
  const budget = bufferBudget(1 << 20)
  const buffer = buffered(chunks(50), { after: 0, budget, drained: drained.resolve, evicted: never })
  await drained.promise
  expect(budget.used).toBeGreaterThan(0)
  expect((await Array.fromAsync(buffer)).length).toBe(50)
  expect([budget.used, budget.buffers.size]).toEqual([0, 0])
})

test('the rest is dropped when the client leaves', async () => {
  const drained = Promise.withResolvers<void>()
  const budget = bufferBudget(1 << 20)
  const buffer = buffered(chunks(50), { after: 0, budget, drained: drained.resolve, evicted: never })
  await drained.promise
  await buffer.return?.()
  expect([budget.used, budget.buffers.size]).toEqual([0, 0])
})

test('a used up budget evicts the buffer that was read least recently', async () => {
  const one = Bun.zstdCompressSync(Buffer.from(text(10)), { level: 1 }).length
  const budget = bufferBudget(one * 25)
  const given: string[] = []
  const begin = (name: string) => {
    const drained = Promise.withResolvers<void>()
    const options = { after: 0, budget, drained: drained.resolve, evicted: () => void given.push(name) }
    return { buffer: buffered(chunks(10), options), drained: drained.promise }
  }
  const [idle, busy] = [begin('idle'), begin('busy')]
  await Promise.all([idle.drained, busy.drained])
  await busy.buffer.next()
  const last = begin('last')
  await last.drained
  expect(given).toEqual(['idle'])
  await expect(idle.buffer.next()).rejects.toThrow('no room')
  expect((await Array.fromAsync(busy.buffer)).length).toBe(9)
  expect((await Array.fromAsync(last.buffer)).length).toBe(10)
})
