import { expect, test } from 'bun:test'

const listeners = new Map<string, () => void>()
let isServerThere = true
Object.assign(globalThis, {
  window: new EventTarget(),
  localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
  addEventListener: (type: string, listener: () => void) => void listeners.set(type, listener),
  removeEventListener: (type: string) => void listeners.delete(type),
  fetch: async () => {
    if (isServerThere) return new Response('')
    throw new TypeError('no connection')
  },
})
const { workThrough } = await import('./batch.ts')
const { ApiError } = await import('../../server/client.ts')
const { unfinished } = await import('../../state/work.ts')
const { endScope, sessionSignal } = await import('../../state/session-scope.ts')

const options = () => ({
  kind: 'delete' as const,
  title: 'Deleting 4 items',
  atOnce: 2,
  session: sessionSignal(),
})

test('a batch works on every item once and goes on after a failure', async () => {
  const begun: number[] = []
  const outcome = await workThrough([1, 2, 3, 4], options(), async (item) => {
    begun.push(item)
    if (item === 2) throw new Error('refused')
  })
  expect(begun).toEqual([1, 2, 3, 4])
  expect([outcome.done, outcome.failed.map(({ item }) => item)]).toEqual([[1, 3, 4], [2]])
  expect(outcome.by).toBe('user')
})

test('a batch begins nothing after the end of its session, and is rejected', async () => {
  const begun: number[] = []
  const gates = [1, 2, 3, 4].map(() => Promise.withResolvers<void>())
  const working = workThrough([1, 2, 3, 4], options(), (item) => {
    begun.push(item)
    return gates[item - 1]?.promise ?? Promise.resolve()
  })
  expect(await unfinished()).toEqual(['Deleting 4 items · 0 of 4'])
  expect([...listeners.keys()]).toContain('beforeunload')

  endScope('cut-off')
  for (const gate of gates) gate.resolve()

  await expect(working).rejects.toMatchObject({ name: 'AbortError' })
  expect(begun).toEqual([1, 2])
  expect(await unfinished()).toEqual([])
  expect([...listeners.keys()]).not.toContain('beforeunload')
})

test('a batch of an ended session is not begun in the next one', async () => {
  const late = options()
  endScope('cut-off')
  const begun: number[] = []
  const working = workThrough([1], late, async (item) => void begun.push(item))
  await expect(working).rejects.toMatchObject({ name: 'AbortError' })
  expect(begun).toEqual([])
})

const noConnection = () => new ApiError(0, '000 No connection')

/** Where nothing else tells when a promise chain has got there. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(1)
}

test('a batch waits while the server cannot be reached, and tries again what was under way', async () => {
  isServerThere = false
  const tries: string[] = []
  const working = workThrough([1, 2, 3, 4], options(), async (item, _, lost) => {
    tries.push(`${item}${lost === null ? '' : ' again'}`)
    if (!isServerThere && item > 1) throw noConnection()
  })
  await until(async () => (await unfinished())[0]?.endsWith('1 of 4 · Waiting for the server…') === true)
  expect(tries).toEqual(['1', '2', '3'])

  isServerThere = true
  listeners.get('online')?.()
  const { done, failed } = await working
  expect([done.sort(), failed]).toEqual([[1, 2, 3, 4], []])
  expect(tries.toSorted()).toEqual(['1', '2', '2 again', '3', '3 again', '4'])
})

test('a batch that waits for the server can be stopped by the end of its session', async () => {
  isServerThere = false
  const working = workThrough([1, 2, 3, 4], options(), async () => {
    throw noConnection()
  })
  await until(async () => (await unfinished())[0]?.includes('Waiting') === true)
  endScope('cut-off')
  await expect(working).rejects.toMatchObject({ name: 'AbortError' })
  isServerThere = true
})

test('work that gets no answer from a server that is well fails after a few tries, once for the whole batch', async () => {
  let tries = 0
  const { failed } = await workThrough([1, 2, 3, 4], { ...options(), atOnce: 1 }, async () => {
    tries += 1
    throw noConnection()
  })
  expect([failed.map(({ item }) => item), tries]).toEqual([[1, 2, 3, 4], 6])
})
