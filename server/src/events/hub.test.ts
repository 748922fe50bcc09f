import { expect, test } from 'bun:test'
import { Settings, User } from '@filestead/contract'
import { scopeOf } from '../access/scope.ts'
import { parsePath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { eventsWith } from './hub.ts'
import type { Listener } from './listener.ts'

/** Events of one account over a storage in memory; `watched` are the folders that are watched now. */
async function events(options: { lingerFor?: number; mostListeners?: number } = {}) {
  const storage = memoryStorage()
  for (const name of ['/a', '/b']) await storage.createFolder(parsePath(name))
  const scope = scopeOf({ user: User.parse({ username: 'ann', id: 1, scope: '/' }), rules: [] }, storage)
  const watched = new Set<string>()
  const settings = Settings.parse({})
  const hub = eventsWith({
    detectByContent: false,
    watch(folder) {
      watched.add(folder)
      return { ready: Promise.resolve(), stop: () => void watched.delete(folder) }
    },
    accessVersion: async () => 1,
    settings: async () => settings,
    nameOf: async () => 'ann',
    limits: { mostListeners: options.mostListeners ?? 10 },
    lingerFor: options.lingerFor ?? 60_000,
  })
  const listen = (...folders: string[]): Promise<Listener> =>
    hub.listen(
      { key: 1, session: 's', folders: folders.map(parsePath), all: false, again: async () => scope },
      undefined,
      () => {},
    )
  return { hub, listen, watched, [Symbol.dispose]: () => hub.close() }
}

test('a folder is watched once for all who have it open, and a while longer', async () => {
  using own = await events()
  const first = await own.listen('/a')
  const second = await own.listen('/a', '/b')
  expect([[...own.watched], own.hub.listeners, own.hub.watches]).toEqual([['/a', '/b'], 2, 2])
  first.end()
  second.end()
  expect([own.watched.size, own.hub.listeners]).toEqual([2, 0])
})

test('the watch of a folder that is open nowhere ends while others listen', async () => {
  using own = await events({ lingerFor: 0 })
  await own.listen('/a')
  ;(await own.listen('/b')).end()
  await own.listen('/a')
  expect([...own.watched]).toEqual(['/a'])
})

test('beyond the limit of all a stream is refused, and one that has ended makes room', async () => {
  using own = await events({ mostListeners: 1 })
  const first = await own.listen()
  expect(await own.listen().catch((error) => error.code)).toBe('unavailable')
  first.end()
  expect((await own.listen()).isOver).toBe(false)
})

test('nothing is heard until a client listens', async () => {
  using own = await events()
  expect(own.hub.isHeard).toBe(false)
  own.hub.notice('shares', 1)
  await own.listen()
  expect(own.hub.isHeard).toBe(true)
})
