import { expect, test } from 'bun:test'
import { type LockHolder, uploadLocks } from './locks.ts'

/** Bytes that come when the test says so. */
function slowSource() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  return { bytes: readable, send: () => writer.write(new Uint8Array(1)) }
}

async function readAll(holder: LockHolder, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0
  for await (const piece of holder.receive(bytes)) size += piece.length
  return size
}

test('the lock of an upload is refused while it is held, is free afterwards, and does not lock other uploads', async () => {
  const { withUpload, isLocked } = uploadLocks()
  const gate = Promise.withResolvers<string>()
  const first = withUpload('a', () => gate.promise)
  expect(isLocked('a')).toBe(true)
  await expect(withUpload('a', async () => 'second')).rejects.toMatchObject({ code: 'locked' })
  expect(await withUpload('b', async () => 'other')).toBe('other')
  gate.resolve('first')
  expect(await first).toBe('first')
  expect(await withUpload('a', async () => 'third')).toBe('third')
  expect(isLocked('a')).toBe(false)
})

test('the lock is released when the work fails', async () => {
  const { withUpload } = uploadLocks()
  await expect(withUpload('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await withUpload('a', async () => 1)).toBe(1)
})

test('the lock of a request that receives nothing for too long is taken over once that request has ended', async () => {
  let now = 0
  const { withUpload } = uploadLocks(() => now)
  const source = slowSource()
  const first = withUpload('a', (holder) => readAll(holder, source.bytes), 1000)
  const ended = first.catch((error) => error.code)
  await source.send()
  now = 900
  await source.send()
  now = 1800
  await expect(withUpload('a', async () => 1, 1000)).rejects.toMatchObject({ code: 'locked' })
  now = 1900
  expect(await withUpload('a', async () => 2, 1000)).toBe(2)
  expect(await ended).toBe('incomplete')
})

test('a request that receives bytes is stopped when the lock is taken over at once', async () => {
  const { withUpload } = uploadLocks()
  const source = slowSource()
  const first = withUpload('a', (holder) => readAll(holder, source.bytes)).catch((error) => error.code)
  await source.send()
  expect(await withUpload('a', async () => 'mine', 0)).toBe('mine')
  expect(await first).toBe('incomplete')
})

test('a request that is stopped before it receives gets no byte', async () => {
  const { withUpload } = uploadLocks()
  const gate = Promise.withResolvers<void>()
  const source = slowSource()
  const first = withUpload('a', async (holder) => {
    await gate.promise
    return readAll(holder, source.bytes)
  }).catch((error) => error.code)
  const second = withUpload('a', async () => 'mine', 0)
  gate.resolve()
  expect(await second).toBe('mine')
  expect(await first).toBe('incomplete')
})

test('a request that has fallen silent is stopped for another process, and one that receives is not', async () => {
  let now = 0
  const { withUpload, release, isLocked } = uploadLocks(() => now)
  const { bytes, send } = slowSource()
  const receiving = withUpload('a', (holder) => readAll(holder, bytes)).catch((error) => error.code)
  now = 10_000
  await send()
  now = 20_000
  expect([await release('a', 15_000), isLocked('a')]).toEqual([false, true])
  now = 26_000
  expect([await release('a', 15_000), isLocked('a')]).toEqual([true, false])
  expect(await receiving).toBe('incomplete')
  expect(await release('a', 0)).toBe(false)
})
