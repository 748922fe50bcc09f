import { expect, test } from 'bun:test'
import { uploadWriters, type Writer } from './writers.ts'

/** Bytes that come when the test says so. */
function slowSource() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  return { bytes: readable, send: () => writer.write(new Uint8Array(1)) }
}

async function readAll(writer: Writer, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0
  for await (const piece of writer.listen(bytes)) size += piece.length
  return size
}

test('one at a time; another upload does not mind; afterwards it is free again', async () => {
  const { alone, isBusy } = uploadWriters()
  const gate = Promise.withResolvers<string>()
  const first = alone('a', () => gate.promise)
  expect(isBusy('a')).toBe(true)
  await expect(alone('a', async () => 'second')).rejects.toMatchObject({ code: 'locked' })
  expect(await alone('b', async () => 'other')).toBe('other')
  gate.resolve('first')
  expect(await first).toBe('first')
  expect(await alone('a', async () => 'third')).toBe('third')
  expect(isBusy('a')).toBe(false)
})

test('work that fails frees its place', async () => {
  const { alone } = uploadWriters()
  await expect(alone('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await alone('a', async () => 1)).toBe(1)
})

test('one that has fallen silent gives way, and only then the next begins', async () => {
  let now = 0
  const { alone } = uploadWriters(() => now)
  const source = slowSource()
  const first = alone('a', (writer) => readAll(writer, source.bytes), 1000)
  const ended = first.catch((error) => error.code)
  await source.send()
  now = 900
  await source.send()
  now = 1800
  await expect(alone('a', async () => 1, 1000)).rejects.toMatchObject({ code: 'locked' })
  now = 1900
  expect(await alone('a', async () => 2, 1000)).toBe(2)
  expect(await ended).toBe('incomplete')
})

test('with no patience at all even a busy one is stopped', async () => {
  const { alone } = uploadWriters()
  const source = slowSource()
  const first = alone('a', (writer) => readAll(writer, source.bytes)).catch((error) => error.code)
  await source.send()
  expect(await alone('a', async () => 'mine', 0)).toBe('mine')
  expect(await first).toBe('incomplete')
})

test('one that is stopped before it listens hears nothing', async () => {
  const { alone } = uploadWriters()
  const gate = Promise.withResolvers<void>()
  const source = slowSource()
  const first = alone('a', async (writer) => {
    await gate.promise
    return readAll(writer, source.bytes)
  }).catch((error) => error.code)
  const second = alone('a', async () => 'mine', 0)
  gate.resolve()
  expect(await second).toBe('mine')
  expect(await first).toBe('incomplete')
})
