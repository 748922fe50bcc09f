import { expect, test } from 'bun:test'
import { shelfOf, spooled } from './spool.ts'

const text = (index: number) => `${index} ${'é'.repeat(1000)}`

function* pieces(count: number): Generator<string> {
  for (let index = 0; index < count; index += 1) yield text(index)
}

const never = () => {
  throw new Error('given up')
}

test.each([0, 3_600_000])('every piece comes once and in order, made after %d ms or as it is taken', async (after) => {
  let drained = 0
  const spool = spooled(pieces(50), { after, drained: () => drained++, givenUp: never })
  const first = await spool.next()
  await Bun.sleep(5)
  const rest = await Array.fromAsync(spool)
  expect([first.value, ...rest]).toEqual(Array.from({ length: 50 }, (_, index) => text(index)))
  expect(drained).toBe(1)
})

test('the source is let go though nobody takes anything', async () => {
  const drained = Promise.withResolvers<void>()
  const shelf = shelfOf(1 << 20)
  const spool = spooled(pieces(50), { after: 0, shelf, drained: drained.resolve, givenUp: never })
  await drained.promise
  expect(shelf.kept).toBeGreaterThan(0)
  expect((await Array.fromAsync(spool)).length).toBe(50)
  expect([shelf.kept, shelf.spools.size]).toEqual([0, 0])
})

test('what is left is dropped with its taker', async () => {
  const drained = Promise.withResolvers<void>()
  const shelf = shelfOf(1 << 20)
  const spool = spooled(pieces(50), { after: 0, shelf, drained: drained.resolve, givenUp: never })
  await drained.promise
  await spool.return?.()
  expect([shelf.kept, shelf.spools.size]).toEqual([0, 0])
})

test('when too much is kept, the one who took nothing for the longest time is given up', async () => {
  const one = Bun.zstdCompressSync(Buffer.from(text(10)), { level: 1 }).length
  const shelf = shelfOf(one * 25)
  const given: string[] = []
  const begin = (name: string) => {
    const drained = Promise.withResolvers<void>()
    const options = { after: 0, shelf, drained: drained.resolve, givenUp: () => void given.push(name) }
    return { spool: spooled(pieces(10), options), drained: drained.promise }
  }
  const [idle, busy] = [begin('idle'), begin('busy')]
  await Promise.all([idle.drained, busy.drained])
  await busy.spool.next()
  const last = begin('last')
  await last.drained
  expect(given).toEqual(['idle'])
  await expect(idle.spool.next()).rejects.toThrow('no room')
  expect((await Array.fromAsync(busy.spool)).length).toBe(9)
  expect((await Array.fromAsync(last.spool)).length).toBe(10)
})
