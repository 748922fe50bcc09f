import { expect, test } from 'bun:test'
import { QueryObserver } from '@tanstack/react-query'

Object.assign(globalThis, { window: new EventTarget() })
const { cache } = await import('./cache.ts')
const { listedIn, listingBeginning, refreshFolders, resourceKey, resourceQuery } = await import('./resources.ts')
const { readBytes, saveBytes } = await import('./contents.ts')
const { readSettings, saveSettings } = await import('./settings.ts')
const { folderSize } = await import('./folder-size.ts')
const { rereadFolder } = await import('./reread-folder.ts')
const { sessionSignal } = await import('../../state/session-scope.ts')

test('any number of folders can be refreshed at once, and no others are', async () => {
  for (const path of ['/a', '/b']) cache().setQueryData(resourceKey(path), {})
  await refreshFolders(Array.from({ length: 200_000 }, (_, index) => `/new/${index}`).concat('/a'))
  const isOld = (path: string) => cache().getQueryState(resourceKey(path))?.isInvalidated
  expect([isOld('/a'), isOld('/b')]).toEqual([true, false])
})

test('a folder in view that is gone or may no longer be seen is asked for again; one that cannot be read now stays', async () => {
  const before = globalThis.fetch
  const isOld = () => cache().getQueryState(resourceKey('/mine'))?.isInvalidated
  const seen: unknown[] = []
  for (const status of [503, 404, 403]) {
    globalThis.fetch = Object.assign(async () => new Response('', { status }), { preconnect: () => {} })
    cache().setQueryData(resourceKey('/mine'), { isDir: true, items: [], version: '"1"' })
    await rereadFolder('/mine', sessionSignal()).catch(() => {})
    seen.push(isOld())
  }
  globalThis.fetch = before
  expect(seen).toEqual([false, true, true])
})

test('a large folder in view is not read again, and asked for anew where it is gone', async () => {
  const before = globalThis.fetch
  const asked: string[] = []
  let entries: unknown[] = [{ isDir: true }]
  globalThis.fetch = Object.assign(
    async (address: string | URL | Request, init?: RequestInit) => {
      asked.push(`${init?.method} ${address} ${init?.body}`)
      return Response.json(entries)
    },
    { preconnect: () => {} },
  )
  const isOld = () => cache().getQueryState(resourceKey('/box/large'))?.isInvalidated
  cache().setQueryData(resourceKey('/box/large'), { isDir: true, items: Array(5000) })
  await rereadFolder('/box/large', sessionSignal())
  expect(isOld()).toBe(false)
  entries = []
  await rereadFolder('/box/large', sessionSignal())
  expect(isOld()).toBe(true)
  expect(new Set(asked)).toEqual(new Set([expect.stringMatching(/^POST .*api\/entries\/box \{"names":\["large"\]\}$/)]))
  globalThis.fetch = before
})

test('a sum of sizes whose answer breaks off is not taken for the whole', async () => {
  const before = globalThis.fetch
  const sum = { bytes: 5, files: 1, folders: 0, isWhole: false }
  globalThis.fetch = Object.assign(async () => new Response(`${JSON.stringify(sum)}\n`), { preconnect: () => {} })
  const sums = folderSize('/box', sessionSignal())
  expect((await sums.next()).value).toEqual(sum)
  expect(await sums.next().catch(({ status }) => status)).toBe(0)
  globalThis.fetch = before
})

test('of listings that were left, the newest and those that fit beside it stay in memory; one that is shown always does', () => {
  cache().clear()
  let at = 1000
  const visit = (path: string, length: number) => {
    at += 1
    cache().setQueryData(resourceKey(path), { items: Array(length) }, { updatedAt: at })
    return new QueryObserver(cache(), { queryKey: resourceKey(path), enabled: false }).subscribe(() => {})
  }
  const isKnown = (path: string) => cache().getQueryData(resourceKey(path)) !== undefined
  const leaveShown = visit('/shown', 70_000)
  visit('/small', 10)()
  visit('/first', 60_000)()
  visit('/second', 200_000)()
  expect(['/shown', '/small', '/first', '/second'].map(isKnown)).toEqual([true, true, false, true])
  visit('/third', 40_000)()
  expect(['/shown', '/small', '/second', '/third'].map(isKnown)).toEqual([true, true, false, true])
  leaveShown()
  expect(['/shown', '/small', '/third'].map(isKnown)).toEqual([false, true, true])
})

test('a folder that is read again is shown anew only where it has changed, and not over a change of its own', async () => {
  const before = globalThis.fetch
  const asked: (string | null)[] = []
  let answer = async (): Promise<Response> => new Response(null, { status: 304 })
  globalThis.fetch = Object.assign(
    async (_: unknown, init?: RequestInit) => {
      asked.push(new Headers(init?.headers).get('If-None-Match'))
      return answer()
    },
    { preconnect: () => {} },
  )
  const shown = () => cache().getQueryData<{ items: unknown[] }>(resourceKey('/live'))
  const sorting = { by: 'name', asc: false }
  const first = { isDir: true, sorting, items: ['a'], version: '"1"' }
  cache().setQueryData(resourceKey('/live'), first)
  await rereadFolder('/live', sessionSignal())
  expect(shown()).toBe(first as never)

  answer = async () => Response.json({ isDir: true, sorting, items: ['a', 'b'] }, { headers: { ETag: '"2"' } })
  await rereadFolder('/live', sessionSignal())
  expect(shown()).toEqual({ isDir: true, sorting, items: ['a', 'b'], version: '"2"' } as never)

  answer = async () => {
    cache().setQueryData(resourceKey('/live'), { isDir: true, items: ['own'] })
    return Response.json({ isDir: true, sorting, items: ['old'] })
  }
  await rereadFolder('/live', sessionSignal())
  expect([shown()?.items, asked]).toEqual([['own'], ['"1"', '"1"', '"2"']])
  globalThis.fetch = before
})

test('a large folder is read whatever the header with its order holds', async () => {
  const before = globalThis.fetch
  Object.assign(globalThis, { requestAnimationFrame: (paint: () => void) => setTimeout(paint) })
  const item = (name: string) => `{"path":"/large/${name}","name":"${name}"}`
  const told: unknown[] = []
  const stopped = listingBeginning.subscribe(() => void told.push(listingBeginning.get()?.sorting))
  for (const header of [
    '{"by":"name","asc":false}',
    '{"by":"name","asc":false}, {"by":"name","asc":false}',
    '{by:name,asc:false}',
    'null',
    '{"by":"name"}',
  ]) {
    const listing = new ReadableStream<string>({
      start(controller) {
        controller.enqueue(`{"items":[${item('a')},${item('b')},`)
        controller.enqueue(`${item('c')}],"sorting":{"by":"name","asc":false},"isDir":true}`)
        controller.close()
      },
    })
    globalThis.fetch = Object.assign(
      async () => new Response(listing.pipeThrough(new TextEncoderStream()), { headers: { 'X-Sorting': header } }),
      { preconnect: () => {} },
    )
    const folder = await cache().fetchQuery({ ...resourceQuery('/large'), staleTime: 0, retry: false })
    expect('items' in folder && folder.items.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  }
  stopped()
  globalThis.fetch = before
  const sorting = { by: 'name', asc: false }
  expect(told.filter((each) => each !== undefined)).toEqual([sorting, null, null, null, null])
})

test.each(['"1-a"', 'W/"1-a"', '"1-a-gzip"', '"1-a-zstd"', 'W/"1-a-br"'])(
  'a version that a proxy has compressed and then named %s is saved as the one that the server knows',
  async (tag) => {
    const before = globalThis.fetch
    const expected: (string | null)[] = []
    const answer = async (_: unknown, init?: RequestInit) => {
      if (init?.method === 'PUT') expected.push(new Headers(init.headers).get('If-Match'))
      return Response.json({}, { headers: { ETag: tag } })
    }
    globalThis.fetch = Object.assign(answer, { preconnect: () => {} })
    const shown = await listedIn(await answer(null))
    const read = await readBytes('/a.txt')
    const saved = await saveBytes('/a.txt', new Blob(['a']), read.version, 'batch')
    await saveBytes('/a.txt', new Blob(['b']), saved, 'batch')
    const { settings, version } = await readSettings()
    await saveSettings(settings, version)
    globalThis.fetch = before
    expect([shown.version, ...expected]).toEqual(Array(4).fill('"1-a"'))
  },
)
