import { expect, test } from 'bun:test'

let isServerThere = true
let healthChecks = 0
Object.assign(globalThis, {
  window: new EventTarget(),
  localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
  fetch: async () => {
    healthChecks += 1
    if (isServerThere) return new Response('{}')
    throw new TypeError('no connection')
  },
})
const { stallWatch } = await import('./stall-watch.ts')

test('a request without progress is lost when the server cannot be reached', async () => {
  isServerThere = false
  const watch = stallWatch({ every: 5, quiet: 10, longest: 60_000 })
  await watch.stalled
  watch.stop()
})

test('a request whose bytes were sent is kept as long as the server answers elsewhere', async () => {
  isServerThere = true
  const watch = stallWatch({ every: 2, quiet: 4, longest: 8 })
  watch.noteSent()
  let isLost = false
  void watch.stalled.then(() => {
    isLost = true
  })
  const checks = healthChecks
  while (healthChecks < checks + 5) await Bun.sleep(2)
  expect(isLost).toBe(false)
  watch.stop()
})

test('a request without progress is kept while the server answers elsewhere, up to a limit', async () => {
  isServerThere = true
  const begun = Date.now()
  const watch = stallWatch({ every: 5, quiet: 10, longest: 60 })
  await watch.stalled
  watch.stop()
  expect(Date.now() - begun).toBeGreaterThanOrEqual(60)
})
