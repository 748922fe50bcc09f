import { afterAll, expect, test } from 'bun:test'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EventStream, openEvents, openFolder } from './event-stream.ts'
import { headOf, openLine } from './line.ts'
import { until } from './process.ts'
import { type Ask, startServer } from './server.ts'

const server = await startServer({ baseURL: '/below' })
afterAll(() => server.stop())
await server.addUser('ada', { isAdmin: true })
const ada = await server.as('ada')
const { events } = server.app.deps
const at = (path: string) => join(server.root, path)

const create = (path: string) => ada(`/api/resources${path}`, { method: 'POST', body: path })
const untilTold = (stream: EventStream, wanted: string) =>
  stream.until('folder', ({ put }) => put.some(({ name }) => name === wanted))

const withId = (id: string): RequestInit => ({ headers: { 'last-event-id': id } })
/** The client notices nothing of the cut. */
const cut = (stream: EventStream) => stream[Symbol.asyncDispose]()

test.each(['header', 'query'] as const)(
  'a client that comes back with the id of its last event, in the %s, is told what it has missed, by whichever program',
  async (where) => {
    server.put({ [`${where}/`]: '' })
    const first = await openEvents(ada, openFolder(`/${where}`))
    await create(`/${where}/known.txt`)
    await untilTold(first, 'known.txt')
    await cut(first)
    await until(() => events.listeners === 0)
    await create(`/${where}/missed.txt`)
    writeFileSync(at(`${where}/by-another.txt`), 'x')
    const query = openFolder(`/${where}`)
    await using again =
      where === 'header'
        ? await openEvents(ada, query, withId(first.lastId))
        : await openEvents(ada, `${query}&last=${first.lastId}`)
    await untilTold(again, 'missed.txt')
    await untilTold(again, 'by-another.txt')
    expect(again.told.some(({ name }) => name === 'reset' || name === 'stale')).toBe(false)
  },
)

test('a client that comes back to a folder that was not watched meanwhile is told to list it, and nothing else', async () => {
  server.put({ 'known/': '', 'unknown/': '' })
  const first = await openEvents(ada, openFolder('/known'))
  await create('/known/a.txt')
  await untilTold(first, 'a.txt')
  await cut(first)
  await using again = await openEvents(ada, openFolder('/known', '/unknown'), withId(first.lastId))
  expect(await again.until('stale')).toEqual({ folder: '/unknown' })
  expect(again.told.filter(({ name }) => name === 'stale')).toHaveLength(1)
})

test.each(['anything', 'abc-1', '-', `${'9'.repeat(15)}-1`])(
  'an id that is not known (%s) is answered with reset',
  async (id) => {
    await using stream = await openEvents(ada, openFolder('/'), withId(id))
    await stream.until('reset')
    // What the tests before have done is noted a moment later, and told by notices.
    const told = stream.told.map(({ name }) => name).filter((name) => name !== 'notice')
    expect(told).toEqual(['hello', 'reset'])
  },
)

test('rights that changed while a client was away are told when it comes back', async () => {
  const first = await openEvents(ada, openFolder('/known'))
  await first.until('hello')
  await create('/known/b.txt')
  await untilTold(first, 'b.txt')
  const before = await grantSeeing()
  await first.until('notice', ({ topic }) => topic === 'access')
  await cut(first)
  await until(() => events.listeners === 0)
  await ada(`/api/grants/${before}`, { method: 'DELETE' })
  await using again = await openEvents(ada, openFolder('/known'), withId(first.lastId))
  await again.until('stale', ({ folder }) => folder === '/known')
})

async function grantSeeing(): Promise<number> {
  const body = JSON.stringify({ subject: 'everybody', mount: 1, folder: '/known', rights: ['see'] })
  return ((await (await ada('/api/grants', { method: 'POST', body })).json()) as { id: number }).id
}

test('a stream of no seconds ends with what is known, so that it can be polled', async () => {
  server.put({ 'polled/': '' })
  const first = await openEvents(ada, `${openFolder('/polled')}&seconds=0`)
  await first.ended
  expect(first.told.map(({ name }) => name).filter((name) => name !== 'notice')).toEqual(['hello'])
  await create('/polled/new.txt')
  const next = await openEvents(ada, `${openFolder('/polled')}&seconds=0`, withId(first.lastId))
  await next.ended
  await untilTold(next, 'new.txt')
})

test('a folder is followed through symlinks, by its real and by its other name', async () => {
  server.put({ 'real/': '' })
  symlinkSync('real', at('link'))
  await using stream = await openEvents(ada, openFolder('/link'))
  await stream.until('hello')
  await create('/real/by-real.txt')
  expect((await untilTold(stream, 'by-real.txt')).put[0]?.path).toBe('/link/by-real.txt')
  await create('/link/by-link.txt')
  await untilTold(stream, 'by-link.txt')
})

test('more changes than are worth telling one by one make the folder stale', async () => {
  server.put({ 'many/': '' })
  await using stream = await openEvents(ada, openFolder('/many'))
  await stream.until('hello')
  for (let number = 0; number < 1500; number += 1) writeFileSync(at(`many/${number}`), '')
  await stream.until('stale', ({ folder }) => folder === '/many')
})

test('a folder that is moved, and one below it, are stale', async () => {
  server.put({ 'moving/inner/': '' })
  await using stream = await openEvents(ada, openFolder('/moving', '/moving/inner', '/'))
  await stream.until('hello')
  await ada('/api/resources/moving?action=rename&destination=%2Fmoved', { method: 'PATCH' })
  for (const path of ['/moving', '/moving/inner']) await stream.until('stale', ({ folder }) => folder === path)
  await stream.until('folder', ({ gone }) => gone.includes('moving'))
  await untilTold(stream, 'moved')
})

test('too many folders, and too many streams of an account, are refused', async () => {
  const folders = Array.from({ length: 51 }, (_, number) => `/${number}`)
  expect((await ada(`/api/events${openFolder(...folders)}`)).status).toBe(400)
  await server.addUser('busy')
  const busy: Ask = await server.as('busy')
  const streams = await Promise.all(Array.from({ length: 20 }, () => openEvents(busy)))
  expect((await busy('/api/events')).status).toBe(429)
  await cut(streams[0] as EventStream)
  await until(() => events.listeners === 19)
  streams.push(await openEvents(busy))
  for (const stream of streams) await cut(stream)
  await until(() => events.listeners === 0)
})

test('HEAD answers with the headers of a stream, and listens to nothing', async () => {
  const response = await ada('/api/events', { method: 'HEAD' })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  expect(events.listeners).toBe(0)
})

test('a client that stops reading is dropped, and others are told on', async () => {
  server.put({ 'stalled/': '' })
  const token = await server.signIn('ada')
  const line = await openLine(server.url)
  await line.send(headOf('GET', '/below/api/events?folder=/stalled', { 'x-auth': token }))
  expect(await line.status).toBe(200)
  line.socket.pause()
  await using stream = await openEvents(ada, openFolder('/stalled'))
  await stream.until('hello')
  expect(events.listeners).toBe(2)
  // Each event tells of hundreds of names; the buffers of the kernel take some megabytes first.
  const name = 'n'.repeat(200)
  for (let round = 0; events.listeners === 2; round += 1) {
    expect(round).toBeLessThan(500)
    for (let number = 0; number < 200; number += 1) writeFileSync(at(`stalled/${name}-${number}`), String(round))
    stream.forget()
    await stream.until('folder')
  }
  await stream.until('folder')
  line.reset()
}, 120_000)

test('the streams of a server that stops end at once', async () => {
  await using other = await startServer()
  await other.addUser('ada')
  await using stream = await openEvents(await other.as('ada'))
  await stream.until('hello')
  other.app.endStreams()
  await stream.ended
  expect((await (await other.as('ada'))('/api/events')).status).toBe(503)
})
