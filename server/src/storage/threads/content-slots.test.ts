import { afterAll, expect, test } from 'bun:test'
import { entryOf } from '../disk/entry.ts'
import { fileInPassing } from '../disk/reading.ts'
import { linuxKernel, O } from '../linux/kernel.ts'
import type { VirtualPath } from '../path.ts'
import { makeFolder, putFiles, removeFolders } from '../testing/disk.fixture.ts'
import { refusalOf } from '../testing/subject.fixture.ts'
import { threadedDisk } from '../testing/threads.fixture.ts'
import { contentMemory, contentSlots, forGroups } from './content-slots.ts'
import { threadedScopes } from './scopes.ts'

const root = await makeFolder()
afterAll(() => removeFolders())

test('a slot is taken once until it is released, and both sides see the same memory', () => {
  const memory = contentMemory()
  const [thread, loop] = [contentSlots(memory), contentSlots(memory)]
  const taken = Array.from({ length: 16 }, () => thread.take())
  expect(new Set(taken).size).toBe(16)
  expect(thread.take()).toBeUndefined()
  thread.memoryOf(3, 2).set([7, 8])
  expect([...loop.memoryOf(3, 2)]).toEqual([7, 8])
  loop.release(3)
  expect(thread.take()).toBe(3)
})

test('files that are read together come in memory of the thread, and in their own where all of that is held', async () => {
  const scopes = threadedScopes({ ...threadedDisk(root), pool: { leastReaders: 1 } })
  const text = 'abc'.repeat(1000)
  await putFiles(root, { '/one': text })
  try {
    await scopes.ready()
    const storage = scopes.storageAt('/')
    const entries = [await storage.stat('/one' as VirtualPath)]
    const places = { names: ['one'], entries, starts: [10], size: 4000 }
    const read = async (size = places.size) => {
      const placed = await storage.readInPlaces?.('/' as VirtualPath, { ...places, size })
      if (placed?.checksums[0] === undefined) throw new Error('nothing was read')
      expect(Buffer.from(placed.memory.slice(10, 10 + text.length)).toString()).toBe(text)
      return placed
    }
    const isShared = ({ memory }: { memory: Uint8Array }) => memory.buffer instanceof SharedArrayBuffer
    const held = await Promise.all(Array.from({ length: forGroups.count + 1 }, () => read()))
    expect(held.filter(isShared)).toHaveLength(forGroups.count)
    expect(new Set(held.map(({ memory }) => `${isShared({ memory })} ${memory.byteOffset}`)).size).toBe(held.length)
    for (const { release } of held) release()
    for (let index = 0; index < 2 * forGroups.count; index += 1) {
      const placed = await read()
      expect(isShared(placed)).toBe(true)
      placed.release()
    }
    expect(isShared(await read(forGroups.length + 1))).toBe(false)
    const gone = async () => storage.readInPlaces?.('/none' as VirtualPath, places)
    expect(await refusalOf(gone())).toMatchObject({ code: 'not-found' })
    const again = await Promise.all(Array.from({ length: forGroups.count }, () => read()))
    expect(again.every(isShared)).toBe(true)
  } finally {
    scopes.close()
  }
})

const kernel = linuxKernel()

function passingFile(text: string) {
  const memory = new TextEncoder().encode(text)
  const released: number[] = []
  const fd = kernel.open(-1, root, O.RDONLY)
  const entry = entryOf('a', kernel.statOpen(fd))
  kernel.close(fd)
  return { memory, released, file: fileInPassing(memory, entry, () => void released.push(1)) }
}

test('bytes that were asked for are a copy, and free the memory', async () => {
  const { memory, released, file } = passingFile('first')
  const bytes = file.bytes
  expect(released).toHaveLength(1)
  memory.fill(0)
  expect(new TextDecoder().decode(bytes)).toBe('first')
  expect(file.passing?.()).toBeUndefined()
  expect(await new Response(file.content as Blob).text()).toBe('first')
  expect(new TextDecoder().decode(await file.head())).toBe('first')
  file.close()
  expect(released).toHaveLength(1)
})

test('a closed file tells nothing of the next one in its memory', async () => {
  const { memory, released, file } = passingFile('first')
  expect(file.passing?.()).toBe(memory)
  file.close()
  file.close()
  expect(released).toHaveLength(1)
  memory.set(new TextEncoder().encode('other'))
  expect(file.passing?.()).toBeUndefined()
  expect(() => file.bytes).toThrow('closed')
  expect(() => file.content).toThrow('closed')
  await expect(file.head()).rejects.toThrow('closed')
})

test('an answer keeps its bytes after the memory has others', async () => {
  const memory = contentSlots(contentMemory()).memoryOf(0, 3)
  memory.set([1, 2, 3])
  const answer = new Response(memory)
  memory.fill(9)
  expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([1, 2, 3])
})

test('more files than slots are open at once, and each has its own content', async () => {
  const names = Array.from({ length: 40 }, (_, number) => `${number}.txt`)
  const contentOf = (name: string) => `${name} `.repeat(1000)
  await putFiles(root, Object.fromEntries(names.map((name) => [name, contentOf(name)])))
  const scopes = threadedScopes(threadedDisk(root))
  const storage = scopes.storageAt('/')
  for (const round of [1, 2]) {
    const files = await Promise.all(names.map((name) => storage.open(`/${name}` as VirtualPath)))
    expect(files.some((file) => file.passing?.() !== undefined)).toBe(true)
    for (const [index, file] of files.entries()) {
      const bytes = file.passing?.() ?? file.bytes ?? new Uint8Array()
      expect(new TextDecoder().decode(bytes), `round ${round}`).toBe(contentOf(names[index] ?? ''))
      file.close()
    }
  }
  scopes.close()
})
