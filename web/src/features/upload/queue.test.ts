import { expect, test } from 'bun:test'
import { type FileJob, type Queue, uploadQueue } from './queue.ts'

const job = (id: string, size = 10): FileJob => ({
  kind: 'file',
  id,
  path: `/${id}`,
  name: id,
  into: '/',
  size,
  file: new File([], id),
  override: false,
  url: null,
  handle: null,
  kept: null,
})

const states = (queue: Queue) => queue.listed().map((id) => `${id} ${queue.find(id)?.state.status}`)

test('no more than the limit is on its way, oldest first', () => {
  const queue = uploadQueue(2)
  queue.add([job('a'), job('b'), job('c')])
  expect(queue.start().map(({ id }) => id)).toEqual(['a', 'b'])
  expect(queue.start()).toEqual([])
  queue.change('a', { status: 'done' })
  expect(queue.start().map(({ id }) => id)).toEqual(['c'])
  expect(states(queue)).toEqual(['b uploading', 'c uploading', 'a done'])
})

test('the sums follow every step, also backwards', () => {
  const queue = uploadQueue()
  queue.add([job('a', 100), job('b', 50)])
  queue.start()
  queue.change('a', { status: 'uploading', sent: 60 })
  expect(queue.totals()).toMatchObject({ bytes: 150, sent: 60 })
  queue.change('a', { status: 'uploading', sent: 20 })
  queue.change('b', { status: 'done' })
  expect(queue.totals()).toMatchObject({ bytes: 150, sent: 70, counts: { uploading: 1, done: 1 } })
  queue.change('a', { status: 'failed', reason: 'cut', isNameTaken: false })
  expect(queue.totals()).toMatchObject({ bytes: 50, sent: 50, counts: { failed: 1 } })
  expect(queue.isBusy()).toBe(false)
})

test('one that failed goes again, to replace what is there if wanted', () => {
  const queue = uploadQueue()
  queue.add([job('a')])
  queue.start()
  queue.again('a')
  expect(states(queue)).toEqual(['a uploading'])
  queue.change('a', { status: 'failed', reason: 'taken', isNameTaken: true })
  queue.again('a', { override: true })
  expect(queue.start()).toMatchObject([{ id: 'a', override: true }])
})

test('what waits can be cancelled and is never started', () => {
  const queue = uploadQueue(1)
  queue.add([job('a'), job('b'), job('c')])
  queue.start()
  queue.change('b', { status: 'skipped', why: 'cancelled' })
  queue.change('a', { status: 'done' })
  expect(queue.start().map(({ id }) => id)).toEqual(['c'])
  expect(queue.totals().bytes).toBe(20)
})

test('the address of an upload stays with it', () => {
  const queue = uploadQueue()
  queue.add([job('a')])
  queue.start()
  queue.noteUrl('a', '/api/tus/a')
  queue.change('a', { status: 'failed', reason: 'cut', isNameTaken: false })
  queue.again('a')
  expect(queue.start()).toMatchObject([{ url: '/api/tus/a' }])
})

test('clearing keeps what failed, or nothing', () => {
  const queue = uploadQueue()
  queue.add([job('a'), job('b')])
  queue.start()
  queue.change('a', { status: 'done' })
  queue.change('b', { status: 'failed', reason: 'cut', isNameTaken: false })
  queue.clear('failed')
  expect(states(queue)).toEqual(['b failed'])
  queue.clear()
  expect(queue.listed()).toEqual([])
  expect(queue.totals()).toMatchObject({ bytes: 0, sent: 0 })
})

test('progress of one among many leaves the list as it is', () => {
  const queue = uploadQueue()
  queue.add(Array.from({ length: 20_000 }, (_, index) => job(String(index))))
  queue.start()
  const before = queue.listed()
  for (let sent = 0; sent < 10; sent += 1) queue.change('0', { status: 'uploading', sent })
  expect(queue.listed()).toBe(before)
  expect(queue.find('0')?.state).toEqual({ status: 'uploading', sent: 9 })
})
