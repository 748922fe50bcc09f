import { expect, test } from 'bun:test'

Object.assign(globalThis, { window: new EventTarget() })
const { retryDelays } = await import('./outages.ts')

test('the first retry comes at once, the others after doubled delays up to 20 seconds', () => {
  expect(retryDelays(8)).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000])
  expect([retryDelays(0), retryDelays(-1)]).toEqual([[], []])
})
