import { afterAll, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { locationIn } from '../src/mounts/location.ts'
import { type FolderNews, folderWatcher, type WatcherOptions } from '../src/mounts/watching.ts'
import { parsePath } from '../src/storage/path.ts'
import { fillFolder } from './disk.ts'
import { until } from './process.ts'
import { startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
const at = (path: string) => join(server.root, path)

/** What a watcher tells of a folder, as names with whether they were taken away. */
async function watched(folder: string, options: WatcherOptions = {}) {
  const watcher = folderWatcher(server.app.deps.mounts, { pollEvery: 20, ...options })
  const news: FolderNews[] = []
  const watch = watcher.watch(locationIn(1, parsePath(folder)), (one) => news.push(one))
  await watch.ready
  return {
    watcher,
    watch,
    news,
    untilTold: (name: string, isRemoved = false) =>
      until(() => news.some(({ names }) => names.get(name) === isRemoved)),
    untilStale: () => until(() => news.some(({ isStale }) => isStale)),
    [Symbol.dispose]: () => watcher.close(),
  }
}

const ways = [
  ['the kernel', {}],
  ['polling', { mostWatches: 0 }],
] as const

test.each(ways)('by %s every change of names, contents and attributes is told', async (_way, options) => {
  server.put({ 'all/old.txt': 'old', 'all/other.txt': 'other' })
  using folder = await watched('/all', options)
  expect(folder.watcher.counts).toEqual('mostWatches' in options ? { told: 0, polled: 1 } : { told: 1, polled: 0 })
  writeFileSync(at('all/new.txt'), 'new')
  await folder.untilTold('new.txt')
  appendFileSync(at('all/old.txt'), ' and longer')
  await folder.untilTold('old.txt')
  renameSync(at('all/other.txt'), at('all/renamed.txt'))
  await folder.untilTold('other.txt', true)
  await folder.untilTold('renamed.txt')
  mkdirSync(at('all/inner'))
  await folder.untilTold('inner')
  rmSync(at('all/inner'), { recursive: true })
  await folder.untilTold('inner', true)
  expect(folder.news.some(({ isStale }) => isStale)).toBe(false)
})

test.each(ways)('by %s a folder that is gone is stale, and is watched again when it is back', async (_way, options) => {
  server.put({ 'gone/a.txt': 'a' })
  using folder = await watched('/gone', options)
  rmSync(at('gone'), { recursive: true })
  await folder.untilStale()
  folder.news.splice(0)
  server.put({ 'gone/b.txt': 'b' })
  await folder.untilStale()
  writeFileSync(at('gone/c.txt'), 'c')
  await folder.untilTold('c.txt')
})

test('beyond the budget of watches folders are polled, and a place that becomes free is taken', async () => {
  server.put({ 'one/': '', 'two/': '' })
  using one = await watched('/one', { mostWatches: 1 })
  const news: FolderNews[] = []
  const second = one.watcher.watch(locationIn(1, parsePath('/two')), (told) => news.push(told))
  await second.ready
  expect(one.watcher.counts).toEqual({ told: 1, polled: 1 })
  writeFileSync(at('two/a.txt'), 'a')
  await until(() => news.some(({ names }) => names.has('a.txt')))
  one.watch.stop()
  await until(() => one.watcher.counts.told === 1)
})

test('a large folder that is polled is stale as a whole', async () => {
  fillFolder(
    at('large'),
    Array.from({ length: 5001 }, (_, number) => `${number}.txt`),
  )
  using folder = await watched('/large', { mostWatches: 0 })
  writeFileSync(at('large/new.txt'), 'new')
  await folder.untilStale()
  expect(folder.news.every(({ names }) => names.size === 0)).toBe(true)
})

test('of a folder with files of the server nothing is told about these', async () => {
  const root = at('with-own')
  mkdirSync(root)
  await using own = await startServer({ root, database: join(root, 'filestead.db') })
  const watcher = folderWatcher(own.app.deps.mounts)
  const news: FolderNews[] = []
  await watcher.watch(locationIn(1, parsePath('/')), (told) => news.push(told)).ready
  expect(watcher.counts).toEqual({ told: 1, polled: 0 })
  await own.addUser('ada')
  writeFileSync(join(root, 'filestead.db-old'), 'put aside')
  rmSync(join(root, 'filestead.db-old'))
  writeFileSync(join(root, 'seen.txt'), 'seen')
  await until(() => news.some(({ names }) => names.has('seen.txt')))
  rmSync(join(root, 'seen.txt'))
  await until(() => news.some(({ names }) => names.get('seen.txt') === true))
  expect([...new Set(news.flatMap(({ names }) => [...names.keys()]))]).toEqual(['seen.txt'])
  watcher.close()
})

test('a watch that was stopped tells nothing more', async () => {
  server.put({ 'stopped/': '', 'going/': '' })
  using folder = await watched('/stopped')
  folder.watch.stop()
  expect(folder.watcher.counts).toEqual({ told: 0, polled: 0 })
  const other: FolderNews[] = []
  await folder.watcher.watch(locationIn(1, parsePath('/going')), (told) => other.push(told)).ready
  writeFileSync(at('stopped/a.txt'), 'a')
  writeFileSync(at('going/a.txt'), 'a')
  await until(() => other.length > 0)
  expect(folder.news).toEqual([])
})
