import { expect, test } from 'bun:test'
import { watchOthers } from './presence.ts'
import { noSiblings } from './siblings.ts'

function world() {
  const others = new Set(['near', 'far'])
  const state = { running: new Set(others), connected: new Set(others), answering: new Set(others) }
  const dead: string[] = []
  const own = { isHeld: true }
  let told = 0
  const said: string[] = []
  const heard = new Map<string, (value: unknown) => unknown>()
  const watch = watchOthers({
    node: {
      others: () => [...others],
      isAlive: (id) => id !== 'near' || state.running.has('near'),
      async foundDead(id) {
        dead.push(String(id))
        others.delete(String(id))
      },
    },
    siblings: {
      ...noSiblings,
      ask: async (_topic, _value, of = '') => (state.answering.has(of) ? [true] : []),
      tell: async (topic) => void said.push(topic),
      answer: (topic, handler) => void heard.set(topic, handler),
    },
    presence: {
      hold() {},
      get isHeld() {
        return own.isHeld
      },
      absent: async (ids) => ids.filter((id) => !state.connected.has(id)),
    },
    died: () => {
      told += 1
    },
    every: 1_000_000,
  })
  return { ...state, others, dead, own, watch, said, heard, told: () => told }
}

test('a process of this machine that is gone is found at the first look', async () => {
  const { watch, running, dead, told } = world()
  await watch.look()
  expect(dead).toEqual([])
  running.delete('near')
  await watch.look()
  expect([dead, told()]).toEqual([['near'], 1])
  await watch.look()
  expect(told()).toBe(1)
  watch.close()
})

test('a node without a connection is dead when it does not answer three times', async () => {
  const { watch, connected, answering, dead } = world()
  connected.delete('far')
  for (let looks = 0; looks < 5; looks += 1) await watch.look()
  expect(dead).toEqual([])
  answering.delete('far')
  await watch.look()
  await watch.look()
  // It is back for a moment.
  answering.add('far')
  await watch.look()
  answering.delete('far')
  await watch.look()
  await watch.look()
  expect(dead).toEqual([])
  await watch.look()
  expect(dead).toEqual(['far'])
  watch.close()
})

test('what a node left is taken over, too, where it was found dead by its heartbeats, or has gone by itself', async () => {
  const { watch, others, dead, told } = world()
  await watch.look()
  others.delete('far')
  await watch.look()
  await watch.look()
  expect([dead, told()]).toEqual([[], 1])
  watch.close()
})

test('a node that answers nothing but keeps its connection is left to its heartbeats', async () => {
  const { watch, answering, dead } = world()
  answering.clear()
  for (let looks = 0; looks < 5; looks += 1) await watch.look()
  expect(dead).toEqual([])
  watch.close()
})

test('a node that has lost its own connection takes no other for dead, and counts anew when it is back', async () => {
  const { watch, connected, answering, dead, own } = world()
  connected.delete('far')
  answering.delete('far')
  await watch.look()
  await watch.look()
  own.isHeld = false
  for (let looks = 0; looks < 5; looks += 1) await watch.look()
  own.isHeld = true
  await watch.look()
  await watch.look()
  expect(dead).toEqual([])
  await watch.look()
  expect(dead).toEqual(['far'])
  watch.close()
})

test('who removes a dead node says so, and who hears it takes over, though it never saw that node', async () => {
  const { watch, running, said, heard, told } = world()
  await watch.tellDeaths()
  expect(said).toHaveLength(1)
  running.delete('near')
  await watch.look()
  expect(said).toHaveLength(2)
  const before = told()
  for (const topic of said) heard.get(topic)?.(null)
  expect(told()).toBe(before + 2)
  watch.close()
})
