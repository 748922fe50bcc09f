import { expect, test } from 'bun:test'
import { readListing } from './listing-stream.ts'

const items = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ path: `/ä/${at}`, name: `},{"path":"${at}`, size: at, isDir: false }))
const folderOf = (count: number) => ({ items: items(count), numFiles: count, path: '/ä', isDir: true })

const streamOf = (text: string, length: number) => {
  const bytes = new TextEncoder().encode(text)
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += length) controller.enqueue(bytes.slice(at, at + length))
      controller.close()
    },
  })
}

const read = async (text: string, length: number) => {
  const beginnings: number[] = []
  const listing: unknown = await readListing(streamOf(text, length), (first) => void beginnings.push(first.length))
  return { listing, beginnings }
}

test.each([1, 7, 64, 1000, 1_000_000])('a folder in chunks of %d bytes is the same folder', async (length) => {
  for (const count of [0, 1, 2, 60]) {
    const { listing } = await read(JSON.stringify(folderOf(count)), length)
    expect(listing).toEqual(folderOf(count))
  }
})

test('the beginning is told once, and is a part of the whole', async () => {
  const { beginnings } = await read(JSON.stringify(folderOf(1000)), 2000)
  expect(beginnings).toHaveLength(1)
  expect(beginnings[0]).toBeGreaterThan(5)
  expect(beginnings[0]).toBeLessThan(100)
})

test('what follows the beginning is read when that has been shown', async () => {
  const shown = Promise.withResolvers<void>()
  let isRead = false
  const reading = readListing(streamOf(JSON.stringify(folderOf(1000)), 2000), () => shown.promise).finally(() => {
    isRead = true
  })
  await Bun.sleep(50)
  expect(isRead).toBe(false)
  shown.resolve()
  expect(await reading).toEqual(folderOf(1000) as never)
})

test('anything else than a folder is parsed as it is', async () => {
  const file = { path: '/a', name: 'a', content: '{"items":[},{"path":' }
  expect(await read(JSON.stringify(file), 5)).toEqual({ listing: file, beginnings: [] })
})

test('an answer that ends too early is no listing', async () => {
  const text = JSON.stringify(folderOf(50))
  for (const end of [text.length - 1, text.length - 30, 500, 3])
    expect(await read(text.slice(0, end), 100).catch((error: Error) => error.name)).toBe('SyntaxError')
})
