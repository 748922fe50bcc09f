import { expect, test } from 'bun:test'
import { crc32 } from 'node:zlib'
import type { Scope } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import { DiskEntry } from '../storage/disk/entry.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Entry, FilesInPlace, Places, WholeFile } from '../storage/port.ts'
import type { Member } from './members.ts'
import { type Placed, placed } from './placed.ts'

interface Options {
  size?: number
  isLink?: boolean
  isRead?: boolean
  around?: number | undefined
}

function item(path: string, options: Options = {}): Placed {
  const { size = 10, isLink = false, isRead = true } = options
  const name = path.slice(path.lastIndexOf('/') + 1)
  const facts = { name, isLink, size, mode: 0o644, seconds: 1, nanoseconds: 0, inode: 1, device: 1 }
  const member: Member = { path: path as VirtualPath, name, entry: new DiskEntry({ ...facts, kind: 'file' }) }
  return { member, isRead, around: 'around' in options ? options.around : 3 }
}

const contentOf = ({ path, entry }: Member): Buffer => Buffer.alloc(entry.size, path)
const fileOf = ({ member }: Placed): WholeFile => ({ entry: member.entry, bytes: contentOf(member) })

type Read = (folder: VirtualPath, places: Places) => Promise<FilesInPlace | undefined>

/** A storage whose memory holds something before. `held` counts what was not released. */
function reading(items: readonly Placed[], readInPlaces?: Read) {
  const tasks: string[] = []
  const opened: string[] = []
  /** What the storage says of a file when it reads it, where that is not what the listing said. */
  const entries = new Map<string, Entry>()
  const counts = { held: 0, most: 0 }
  const memberAt = (path: string) => items.find(({ member }) => member.path === path)
  const place: Read = async (folder, { names, starts, size }) => {
    const memory = Buffer.alloc(size, '#')
    const members = names.map((name) => memberAt(`${folder}/${name}`)?.member)
    for (const [index, member] of members.entries()) if (member) memory.set(contentOf(member), starts[index])
    counts.held += 1
    counts.most = Math.max(counts.most, counts.held)
    const release = () => {
      counts.held -= 1
    }
    return { checksums: members.map((member) => member && crc32(contentOf(member))), memory, release }
  }
  const scope = {
    readInPlaces(folder: VirtualPath, places: Places) {
      tasks.push(`${folder}: ${places.names.join()} (${places.size})`)
      return (readInPlaces ?? place)(folder, places)
    },
    readFiles: async (folder: VirtualPath, names: readonly string[]) =>
      names.map((name) => {
        const found = memberAt(`${folder}/${name}`)
        const entry = entries.get(`${folder}/${name}`) ?? found?.member.entry
        return found && entry && { entry, bytes: contentOf({ ...found.member, entry }) }
      }),
  } as unknown as Scope
  const open = async (one: Placed) => {
    opened.push(one.member.path)
    return fileOf(one)
  }
  async function* runs() {
    yield items
  }
  return { tasks, opened, entries, counts, place, pieces: () => placed(scope, runs(), open) }
}

/** What the format would send: signs for what it puts around, and the contents. */
async function written({ pieces }: ReturnType<typeof reading>): Promise<string[]> {
  const texts: string[] = []
  for await (const { items, files, memory } of pieces()) {
    let end = 0
    for (const [index, { member, isRead, around }] of items.entries()) {
      expect(files[index]).toEqual(isRead ? { entry: member.entry, checksum: crc32(contentOf(member)) } : undefined)
      memory.fill('-', end, end + (around ?? 0))
      end += (around ?? 0) + (isRead ? member.entry.size : 0)
    }
    texts.push(memory.toString('utf8', 0, end))
  }
  return texts
}

test('files of a folder are read to their places, and each folder by itself', async () => {
  const storage = reading(['/a/1', '/a/2', '/b/3', '/a/4'].map((path) => item(path, { size: 4 })))
  expect(await written(storage)).toEqual(['---/a/1---/a/2', '---/b/3', '---/a/4'])
  expect(storage.tasks).toEqual(['/a: 1,2 (14)', '/b: 3 (7)', '/a: 4 (7)'])
  expect([storage.opened, storage.counts.held]).toEqual([[], 0])
})

test('what has no content lies between, and what is packed by itself ends a piece', async () => {
  const large = item('/a/large', { isRead: false, around: undefined })
  const items = [item('/a/', { isRead: false }), item('/a/1', { size: 4 }), item('/a/e', { isRead: false }), large]
  const storage = reading([...items, item('/a/2', { size: 4 }), item('/', { isRead: false })])
  expect(await written(storage)).toEqual(['------/a/1---', '', '---/a/2---'])
})

test('no more than half a mebibyte is put together, and three pieces are held at the most', async () => {
  const storage = reading(Array.from({ length: 40 }, (_, index) => item(`/a/${index}`, { size: 250_000 })))
  expect((await written(storage)).map((text) => text.length)).toEqual(Array.from({ length: 20 }, () => 2 * 250_003))
  expect(storage.counts).toEqual({ held: 0, most: 3 })
})

test('what did not come is asked for again, and symlinks and what was not read are opened', async () => {
  const items = ['/a/1', '/a/link', '/a/2', '/a/3'].map((path) => item(path, { size: 4, isLink: path === '/a/link' }))
  const storage = reading(items, async (folder, places) => {
    const found = await storage.place(folder, places)
    return found && { ...found, checksums: [places.names[0] === '2' ? undefined : found.checksums[0]] }
  })
  expect(await written(storage)).toEqual(['---/a/1---/a/l', '---/a/2', '---/a/3'])
  expect(storage.tasks).toEqual(['/a: 1,2,3 (28)', '/a: 2,3 (14)', '/a: 3 (7)'])
  expect(storage.opened).toEqual(['/a/link', '/a/2'])
  expect(storage.counts.held).toBe(0)
})

test('a storage that cannot place files reads them, and a folder that is gone has them opened', async () => {
  const items = ['/a/1', '/a/2'].map((path) => item(path, { size: 4 }))
  const unplaced = reading(items, async () => undefined)
  expect([await written(unplaced), unplaced.opened]).toEqual([['---/a/1---/a/2'], []])
  const refusing = (code: 'not-found' | 'unavailable') =>
    reading(items, async () => {
      throw new Failure(code, 'test')
    })
  const gone = refusing('not-found')
  expect([await written(gone), gone.opened]).toEqual([['---/a/1---/a/2'], ['/a/1', '/a/2']])
  await expect(written(refusing('unavailable'))).rejects.toMatchObject({ code: 'unavailable' })
})

test('a file of which a listing tells another time than the storage is read once, and its own time is told', async () => {
  const listed = item('/a/1', { size: 4 })
  const own = listed.member.entry.with({ seconds: 2 })
  const storage = reading([listed], async () => undefined)
  storage.entries.set('/a/1', own)
  for await (const { files, memory } of storage.pieces()) {
    expect(files).toEqual([{ entry: own, checksum: crc32(contentOf(listed.member)) }])
    expect(memory.toString('utf8', 3, 7)).toBe('/a/1')
  }
  expect(storage.opened).toEqual([])
})

test('another file than the listed one, or one of another length, is left to be opened', async () => {
  const items = ['/a/1', '/a/2', '/a/3'].map((path) => item(path, { size: 4 }))
  const storage = reading(items, async () => undefined)
  const entry = items[0]?.member.entry as DiskEntry
  storage.entries.set('/a/1', new DiskEntry({ ...entry, inode: 2 }))
  storage.entries.set('/a/2', entry.with({ size: 3 }))
  expect([await written(storage), storage.opened]).toEqual([['---/a/1---/a/2---/a/3'], ['/a/1', '/a/2']])
})

test('where a disk is so slow that files come one by one, no more memory of the storage is held for it', async () => {
  const items = Array.from({ length: 40 }, (_, index) => item(`/a/${index}`, { size: 1000 }))
  const storage = reading(items, async (folder, places) => {
    const found = await storage.place(folder, places)
    return found && { ...found, checksums: found.checksums.slice(0, 1) }
  })
  expect((await written(storage)).map((text) => text.length)).toEqual(Array.from({ length: 40 }, () => 1003))
  expect([storage.tasks.length, storage.counts.held]).toEqual([40, 0])
  expect(storage.counts.most).toBeLessThanOrEqual(3)
})

test('memory is given back where the archive ends early, or a file cannot be opened', async () => {
  const items = Array.from({ length: 40 }, (_, index) => item(`/a/${index}`, { size: 250_000 }))
  const stopped = reading(items)
  for await (const _ of stopped.pieces()) break
  expect(stopped.counts.held).toBe(0)
  const failing = reading(items, async (folder, places) => {
    const found = await failing.place(folder, places)
    return (
      found && {
        ...found,
        checksums: places.names.map((name, at) => (name === '39' ? undefined : found.checksums[at])),
      }
    )
  })
  failing.opened.push = () => {
    throw new Failure('changed-meanwhile', 'test')
  }
  await expect(written(failing)).rejects.toMatchObject({ code: 'changed-meanwhile' })
  expect(failing.counts.held).toBe(0)
})
