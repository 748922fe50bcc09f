import { expect, test } from 'bun:test'
import { counter, gauge, type Metric } from './metric.ts'
import { addedUp, gatheringFrom } from './together.ts'

const valuesIn = (metrics: readonly Metric[]) =>
  Object.fromEntries(metrics.map(({ name, samples }) => [name, samples.map(({ value }) => value)]))

test('counts and memory are sums, a lag is the longest, and what all tell alike is told once', () => {
  const part = (count: number, lag: number): Metric[] => [
    { ...counter('requests', '', 0), samples: [{ value: count, labels: { kind: 'files' } }] },
    { ...gauge('memory', '', count), together: 'sum' },
    { ...gauge('lag', '', lag), together: 'most' },
    gauge('sessions', '', 7),
  ]
  const other: Metric = { ...counter('requests', '', 0), samples: [{ value: 1, labels: { kind: 'search' } }] }
  expect(valuesIn(addedUp([part(2, 0.5), part(3, 0.1), [other]]))).toEqual({
    requests: [5, 1],
    memory: [5],
    lag: [0.5],
    sessions: [7],
  })
})

test('counts never fall: not when a process ends, and not while one does not answer', async () => {
  const process = (count: number) => ({
    count,
    isSilent: false,
    metrics: async function () {
      return this.isSilent ? undefined : [counter('requests', '', this.count), gauge('memory', '', 1)]
    },
  })
  const [first, second, third] = [process(5), process(7), process(0)]
  let running = [first, second]
  const { gather, ended } = gatheringFrom(
    () => running,
    async () => [],
  )
  const requests = async () => valuesIn(await gather()).requests
  expect(await requests()).toEqual([12])
  first.isSilent = true
  expect(await requests()).toEqual([12])
  running = [second, third]
  ended(first)
  expect(await requests()).toEqual([12])
  second.count = 8
  expect(await requests()).toEqual([13])
})
