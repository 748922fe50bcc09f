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
  expect(
    queue
      .start()
      .flat()
      .map(({ id }) => id),
  ).toEqual(['a', 'b'])
  expect(queue.start()).toEqual([])
  queue.change('a', { status: 'done' })
  expect(
    queue
      .start()
      .flat()
      .map(({ id }) => id),
  ).toEqual(['c'])
  expect(states(queue)).toEqual(['b uploading', 'c uploading', 'a done'])
})

test('small files are started in batches, beside those that are sent alone', () => {
  const queue = uploadQueue(2)
  const small = Array.from({ length: 450 }, (_, index) => job(`s${index}`))
  queue.add([...small, job('large', 1_000_000), { ...job('begun'), url: '/begun' }, job('later', 1_000_000)])
  const sizes = (groups: readonly (readonly unknown[])[]) => groups.map(({ length }) => length)
  expect(sizes(queue.start(1))).toEqual([200, 1, 1])
  expect(sizes(queue.start(0))).toEqual([])
  expect(sizes(queue.start(2))).toEqual([200, 50])
  queue.change('large', { status: 'done' })
  expect(queue.start(0).flat()).toMatchObject([{ id: 'later' }])
  queue.sendAlone('s0', null)
  expect(queue.start(1)).toEqual([])
  queue.change('begun', { status: 'done' })
  expect(queue.start(1)).toMatchObject([[{ id: 's0', isAlone: true }]])
})

test('a batch has no more bytes than a proxy lets through', () => {
  const queue = uploadQueue()
  queue.add(Array.from({ length: 10 }, (_, index) => job(`s${index}`, 128 * 1024)))
  expect(queue.start(2).map(({ length }) => length)).toEqual([6, 4])
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
  expect(queue.start().flat()).toMatchObject([{ id: 'a', override: true }])
})

test('a cancelled upload is never started', () => {
  const queue = uploadQueue(1)
  queue.add([job('a'), job('b'), job('c')])
  queue.start()
  queue.change('b', { status: 'skipped', why: 'cancelled' })
  queue.change('a', { status: 'done' })
  expect(
    queue
      .start()
      .flat()
      .map(({ id }) => id),
  ).toEqual(['c'])
  expect(queue.totals().bytes).toBe(20)
})

test('the address of an upload stays with it after a failure', () => {
  const queue = uploadQueue()
  queue.add([job('a')])
  queue.start()
  queue.noteUrl('a', '/api/tus/a')
  queue.change('a', { status: 'failed', reason: 'cut', isNameTaken: false })
  queue.again('a')
  expect(queue.start().flat()).toMatchObject([{ url: '/api/tus/a' }])
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
  expect(
    queue
      .start()
      .flat()
      .map(({ id }) => id),
  ).toEqual(['a', 'b'])
  expect(queue.totals().sent).toBe(4)
})

test('small files are started in groups, a single one within the limit', () => {
  const small = Array.from({ length: 250 }, (_, index) => job(`small ${index}`))
  const queue = uploadQueue(1)
  queue.add(small)
  expect(queue.start(1).map(({ length }) => length)).toEqual([200])
  expect(queue.start(0)).toEqual([])
  expect(queue.start(2).map(({ length }) => length)).toEqual([50])
  queue.add([job('first')])
  expect(queue.start(2).flat()).toMatchObject([{ id: 'first' }])
  queue.add([job('second')])
  expect(queue.start(2)).toEqual([])
  queue.change('first', { status: 'done' })
  expect(queue.start(2).flat()).toMatchObject([{ id: 'second' }])
})
