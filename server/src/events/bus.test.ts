import { expect, test } from 'bun:test'
import { noSiblings, type Siblings } from '../nodes/siblings.ts'
import { type Bus, busWith, type Numbered } from './bus.ts'
import type { News } from './news.ts'

const notice = (user: number): News => ({ topic: 'notice', about: 'shares', user })
const progress = (offset: number): News => ({
  ...{ topic: 'upload', owner: 1, location: '/a' as never, length: 10, state: 'running' },
  offset,
})

function heard(bus: Bus): Numbered[] {
  const news: Numbered[] = []
  void bus.hear((one) => news.push(one))
  return news
}

test('what is published is taken and remembered, and continued behind an id', () => {
  const bus = busWith()
  const news = heard(bus)
  bus.publish(notice(1))
  const id = bus.idOf(bus.last)
  bus.publish(notice(2))
  expect(news.map((one) => one.news)).toEqual([notice(1), notice(2)])
  expect(bus.since(id)?.map((one) => one.news)).toEqual([notice(2)])
  expect(bus.since(bus.idOf(bus.last))).toEqual([])
})

test('of news about the same thing the last one alone is remembered, and takes no room of others', () => {
  const bus = busWith({ most: 3 })
  heard(bus)
  const start = bus.idOf(bus.last)
  bus.publish(notice(1))
  for (let offset = 0; offset < 10; offset += 1) bus.publish(progress(offset))
  bus.publish(notice(2))
  expect(bus.since(start)?.map((one) => one.news)).toEqual([notice(1), progress(9), notice(2)])
})

test('an id before what was forgotten, of the future or of another process is not continued', () => {
  const bus = busWith({ most: 2 })
  heard(bus)
  const start = bus.idOf(bus.last)
  for (let user = 0; user < 3; user += 1) bus.publish(notice(user))
  expect(bus.since(start)).toBeUndefined()
  expect(bus.since(bus.idOf(1))).toHaveLength(2)
  expect(bus.since(bus.idOf(bus.last + 1))).toBeUndefined()
  expect(bus.since(busWith().idOf(2))).toBeUndefined()
})

test('while nothing listens nothing is remembered, and no id of before is continued', () => {
  const bus = busWith()
  bus.publish(notice(1))
  expect([bus.last, bus.isHeard]).toEqual([0, false])
  heard(bus)
  const id = bus.idOf(bus.last)
  bus.ignore()
  bus.publish(notice(2))
  heard(bus)
  expect(bus.since(id)).toBeUndefined()
})

/** Two processes of one server, and how often the first has asked. */
function twoProcesses() {
  const handlers = [new Map<string, (value: unknown) => unknown>(), new Map<string, (value: unknown) => unknown>()]
  const asked: string[] = []
  const missed: (() => void)[] = []
  const sibling = (own: number): Siblings => ({
    async ask(topic, value) {
      if (own === 0) asked.push(topic)
      const answer = await handlers[1 - own]?.get(topic)?.(JSON.parse(JSON.stringify(value)))
      return answer === undefined ? [] : [answer]
    },
    async tell(topic, value) {
      await this.ask(topic, value)
    },
    answer: (topic, handler) => void handlers[own]?.set(topic, handler),
    onMissed: (handler) => void missed.push(handler),
  })
  const options = { collectFor: 0 }
  const one = busWith({ siblings: sibling(0), ...options })
  const two = busWith({ siblings: sibling(1), ...options })
  return { one, two, asked, missed }
}

test('another process is told where it listens, together and once', async () => {
  const { one, two, asked } = twoProcesses()
  const news: Numbered[] = []
  const told = Promise.withResolvers<void>()
  await two.hear((one) => {
    news.push(one)
    if (news.length === 2) told.resolve()
  })
  asked.splice(0)
  one.publish(notice(1))
  one.publish(notice(2))
  one.publishHere(notice(3))
  await told.promise
  expect(news.map((each) => each.news)).toEqual([notice(1), notice(2)])
  expect(asked).toEqual(['events'])
  one.close()
  two.close()
})

test('where news of another process may be missing, none of before can be continued', async () => {
  const { two, missed } = twoProcesses()
  const told: string[] = []
  two.onMissed(() => told.push('missed'))
  heard(two)
  two.publish(notice(1))
  const id = two.idOf(two.last)
  expect(two.since(id)).toEqual([])
  for (const handler of missed) handler()
  expect(two.since(id)).toBeUndefined()
  expect(two.since(two.idOf(two.last))).toEqual([])
  expect(told).toEqual(['missed'])
  two.close()
})

test('a process that begins later learns that others listen', async () => {
  const { two } = twoProcesses()
  expect(two.isHeard).toBe(false)
  const handlers = new Map<string, (value: unknown) => unknown>()
  const listening = busWith({
    siblings: { ...noSiblings, answer: (topic, handler) => void handlers.set(topic, handler) },
  })
  heard(listening)
  const later = busWith({
    siblings: { ...noSiblings, ask: async (topic, value) => [await handlers.get(topic)?.(value)] },
  })
  await Bun.sleep(0)
  expect(later.isHeard).toBe(true)
  listening.close()
})
