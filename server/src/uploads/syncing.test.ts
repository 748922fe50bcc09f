import { expect, test } from 'bun:test'
import { until } from '../../test/process.ts'
import type { Scope } from '../access/scope.ts'
import { treeAt } from '../access/tree.ts'
import { Failure } from '../failure.ts'
import { parseLocation } from '../mounts/location.ts'
import type { Upload } from './store.ts'
import { uploadSyncing } from './syncing.ts'

const upload = { id: 'id', location: parseLocation('/a'), place: parseLocation('/a'), synced: 0 } as Upload
const much = 40 << 20

function syncingOver(sync: () => Promise<void>, after = 1, refusals = 0) {
  const notes: object[] = []
  let refused = 0
  let opened = 0
  const close = () => {
    opened -= 1
  }
  const scope = {
    tree: treeAt(parseLocation('/')),
    openDraft: async () => {
      opened += 1
      return { sync, close }
    },
  } as unknown as Scope
  const store = {
    async change(_: string, changes: object) {
      refused += 1
      if (refused <= refusals) throw new Failure('unavailable', 'The database is away')
      notes.push(changes)
    },
    sync: async () => {},
  }
  return { syncing: uploadSyncing(store, { id: 'a node' }, after), scope, notes, opened: () => opened }
}

test('few bytes are synced after a while, and the row says how many', async () => {
  const { syncing, scope, notes, opened } = syncingOver(async () => {})
  syncing.later(scope, upload, 5)
  expect(notes).toEqual([])
  await until(() => !syncing.isAtWork('id'))
  expect([notes, opened()]).toEqual([[{ synced: 5 }], 0])
})

test('what comes while a sync runs is synced by the next one', async () => {
  const gate = Promise.withResolvers<void>()
  const { syncing, scope, notes } = syncingOver(() => gate.promise)
  syncing.later(scope, upload, much)
  syncing.later(scope, upload, 2 * much)
  gate.resolve()
  await until(() => !syncing.isAtWork('id'))
  expect(notes).toEqual([{ synced: much }, { synced: 2 * much }])
})

test('the end waits for a sync under way, and nothing is noted after it', async () => {
  const gate = Promise.withResolvers<void>()
  const { syncing, scope, notes } = syncingOver(() => gate.promise)
  syncing.later(scope, upload, much)
  let isOver = false
  const end = syncing.end('id').then(() => {
    isOver = true
  })
  await Bun.sleep(5)
  expect(isOver).toBe(false)
  gate.resolve()
  await end
  expect([notes, syncing.isAtWork('id')]).toEqual([[{ synced: much }], false])
})

test('the end of an upload whose bytes wait to be synced need not wait for that', async () => {
  const { syncing, scope, notes } = syncingOver(async () => {}, 60_000)
  syncing.later(scope, upload, 5)
  await syncing.end('id')
  expect([notes, syncing.isAtWork('id')]).toEqual([[], false])
})

test('where the disk failed, bytes that were not synced count no more, and the end of the upload fails', async () => {
  const { syncing, scope, notes, opened } = syncingOver(() => Promise.reject(new Failure('no-space', 'full')))
  syncing.later(scope, upload, much)
  await until(() => notes.length > 0)
  expect([notes, opened()]).toEqual([[{ kernel: '' }], 0])
  expect(await syncing.end('id').catch((error: Error) => error.message)).toBe('full')
  expect(await syncing.end('id').catch((error: Error) => error.message)).toBeUndefined()
})

test('an upload that has ended meanwhile is forgotten', async () => {
  const { syncing, scope, notes } = syncingOver(() => Promise.reject(new Failure('not-found', 'gone')))
  syncing.later(scope, upload, 5)
  await until(() => !syncing.isAtWork('id'))
  expect(notes).toEqual([])
})

test('while the database is away nothing is given up: the length is noted when it is back', async () => {
  const { syncing, scope, notes } = syncingOver(async () => {}, 1, 3)
  syncing.later(scope, upload, 5)
  await until(() => !syncing.isAtWork('id'))
  expect(notes).toEqual([{ synced: 5 }])
})

test('a length that could not be noted does not fail the end of the upload', async () => {
  const { syncing, scope, notes } = syncingOver(async () => {}, 60_000, 1)
  syncing.later(scope, upload, much)
  await syncing.end('id')
  expect([notes, syncing.isAtWork('id')]).toEqual([[], false])
})
