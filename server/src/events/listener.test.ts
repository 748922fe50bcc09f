import { expect, test } from 'bun:test'
import { parsePath } from '../storage/path.ts'
import { folderEvent, Listener, staleEvent } from './listener.ts'

const folder = parsePath('/a')
const again = () => Promise.reject(new Error('not asked'))
const notice = { name: 'notice', data: { topic: 'shares' } } as const
const gone = (name: string) => folderEvent({ name: 'folder', data: { folder, put: [], gone: [name] } })

function begun() {
  const ends: string[] = []
  const listening = { key: 1, session: 's', folders: [folder], all: false, again }
  const listener = new Listener(listening, (reason) => ends.push(reason))
  return { listener, ends }
}

test('what was sent before the beginning comes behind it', async () => {
  const { listener } = begun()
  listener.send(notice, 'e-2')
  listener.begin([{ name: 'hello', data: { folders: {} } }], 'e-1')
  expect(await listener.next()).toBe(
    'id: e-1\nevent: hello\ndata: {"folders":{}}\n\nid: e-2\nevent: notice\ndata: {"topic":"shares"}\n\n',
  )
})

test('of events with the same key the last one alone waits', async () => {
  const { listener } = begun()
  listener.begin([], 'e-1')
  for (const id of ['1', '2']) listener.send({ name: 'job-gone', data: { id } }, `e-${id}`, 'job x')
  listener.send(notice, 'e-3')
  listener.send({ name: 'job-gone', data: { id: '4' } }, 'e-4', 'job x')
  const text = (await listener.next()) ?? ''
  expect(text.match(/^id: .*/gm)).toEqual(['id: e-3', 'id: e-4'])
})

test('what was told of a folder last is not told again, but stale is', async () => {
  const { listener } = begun()
  listener.begin([], 'e-1')
  for (const [id, event] of [
    gone('x'),
    gone('x'),
    gone('y'),
    gone('x'),
    staleEvent(folder),
    staleEvent(folder),
  ].entries())
    listener.sendAbout(folder, event, `e-${id}`)
  expect(((await listener.next()) ?? '').match(/^id: .*/gm)).toEqual([
    'id: e-0',
    'id: e-2',
    'id: e-3',
    'id: e-4',
    'id: e-5',
  ])
})

test('a client that lets too much wait is dropped, and one large event alone is not too much', async () => {
  const { listener, ends } = begun()
  listener.begin([], 'e-1')
  const large = gone('n'.repeat(400_000))
  listener.sendAbout(folder, large, 'e-2')
  expect(ends).toEqual([])
  listener.send(notice, 'e-3')
  expect([ends, listener.isOver]).toEqual([['stalled'], true])
  expect(await listener.next()).toBeUndefined()
})

test('a client that takes nothing for several beats is dropped', async () => {
  const { listener, ends } = begun()
  listener.begin([], 'e-1')
  for (let count = 0; count < 10; count += 1) {
    listener.beat('e-1')
    expect(await listener.next()).toContain('id: e-1\n')
  }
  for (let count = 0; count < 4; count += 1) listener.beat('e-1')
  expect(ends).toEqual(['stalled'])
})

test('what waits at the end is still taken', async () => {
  const { listener, ends } = begun()
  listener.begin([], 'e-1')
  listener.send(notice, 'e-2')
  listener.end()
  listener.end()
  listener.send(notice, 'e-3')
  expect(ends).toEqual(['over'])
  expect(await listener.next()).toContain('id: e-2\n')
  expect(await listener.next()).toBeUndefined()
})
