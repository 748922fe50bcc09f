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

const states = (queue: Queue) => queue.slice(0, queue.size()).map(({ job, state }) => `${job.id} ${state.status}`)

test('the queue starts no more than its limit, oldest first', () => {
  const queue = uploadQueue(2)
  queue.add([job('a'), job('b'), job('c')])
  expect(queue.start().map(({ id }) => id)).toEqual(['a', 'b'])
  expect(queue.start()).toEqual([])
  queue.change('a', { status: 'done' })
  expect(queue.start().map(({ id }) => id)).toEqual(['c'])
  expect(states(queue)).toEqual(['b uploading', 'c uploading', 'a done'])
})

test('totals follow every change of state', () => {
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

test('a failed upload can be put in line again, with override', () => {
  const queue = uploadQueue()
  queue.add([job('a')])
  queue.start()
  queue.again('a')
  expect(states(queue)).toEqual(['a uploading'])
  queue.change('a', { status: 'failed', reason: 'taken', isNameTaken: true })
  queue.again('a', { override: true })
  expect(queue.start()).toMatchObject([{ id: 'a', override: true }])
})

test('a cancelled upload is never started', () => {
  const queue = uploadQueue(1)
  queue.add([job('a'), job('b'), job('c')])
  queue.start()
  queue.change('b', { status: 'skipped', why: 'cancelled' })
  queue.change('a', { status: 'done' })
  expect(queue.start().map(({ id }) => id)).toEqual(['c'])
  expect(queue.totals().bytes).toBe(20)
})

test('the address of an upload stays with it after a failure', () => {
  const queue = uploadQueue()
  queue.add([job('a')])
  queue.start()
  queue.noteUrl('a', '/api/tus/a')
  queue.change('a', { status: 'failed', reason: 'cut', isNameTaken: false })
  queue.again('a')
  expect(queue.start()).toMatchObject([{ url: '/api/tus/a' }])
})

test('clear keeps failed uploads, or none', () => {
  const queue = uploadQueue()
  queue.add([job('a'), job('b')])
  queue.start()
  queue.change('a', { status: 'done' })
  queue.change('b', { status: 'failed', reason: 'cut', isNameTaken: false })
  queue.clear('failed')
  expect(states(queue)).toEqual(['b failed'])
  queue.clear()
  expect(queue.size()).toBe(0)
  expect(queue.totals()).toMatchObject({ bytes: 0, sent: 0 })
})

test('a slice of the list runs over the states in their order', () => {
  const queue = uploadQueue(2)
  queue.add(Array.from({ length: 20_000 }, (_, index) => job(String(index))))
  queue.start()
  queue.change('0', { status: 'done' })
  queue.change('1', { status: 'failed', reason: 'cut', isNameTaken: false })
  queue.start()
  const at = (start: number, end: number) => queue.slice(start, end).map(({ job }) => job.id)
  expect(at(0, 4)).toEqual(['2', '3', '1', '4'])
  expect(at(19_997, 20_001)).toEqual(['19998', '19999', '0'])
  expect(at(20_000, 20_010)).toEqual([])
})

test('what is put back comes first again, and keeps what was sent', () => {
  const queue = uploadQueue(2)
  queue.add([job('a'), job('b'), job('c')])
  queue.start()
  queue.change('b', { status: 'uploading', sent: 4 })
  expect(queue.putBack()).toEqual(['a', 'b'])
  expect(states(queue)).toEqual(['a queued', 'b queued', 'c queued'])
  expect(queue.totals()).toMatchObject({ sent: 4, bytes: 30 })
  expect(queue.start().map(({ id }) => id)).toEqual(['a', 'b'])
  expect(queue.totals().sent).toBe(4)
})
