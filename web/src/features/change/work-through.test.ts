import { expect, test } from 'bun:test'

const listeners = new Set<string>()
Object.assign(globalThis, {
  window: new EventTarget(),
  localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
  addEventListener: (type: string) => void listeners.add(type),
  removeEventListener: (type: string) => void listeners.delete(type),
})
const { workThrough } = await import('./work-through.ts')
const { unfinished } = await import('../../state/work.ts')
const { endScope, sessionSignal } = await import('../../state/session-scope.ts')

const options = () => ({ title: 'Deleting 4 items', atOnce: 2, session: sessionSignal() })

test('every item is worked on once, and one failure does not keep the others from being done', async () => {
  const begun: number[] = []
  const outcome = await workThrough([1, 2, 3, 4], options(), async (item) => {
    begun.push(item)
    if (item === 2) throw new Error('refused')
  })
  expect(begun).toEqual([1, 2, 3, 4])
  expect([outcome.done, outcome.failed.map(({ item }) => item)]).toEqual([[1, 3, 4], [2]])
})

test('nothing is begun after the end of the session, and nobody is told how it went', async () => {
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

test('what was wanted in a session that has ended meanwhile is not begun in the next', async () => {
  const late = options()
  endScope('cut-off')
  const begun: number[] = []
  const working = workThrough([1], late, async (item) => void begun.push(item))
  await expect(working).rejects.toMatchObject({ name: 'AbortError' })
  expect(begun).toEqual([])
})
