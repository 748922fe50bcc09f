import { expect, test } from 'bun:test'

const listeners = new Set<string>()
Object.assign(globalThis, {
  window: new EventTarget(),
  localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
  addEventListener: (type: string) => void listeners.add(type),
  removeEventListener: (type: string) => void listeners.delete(type),
})
const { workThrough } = await import('./batch.ts')
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
  expect([...listeners]).toContain('beforeunload')

  endScope('cut-off')
  for (const gate of gates) gate.resolve()

  await expect(working).rejects.toMatchObject({ name: 'AbortError' })
  expect(begun).toEqual([1, 2])
  expect(await unfinished()).toEqual([])
  expect([...listeners]).not.toContain('beforeunload')
})

test('a batch of an ended session is not begun in the next one', async () => {
  const late = options()
  endScope('cut-off')
  const begun: number[] = []
  const working = workThrough([1], late, async (item) => void begun.push(item))
  await expect(working).rejects.toMatchObject({ name: 'AbortError' })
  expect(begun).toEqual([])
})
