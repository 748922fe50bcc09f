import { beforeEach, expect, test } from 'bun:test'
import type { Job } from '@filestead/contract'
import { QueryObserver } from '@tanstack/react-query'
import type { Entry, Folder } from '../queries/resources.ts'

const storage = { getItem: () => null, setItem() {}, removeItem() {} }
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
Object.assign(globalThis, {
  window: new EventTarget(),
  document: page,
  localStorage: storage,
  sessionStorage: storage,
})
const { endScope, sessionSignal } = await import('../../state/session-scope.ts')
const { cache } = await import('../queries/cache.ts')
const { resourceKey, resourceQuery } = await import('../queries/resources.ts')
const { foldersKey } = await import('../queries/folders.ts')
const { conclude, run, whenSent } = await import('../operations/operation.ts')
const { copying, removing, renaming } = await import('../operations/files.ts')
const { applyEvent } = await import('./apply.ts')
const { jobs, noteJob, noteJobs, onJob } = await import('./jobs.ts')
const { foldersToFollow, openFolders } = await import('./open-folders.ts')

/** What the server was asked for, and how it answers. */
let asked: string[] = []
let answer: (method: string, path: string) => Response | Promise<Response> = () => new Response('[]')
globalThis.fetch = Object.assign(
  async (address: string | URL | Request, init?: RequestInit) => {
    const { pathname } = new URL(String(address), 'http://server')
    asked.push(`${init?.method} ${pathname}`)
    return answer(init?.method ?? 'GET', pathname)
  },
  { preconnect: () => {} },
)

const entry = (path: string, facts: Partial<Entry> = {}): Entry => ({
  size: 1,
  modified: '2026-01-01T00:00:00Z',
  mode: 0o644,
  isDir: false,
  isSymlink: false,
  type: 'text',
  ...facts,
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  extension: '.txt',
})

const folderOf = (path: string, names: readonly string[]): Folder => {
  const items = names.map((name) => entry(`${path}/${name}`))
  const sorting = { by: 'name' as const, asc: false }
  return { ...entry(path, { isDir: true }), items, numDirs: 0, numFiles: items.length, sorting }
}

/** A listing that is in view. */
function show(path: string, ...names: string[]): Folder {
  const folder = folderOf(path, names)
  cache().setQueryData(resourceKey(path), folder)
  const { queryKey } = resourceQuery(path)
  const queryFn = resourceQuery(path).queryFn
  new QueryObserver(cache(), { queryKey, ...(queryFn && { queryFn }), staleTime: 1e9 }).subscribe(() => {})
  return folder
}

const listed = (path: string): Folder | undefined => cache().getQueryData<Folder>(resourceKey(path))
const names = (path: string) => listed(path)?.items.map(({ name }) => name)

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(1)
}

const changed = (folder: string, put: Entry[], gone: string[] = []) =>
  applyEvent({ name: 'folder', data: { folder, put, gone } })

beforeEach(() => {
  endScope('cut-off')
  asked = []
  answer = () => new Response('[]')
})

test('what others change in a folder shows in its listing, and nothing is asked for', async () => {
  show('/box', 'a', 'b')
  changed('/box', [entry('/box/c')], ['a'])
  await until(() => names('/box')?.join() === 'b,c')
  changed('/box', [entry('/box/d')])
  changed('/box', [], ['d'])
  changed('/box', [entry('/box/e')])
  await until(() => names('/box')?.join() === 'b,c,e')
  expect(asked).toEqual([])
})

test('a listing that shows the change already is not drawn again', async () => {
  const folder = show('/box', 'a')
  changed('/box', [entry('/box/a')], ['gone'])
  changed('/other', [entry('/other/x')])
  await Bun.sleep(5)
  expect(listed('/box')).toBe(folder)
})

test('an own change that shows already is not taken back by the event of an earlier one', async () => {
  const { items } = show('/box', 'a', 'b')
  const { promise, resolve } = Promise.withResolvers<Response>()
  answer = () => new Response('[]')
  const [first] = items as [Entry]
  const removal = run('delete', { ...removing(first), send: () => promise }, sessionSignal())
  expect(names('/box')).toEqual(['b'])
  changed('/box', [entry('/box/a', { size: 5 }), entry('/box/z')])
  await until(() => names('/box')?.join() === 'b,z')
  changed('/box', [], ['a'])
  resolve(new Response(null, { status: 204 }))
  await removal
  await Bun.sleep(60)
  expect(names('/box')).toEqual(['b', 'z'])
})

test('what the server told about an own change while it was made counts more than what was expected', async () => {
  const { items } = show('/box', 'a')
  const told = entry('/box/c', { size: 7 })
  const { promise, resolve } = Promise.withResolvers<Response>()
  answer = (method) => (method === 'PATCH' ? promise : Response.json([told]))
  const [first] = items as [Entry]
  const sizes: unknown[] = []
  const renamed = run('rename', renaming(first, 'c'), sessionSignal())
  cache()
    .getQueryCache()
    .subscribe(() => sizes.push(listed('/box')?.items[0]?.size))
  changed('/box', [told], ['a'])
  await Bun.sleep(5)
  resolve(new Response(null))
  await renamed
  await whenSent()
  await until(() => asked.some((line) => line.startsWith('POST')))
  await Bun.sleep(5)
  expect(names('/box')).toEqual(['c'])
  expect(sizes.lastIndexOf(1)).toBeLessThan(sizes.indexOf(7))
})

test('what is expected of a change that others have made does not replace what the server told of it', async () => {
  const { items } = show('/box', 'a')
  const told = entry('/box/copy', { size: 7 })
  answer = () => Response.json([told])
  changed('/box', [told])
  await until(() => names('/box')?.length === 2)
  const sizes: unknown[] = []
  cache()
    .getQueryCache()
    .subscribe(() => sizes.push(listed('/box')?.items[1]?.size))
  conclude('copy', [copying(items[0] as Entry, '/box/copy')], sessionSignal())
  await until(() => asked.length > 0)
  await Bun.sleep(5)
  expect(sizes.filter((size) => size !== 7)).toEqual([])
})

test('a listing that was asked for before a change and arrives after it shows the change', async () => {
  show('/box', 'a')
  const { promise, resolve } = Promise.withResolvers<Response>()
  answer = () => promise
  const read = cache().refetchQueries({ queryKey: resourceKey('/box') })
  changed('/box', [entry('/box/b')])
  await until(() => names('/box')?.join() === 'a,b')
  changed('/box', [entry('/box/c')], ['b'])
  await until(() => names('/box')?.join() === 'a,c')
  resolve(Response.json(folderOf('/box', ['a', 'b']), { headers: { ETag: '"1"' } }))
  await read
  await until(() => names('/box')?.join() === 'a,c')
})

test('a folder that has to be listed again is, and one that changes meanwhile once more', async () => {
  show('/box', 'a')
  answer = () => {
    if (asked.length === 1) cache().setQueryData(resourceKey('/box'), folderOf('/box', ['a', 'meanwhile']))
    return Response.json(folderOf('/box', ['a', 'b', 'meanwhile']), { headers: { ETag: '"2"' } })
  }
  applyEvent({ name: 'stale', data: { folder: '/box' } })
  await until(() => names('/box')?.join() === 'a,b,meanwhile')
  expect(asked).toEqual(['GET /api/resources/box', 'GET /api/resources/box'])
})

test('a folder that is listed again while an own change is on its way shows the change all along', async () => {
  const { items } = show('/box', 'a')
  const reading = Promise.withResolvers<Response>()
  const made = Promise.withResolvers<Response>()
  let now = ['a']
  answer = (method) => {
    if (method === 'PATCH') return made.promise
    if (method === 'POST') return Response.json([entry('/box/mine')])
    return asked.length === 1 ? reading.promise : Response.json(folderOf('/box', now), { headers: { ETag: '"2"' } })
  }
  applyEvent({ name: 'stale', data: { folder: '/box' } })
  await until(() => asked.length === 1)
  const renamed = run('rename', renaming(items[0] as Entry, 'mine'), sessionSignal())
  const shown = new Set<unknown>()
  cache()
    .getQueryCache()
    .subscribe(() => shown.add(names('/box')?.join()))
  reading.resolve(Response.json(folderOf('/box', now), { headers: { ETag: '"1"' } }))
  await until(() => asked.includes('PATCH /api/resources/box/a'))
  await Bun.sleep(20)
  now = ['mine', 'new']
  made.resolve(new Response(null))
  await renamed
  await until(() => names('/box')?.join() === 'mine,new')
  expect([...shown]).toEqual(['mine', 'mine,new'])
})

test('a listing that was asked for before an own change, and arrives before the change is made, shows the change', async () => {
  const { items } = show('/box', 'a', 'b')
  const reading = Promise.withResolvers<Response>()
  const made = Promise.withResolvers<Response>()
  answer = (method) => (method === 'PATCH' ? made.promise : method === 'GET' ? reading.promise : Response.json([]))
  const read = cache().refetchQueries({ queryKey: resourceKey('/box') })
  await until(() => asked.length === 1)
  const renamed = run('rename', renaming(items[0] as Entry, 'mine'), sessionSignal())
  reading.resolve(Response.json(folderOf('/box', ['a', 'b', 'new']), { headers: { ETag: '"1"' } }))
  await read
  expect(names('/box')).toEqual(['b', 'mine', 'new'])
  made.resolve(new Response(null, { status: 403 }))
  await renamed.catch(() => {})
  expect(names('/box')).toEqual(['a', 'b', 'new'])
  answer = () => Response.json(folderOf('/box', ['a', 'b']))
  await cache().refetchQueries({ queryKey: resourceKey('/box') })
  expect(names('/box')).toEqual(['a', 'b'])
})

test('a tab in the background reads a folder again when it is looked at, once', async () => {
  show('/box', 'a')
  answer = () => Response.json(folderOf('/box', ['b']), { headers: { ETag: '"2"' } })
  page.visibilityState = 'hidden'
  for (let count = 0; count < 3; count += 1) applyEvent({ name: 'stale', data: { folder: '/box' } })
  await Bun.sleep(5)
  expect(asked).toEqual([])
  page.visibilityState = 'visible'
  page.dispatchEvent(new Event('visibilitychange'))
  await until(() => names('/box')?.join() === 'b')
  expect(asked).toEqual(['GET /api/resources/box'])
})

test('a folder that is gone says so', async () => {
  show('/box', 'a')
  answer = () => new Response('', { status: 404 })
  applyEvent({ name: 'stale', data: { folder: '/box' } })
  await until(() => cache().getQueryState(resourceKey('/box'))?.status === 'error')
})

test('a listing that is not in view, as below a viewer, stays as it is; the tree follows', async () => {
  const folder = folderOf('/box', ['a'])
  cache().setQueryData(resourceKey('/box'), folder)
  cache().setQueryData(foldersKey('/box'), ['x10', 'x9'])
  changed('/box', [entry('/box/x1', { isDir: true }), entry('/box/file')], ['a', 'x10'])
  await until(() => cache().getQueryData<string[]>(foldersKey('/box'))?.join() === 'x1,x9')
  expect(listed('/box')).toBe(folder)
  expect(asked).toEqual([])
})

test('what is open stays open when its file is removed elsewhere', async () => {
  show('/box', 'a')
  cache().setQueryData(resourceKey('/box/a'), { content: 'text' })
  const leave = new QueryObserver(cache(), { queryKey: resourceKey('/box/a'), staleTime: 1e9 }).subscribe(() => {})
  changed('/box', [], ['a'])
  await until(() => names('/box')?.length === 0)
  expect(cache().getQueryData<object>(resourceKey('/box/a'))).toEqual({ content: 'text' })
  leave()
})

test('a connection has a folder listed again that changed before it was followed, and only then', async () => {
  const { modified } = show('/box', 'a')
  show('/other', 'a')
  answer = (_, path) =>
    Response.json(folderOf(path.slice('/api/resources'.length), ['a', 'b']), { headers: { ETag: '"2"' } })
  applyEvent({ name: 'hello', data: { folders: { '/box': modified, '/other': '2026-02-02T00:00:00Z' } } })
  await until(() => names('/other')?.length === 2)
  applyEvent({ name: 'hello', data: { folders: { '/box': '2026-03-03T00:00:00Z' } } })
  await Bun.sleep(5)
  expect(asked).toEqual(['GET /api/resources/other'])
})

test('a folder that was removed before the connection began is asked for again, and is gone', async () => {
  show('/box', 'a')
  answer = () => new Response('', { status: 404 })
  applyEvent({ name: 'hello', data: { folders: {} } })
  await until(() => cache().getQueryState(resourceKey('/box'))?.status === 'error')
})

test('what the server could not continue is read again: listings, and links', async () => {
  show('/box', 'a')
  cache().setQueryData(['shares'], [])
  answer = () => Response.json(folderOf('/box', ['b']), { headers: { ETag: '"2"' } })
  applyEvent({ name: 'reset', data: {} })
  await until(() => names('/box')?.join() === 'b')
  expect(cache().getQueryState(['shares'])?.isInvalidated).toBe(true)
})

test('notices make what they are about asked for again; a file that is open is not', () => {
  show('/box', 'a')
  cache().setQueryData(resourceKey('/box/a'), entry('/box/a'))
  for (const key of ['shares', 'favourites', 'settings', 'mounts']) cache().setQueryData([key], [])
  const isOld = (key: readonly string[]) => cache().getQueryState(key)?.isInvalidated
  applyEvent({ name: 'notice', data: { topic: 'favourites' } })
  expect(['shares', 'favourites', 'settings', 'mounts'].map((key) => isOld([key]))).toEqual([false, true, false, false])
  applyEvent({ name: 'notice', data: { topic: 'access' } })
  expect([isOld(['mounts']), isOld(resourceKey('/box/a'))]).toEqual([true, false])
  expect(asked).toContain('GET /api/resources/box')
})

test('the folders that are shown are those that components ask for', () => {
  show('/box', 'a')
  cache().setQueryData(resourceKey('/left'), folderOf('/left', []))
  cache().setQueryData(foldersKey('/'), ['box'])
  new QueryObserver(cache(), { queryKey: foldersKey('/'), staleTime: 1e9 }).subscribe(() => {})
  expect(openFolders()).toEqual({ listings: ['/box'], trees: ['/'] })
})

test('listings come before trees where there are more folders than a connection may name', () => {
  const trees = Array.from({ length: 60 }, (_, index) => `/tree${index}`)
  const chosen = foldersToFollow([
    { listings: ['/a'], trees },
    { listings: ['/b', '/a'], trees },
  ])
  expect([chosen.length, chosen.includes('/a'), chosen.includes('/b'), new Set(chosen).size]).toEqual([
    50,
    true,
    true,
    50,
  ])
  const long = foldersToFollow([{ listings: ['/a'], trees: trees.map((path) => path + 'ü'.repeat(100)) }])
  expect([long.includes('/a'), long.length > 1, encodeURIComponent(long.join('')).length < 6000]).toEqual([
    true,
    true,
    true,
  ])
})

const jobOf = (id: string, facts: Partial<Job> = {}): Job => ({
  ...{ id, kind: 'copy', state: 'running', names: [], count: 1, finished: 0, done: { files: 0, bytes: 0 } },
  ...{ failures: [], conflicts: [], renamed: [], skipped: 0, createdAt: Number(id) },
  ...facts,
})

test('an answer that is older than what the server told of a job does not count', () => {
  const heard: string[] = []
  onJob((job, before) => heard.push(`${job.id} ${before?.state} ${job.state}`))
  const askedAt = performance.now()
  noteJob(jobOf('1'), askedAt)
  applyEvent({ name: 'job', data: jobOf('1', { state: 'done' }) })
  noteJob(jobOf('1'), askedAt)
  noteJobs([jobOf('1'), jobOf('2')], askedAt)
  expect(jobs.get()?.map(({ id, state }) => `${id} ${state}`)).toEqual(['2 running', '1 done'])
  expect(heard).toEqual(['1 undefined running', '1 running done', '2 undefined running'])
  applyEvent({ name: 'job-gone', data: { id: '1' } })
  noteJobs([jobOf('1'), jobOf('2')], askedAt)
  expect(jobs.get()?.map(({ id }) => id)).toEqual(['2'])
  noteJobs([], performance.now() + 1)
  expect(jobs.get()).toEqual([])
})

test('a job that was just begun here stays when another tab tells a list without it', () => {
  noteJob(jobOf('3'), performance.now())
  noteJobs([jobOf('2')])
  expect(jobs.get()?.map(({ id }) => id)).toEqual(['3', '2'])
})

test('jobs end with the session', () => {
  noteJob(jobOf('1'), performance.now())
  endScope('signed-out')
  expect(jobs.get()).toBe(null)
})
