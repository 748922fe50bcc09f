import { afterAll, expect, test } from 'bun:test'
import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JobFacts } from '../src/jobs/record.ts'
import { openEvents, openFolder } from './event-stream.ts'
import { startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('ada', { isAdmin: true })
await server.addUser('bob')
await server.addUser('carol')
const [ada, bob] = [await server.as('ada'), await server.as('bob')]

const modifiedOf = async (folder: string) =>
  ((await (await ada(`/api/resources${folder}/`)).json()) as { modified: string }).modified

test('a stream begins with hello, the times of its folders, and headers that keep proxies from holding it back', async () => {
  server.put({ 'begin/a.txt': 'a' })
  await using stream = await openEvents(ada, openFolder('/begin', '/nowhere'))
  expect(await stream.until('hello')).toEqual({ folders: { '/begin': await modifiedOf('/begin') } })
  expect(stream.told).toHaveLength(1)
  const { headers } = stream.response
  expect(headers.get('content-type')).toBe('text/event-stream')
  expect(headers.get('cache-control')).toBe('no-cache, no-transform')
  expect(headers.get('x-accel-buffering')).toBe('no')
  expect(headers.get('content-encoding')).toBeNull()
})

test('a change by one account shows to another one with the folder open: entries as they are, and names that are gone', async () => {
  server.put({ 'shared/': '' })
  await using stream = await openEvents(bob, openFolder('/shared'))
  await stream.until('hello')

  await ada('/api/resources/shared/new.txt', { method: 'POST', body: 'new' })
  const created = await stream.until('folder', ({ put }) => put.length > 0)
  const asked = await bob('/api/entries/shared/', { method: 'POST', body: JSON.stringify({ names: ['new.txt'] }) })
  expect(created).toEqual({
    folder: '/shared',
    put: (await asked.json()) as never,
    gone: [],
    modified: await modifiedOf('/shared'),
  })

  await ada('/api/resources/shared/new.txt?action=rename&destination=%2Fshared%2Fother.txt', { method: 'PATCH' })
  await stream.until('folder', ({ gone }) => gone.includes('new.txt'))
  await stream.until('folder', ({ put }) => put.some(({ name }) => name === 'other.txt'))

  stream.forget()
  await ada('/api/resources/shared/other.txt', { method: 'DELETE' })
  await stream.until('folder', ({ put, gone }) => put.length === 0 && gone.includes('other.txt'))
})

test('changes by other programs show: new, written, renamed and removed files, and folders that end', async () => {
  server.put({ 'outside/old.txt': 'old', 'outside/inner/': '' })
  const at = (name: string) => join(server.root, 'outside', name)
  await using stream = await openEvents(ada, openFolder('/outside', '/outside/inner'))
  await stream.until('hello')

  writeFileSync(at('new.txt'), 'new')
  await stream.until('folder', ({ put }) => put.some(({ name, size }) => name === 'new.txt' && size === 3))
  appendFileSync(at('old.txt'), ' and longer')
  await stream.until('folder', ({ put }) => put.some(({ name, size }) => name === 'old.txt' && size === 14))
  renameSync(at('new.txt'), at('renamed.txt'))
  await stream.until('folder', ({ gone }) => gone.includes('new.txt'))
  await stream.until('folder', ({ put }) => put.some(({ name }) => name === 'renamed.txt'))
  rmSync(at('old.txt'))
  await stream.until('folder', ({ gone }) => gone.includes('old.txt'))
  rmSync(at('inner'), { recursive: true })
  await stream.until('stale', ({ folder }) => folder === '/outside/inner')
  await stream.until('folder', ({ gone }) => gone.includes('inner'))
})

test('own uploads, links and favourites are told to every device of the account, and to no other account', async () => {
  server.put({ 'mine/': '' })
  await using stream = await openEvents(bob)
  await using other = await openEvents(await server.as('carol'))
  await stream.until('hello')
  await other.until('hello')

  const headers = { 'upload-length': '8' }
  await bob('/api/tus/mine/large.bin', { method: 'POST', headers })
  expect(await stream.until('upload')).toEqual({ path: '/mine/large.bin', offset: 0, length: 8, state: 'running' })
  const piece = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
  await bob('/api/tus/mine/large.bin', { method: 'PATCH', headers: piece, body: '12345678' })
  expect(await stream.until('upload', ({ state }) => state === 'done')).toMatchObject({ offset: 8 })
  await bob('/api/tus/mine/given-up.bin', { method: 'POST', headers })
  await bob('/api/tus/mine/given-up.bin', { method: 'DELETE' })
  await stream.until('upload', ({ path, state }) => path === '/mine/given-up.bin' && state === 'ended')

  await bob('/api/share/mine/large.bin', { method: 'POST', body: '{}' })
  await stream.until('notice', ({ topic }) => topic === 'shares')
  await bob('/api/favourites/mine', { method: 'PUT' })
  await stream.until('notice', ({ topic }) => topic === 'favourites')
  stream.forget()
  // Both follow their folder.
  await ada('/api/resources/mine?action=rename&destination=%2Fmoved', { method: 'PATCH' })
  await stream.until('notice', ({ topic }) => topic === 'shares')
  await stream.until('notice', ({ topic }) => topic === 'favourites')

  // What comes last for the other account comes behind all that it must not have seen.
  await (await server.as('carol'))('/api/favourites/moved', { method: 'PUT' })
  await other.until('notice')
  expect(other.told.map(({ name }) => name)).toEqual(['hello', 'notice'])
})

test('a job is told to its owner while it goes on and when it is listed no longer', async () => {
  server.put({ 'jobs/a.txt': 'a' })
  await using stream = await openEvents(bob)
  await using other = await openEvents(ada, '?all=true')
  await stream.until('hello')
  await other.until('hello')
  const job: JobFacts = {
    ...{ id: 'j1', userId: await idOf('bob'), kind: 'copy', state: 'running', names: ['a.txt'], count: 1 },
    ...{ from: '/jobs', to: '2:/elsewhere', finished: 0, done: { files: 0, bytes: 0 } },
    ...{ failures: [], conflicts: [], renamed: [], skipped: 0, createdAt: 1 },
  }
  server.app.deps.events.job({ id: 'j1', userId: job.userId, job })
  // What lies where the account has nothing has a name alone.
  expect(await stream.until('job')).toMatchObject({ id: 'j1', from: '/jobs', to: 'elsewhere' })
  expect(await other.until('job')).toMatchObject({ id: 'j1', owner: { name: 'bob' } })
  server.app.deps.events.job({ id: 'j1', userId: job.userId })
  expect(await stream.until('job-gone')).toEqual({ id: 'j1' })
})

test('jobs of others are told to administrators alone, also where all are asked for', async () => {
  await using stream = await openEvents(await server.as('carol'), '?all=true')
  await stream.until('hello')
  server.app.deps.events.job({ id: 'j2', userId: await idOf('bob') })
  await (await server.as('carol'))('/api/favourites/moved', { method: 'DELETE' })
  await stream.until('notice')
  expect(stream.told.map(({ name }) => name)).toEqual(['hello', 'notice'])
})

const idOf = async (name: string) =>
  ((await (await ada('/api/users')).json()) as { id: number; username: string }[]).find(
    ({ username }) => username === name,
  )?.id ?? 0
