import { expect, test } from 'bun:test'
import { bufferBudget, buffered } from './output-buffer.ts'

const text = (index: number) => `${index} ${'é'.repeat(1000)}`

async function* chunks(count: number): AsyncGenerator<string> {
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
  const found = [first.value, ...rest].map((chunk) => Buffer.from(chunk as Uint8Array).toString())
  expect(found).toEqual(Array.from({ length: 50 }, (_, index) => text(index)))
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

test.each([0, 3_600_000])(
  'a source that fails after %d ms or on demand ends the chunks with its error',
  async (after) => {
    async function* failing(): AsyncGenerator<string> {
      yield text(0)
      await Bun.sleep(5)
      throw new Error('the disk is gone')
    }
    const budget = bufferBudget(1 << 20)
    let drained = 0
    const buffer = buffered(failing(), { after, budget, drained: () => drained++, evicted() {} })
    expect((await buffer.next()).value).toBe(text(0))
    const failure = await buffer.next().then(
      () => undefined,
      (error: Error) => error.message,
    )
    expect(failure).toBe('the disk is gone')
    await buffer.return?.()
    expect([drained, budget.used, budget.buffers.size]).toEqual([1, 0, 0])
  },
)

test('a slow source is read by the client and by the buffer in turn, and nothing is lost or doubled', async () => {
  async function* slow(): AsyncGenerator<string> {
    for (let index = 0; index < 40; index += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      yield text(index)
    }
  }
  const buffer = buffered(slow(), { after: 0, drained() {}, evicted: never })
  const found: string[] = []
  for await (const chunk of buffer) {
    found.push(Buffer.from(chunk as Uint8Array).toString())
    if (found.length % 3 === 0) await Bun.sleep(1)
  }
  expect(found).toEqual(Array.from({ length: 40 }, (_, index) => text(index)))
})
