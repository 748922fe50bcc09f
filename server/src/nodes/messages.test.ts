import { afterEach, beforeEach, expect, test } from 'bun:test'
import { testDatabase } from '../../test/database.ts'
import { until } from '../../test/process.ts'
import type { Doorbell, OpenDatabase } from '../database/port.ts'
import { type MessageOptions, type Messages, messagesIn } from './messages.ts'

let db: OpenDatabase
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.destroy())

/** Several nodes over one database, and a bell that reaches all of them unless it is broken. */
function world(names: string[], options: Partial<MessageOptions> = {}) {
  const takers = new Set<() => void>()
  const bell: Doorbell & { isBroken: boolean } = {
    isBroken: false,
    async ring() {
      if (!bell.isBroken) for (const take of takers) take()
    },
    onRing(take) {
      takers.add(take)
      return () => takers.delete(take)
    },
  }
  const alive = new Set<string>()
  const refreshed: string[] = []
  const nodes = new Map<string, Messages>()
  const add = (id: string) => {
    const others = () => [...alive].filter((other) => other !== id)
    const refresh = async () => void refreshed.push(id)
    const messages = messagesIn({ db, bell, node: { id, others, refresh }, ...options })
    nodes.set(id, messages)
    return messages
  }
  for (const name of names) add(name)
  const node = (id: string): Messages => nodes.get(id) ?? add(id)
  const joinAll = async () => {
    for (const name of names) {
      alive.add(name)
      await node(name).join()
    }
  }
  return { bell, alive, refreshed, node, joinAll }
}

const rows = () => db.selectFrom('message').selectAll().orderBy('id').execute()

test('a question is answered by all others, and the one that asks is not among them', async () => {
  const { node, joinAll } = world(['a', 'b', 'c'], { patience: 10_000 })
  for (const id of ['a', 'b', 'c']) node(id).answer('double', (value) => `${id}${Number(value) * 2}`)
  await joinAll()
  expect((await node('a').ask('double', 4)).sort()).toEqual(['b8', 'c8'])
  expect(await node('a').ask('double', 5, 'c')).toEqual(['c10'])
  expect(await node('a').ask('what nobody knows', 5)).toEqual([])
})

test('what is told is one row however many nodes there are, and a node that is alone writes none', async () => {
  const { node, joinAll } = world(['a', 'b', 'c', 'd'])
  const heard: string[] = []
  for (const id of ['a', 'b', 'c', 'd']) node(id).answer('news', (value) => void heard.push(`${id} ${value}`))
  await joinAll()
  const before = (await rows()).length
  await node('a').tell('news', 'one')
  await eventually(() => heard.length === 3)
  expect(heard.sort()).toEqual(['b one', 'c one', 'd one'])
  expect(await rows()).toHaveLength(before + 1)

  const alone = world(['z'])
  await alone.joinAll()
  await alone.node('z').tell('news', 'nobody hears')
  expect(await alone.node('z').ask('news', 'nobody hears')).toEqual([])
  expect(await rows()).toHaveLength(before + 1)
})

test('numbers have no gaps and their order is the order in which they were told', async () => {
  const { node, joinAll } = world(['a', 'b'])
  const heard: unknown[] = []
  node('b').answer('news', (value) => void heard.push(value))
  await joinAll()
  const told = Array.from({ length: 100 }, (_, number) => number)
  await Promise.all(told.map((number) => node('a').tell('news', number)))
  await eventually(() => heard.length === 100)
  expect(heard).toEqual(told)
  const ids = (await rows()).map(({ id }) => id)
  expect(ids).toEqual(ids.map((_, index) => (ids[0] ?? 0) + index))
})

test('without a ring the rows are found a little later', async () => {
  const { node, joinAll, bell } = world(['a', 'b'], { pollEvery: 5, patience: 10_000 })
  node('b').answer('double', (value) => Number(value) * 2)
  await joinAll()
  bell.isBroken = true
  expect(await node('a').ask('double', 21)).toEqual([42])
})

test('a node that does not answer is waited for once, until it says something', async () => {
  const { node, joinAll, alive } = world(['a', 'b'], { patience: 1000 })
  node('a').answer('anything', () => 'something')
  node('b').answer('double', (value) => Number(value) * 2)
  await joinAll()
  alive.add('dead')
  expect(await node('a').ask('double', 1)).toEqual([2])
  expect(await node('a').ask('double', 2)).toEqual([4])
  alive.delete('b')
  const before = (await rows()).length
  // It is asked, and not waited for: it may be slow.
  expect(await node('a').ask('double', 3)).toEqual([])
  expect(await rows()).toHaveLength(before + 1)
  await node('dead').join()
  node('dead').answer('double', () => 'awake')
  expect(await node('a').ask('double', 3)).toEqual(['awake'])
})

test('a node that was asked before it joined, and joins before the patience ends, is waited for the next time', async () => {
  const { node, alive } = world(['a', 'b'], { patience: 300 })
  node('b').answer('double', (value) => Number(value) * 2)
  alive.add('a')
  await node('a').join()
  alive.add('b')
  const asking = node('a').ask('double', 1)
  await until(async () => (await rows()).length > 0)
  await node('b').join()
  expect(await asking).toEqual([])
  expect(await node('a').ask('double', 2)).toEqual([4])
})

test('a node that joins or leaves is known to the others at once', async () => {
  const { node, joinAll, refreshed, alive } = world(['a', 'b'])
  await joinAll()
  refreshed.length = 0
  // A node that is not among those that the others know.
  await node('new').join()
  alive.add('new')
  await node('new').tell('anything', 'x')
  await eventually(() => refreshed.length === 3)
  expect(refreshed.toSorted()).toEqual(['a', 'b', 'new'])
  refreshed.length = 0
  await node('b').leave()
  await eventually(() => refreshed.length === 2)
  expect(refreshed.toSorted()).toEqual(['a', 'new'])
})

test('rows are removed a minute after they were read, and a node that has not read them is told so', async () => {
  const { node, joinAll, bell } = world(['a', 'b'], { pollEvery: 1_000_000 })
  const heard: unknown[] = []
  let missed = 0
  node('b').answer('news', (value) => void heard.push(value))
  node('b').onMissed(() => {
    missed += 1
  })
  await joinAll()
  await node('a').tell('news', 'read')
  await eventually(() => heard.length === 1)
  await node('a').sweep()
  expect((await rows()).length).toBeGreaterThan(0)
  await node('a').sweep()
  expect(await rows()).toEqual([])
  expect(missed).toBe(0)

  bell.isBroken = true
  await node('a').tell('news', 'lost')
  // The node that sweeps has read its own row by then.
  await db.deleteFrom('message').execute()
  bell.isBroken = false
  await node('a').tell('news', 'next')
  await eventually(() => heard.length === 2)
  expect([heard, missed]).toEqual([['read', 'next'], 1])
})

test('a database that takes no rows fails no question', async () => {
  const { node, joinAll, alive } = world(['a', 'b'])
  await joinAll()
  await db.schema.alterTable('message').renameTo('away').execute()
  expect(await node('a').ask('anything', 1)).toEqual([])
  await node('a').tell('anything', 1)
  await db.schema.alterTable('away').renameTo('message').execute()
  node('b').answer('anything', () => 'back')
  expect(alive.has('b')).toBe(true)
  expect(await node('a').ask('anything', 1)).toEqual(['back'])
})

async function eventually(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2000 && !isTrue(); tries += 1) await Bun.sleep(1)
  expect(isTrue()).toBe(true)
}
