import { afterAll, expect, test } from 'bun:test'
import { entryOf } from '../disk/entry.ts'
import { linuxKernel } from '../linux/kernel.ts'
import type { FileHead } from '../port.ts'
import { makeFolder, removeFolders } from '../testing/disk.fixture.ts'
import { type ContentSlots, contentMemory, contentSlots, forGroups } from './content-slots.ts'
import type { CallOptions } from './lane.ts'
import { sentEntries } from './numbered-entries.ts'
import { packBytes, packEntries } from './packing.ts'
import type { Pool } from './pool.ts'
import { isSmallFolder, sharedLooks } from './shared-looks.ts'
import { fillings, threadedStorage } from './storage.ts'

// What the event loop makes of answers, with threads that are played.

const root = await makeFolder()
const kernel = linuxKernel()
afterAll(removeFolders)

const shared = () => ({
  folders: sharedLooks(isSmallFolder),
  heads: sharedLooks<FileHead>(),
})

test('an answer that comes too late to count is taken in behind those before it', async () => {
  const waiting: { resolve(end: object): void; late: ((end: object) => void) | undefined }[] = []
  const run = (_name: string, _task: object, { late }: CallOptions = {}) =>
    new Promise((resolve) => waiting.push({ resolve, late: late as never }))
  const pool = { readers: { run, pin: () => () => {} }, knowsHalfWritten: () => false } as unknown as Pool
  const parts = { pool, fillings: fillings(), root: '/', foldsCase: () => false, sent: sentEntries(), ...shared() }
  const storage = threadedStorage(parts, { scope: '/', below: [] })
  const folder = entryOf('a', kernel.stat(-1, root))
  const packed = packEntries([folder])
  const first = storage.list('/a' as never)
  waiting[0]?.resolve({ folder, small: { thread: 1, number: 1, sent: { least: 1, packed } } })
  expect((await first).entries).toHaveLength(1)
  const again = storage.list('/a' as never)
  void storage.list('/b' as never)
  waiting[1]?.resolve({ folder, small: { thread: 1, number: 1 } })
  waiting[2]?.late?.({ folder, small: { thread: 1, number: 2, sent: { least: 2, packed } } })
  expect((await again).entries).toHaveLength(1)
})

test('the beginning of a file that several requests of one turn ask for is read once, and again in the next turn', async () => {
  const entry = entryOf('a', kernel.stat(-1, root))
  let tasks = 0
  const run = async () => {
    tasks += 1
    return { entry, head: packBytes(new Uint8Array(Buffer.from('GIF89a'))) }
  }
  const pool = { readers: { run, pin: () => () => {} }, knowsHalfWritten: () => false } as unknown as Pool
  const parts = { pool, fillings: fillings(), root: '/', foldsCase: () => false, sent: sentEntries(), ...shared() }
  const storage = threadedStorage(parts, { scope: '/', below: [] })
  const heads = await Promise.all(['/a', '/a', '/b'].map((path) => storage.readHead(path as never)))
  expect(heads.map(({ head }) => String(head))).toEqual(Array(3).fill(String(Buffer.from('GIF89a'))))
  expect(tasks).toBe(2)
  // From another base the same path is another file.
  await threadedStorage(parts, { scope: '/x', below: [] }).readHead('/a' as never)
  expect(tasks).toBe(3)
  await Bun.sleep(1)
  await storage.readHead('/a' as never)
  expect(tasks).toBe(4)
})

test('memory that a thread tells of with an answer takes back what a late answer behind it holds', async () => {
  const memory = contentMemory(forGroups)
  const slots = contentSlots(memory, forGroups)
  const known = new Map<number, ContentSlots>()
  const waiting: { resolve(read: object): void; late: ((read: object) => void) | undefined }[] = []
  const run = (_name: string, _task: object, { late }: CallOptions = {}) =>
    new Promise((resolve) => waiting.push({ resolve, late: late as never }))
  const pool = {
    readers: { run },
    knowsHalfWritten: () => false,
    groupSlotsOf(thread: number, told?: SharedArrayBuffer) {
      if (told !== undefined) known.set(thread, contentSlots(told, forGroups))
      return known.get(thread)
    },
  } as unknown as Pool
  const parts = { pool, fillings: fillings(), root: '/', foldsCase: () => false, sent: sentEntries(), ...shared() }
  const storage = threadedStorage(parts, { scope: '/', below: [] })
  const places = { names: [], entries: [], starts: [], size: 10 }
  const first = storage.readInPlaces?.('/a' as never, places)
  void storage.readInPlaces?.('/b' as never, places)
  const taken = [slots.take(), slots.take()]
  waiting[0]?.resolve({ checksums: [], slot: { thread: 1, number: taken[0], memory } })
  waiting[1]?.late?.({ checksums: [], slot: { thread: 1, number: taken[1] } })
  const placed = await first
  expect(slots.take()).toBe(taken[1])
  placed?.release()
  expect(slots.take()).toBe(taken[0])
})
