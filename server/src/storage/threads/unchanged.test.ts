import { afterAll, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { notePrivate } from '../disk/private-files.ts'
import { mountTable } from '../linux/mounts.ts'
import { parsePath } from '../path.ts'
import { type Found, LinkInTheWay, type Storage } from '../port.ts'
import { makeFolder, removeFolders } from '../testing/disk.fixture.ts'
import { refusalOf } from '../testing/subject.fixture.ts'
import { threadedDisk } from '../testing/threads.fixture.ts'
import { type ThreadedDisk, threadedScopes } from './scopes.ts'

// What is kept of folders while nothing happens in them: it is the same object as before, and whatever any program does
// is seen by the next look.

const root = await makeFolder()
const made: { close(): void }[] = []
/** Stands still, so that a busy machine loses nothing that is kept. */
let time = 0

async function storageWith(parts: Partial<ThreadedDisk> = {}): Promise<Storage> {
  const scopes = threadedScopes(threadedDisk(root, { clock: () => time, ...parts }))
  made.push(scopes)
  await scopes.ready()
  return scopes.storageAt('/')
}

const storage = await storageWith()

afterAll(async () => {
  for (const scopes of made) scopes.close()
  await removeFolders()
})

let count = 0
const nextFolder = () => {
  count += 1
  return `folder ${count}`
}

const find = (path: string, from = storage) => from.find(parsePath(path), { lists: true, mostListed: 1000 })

/** Asked for until it is kept, which takes three times. Undefined where it never is. */
async function kept(path: string, from = storage): Promise<Found | undefined> {
  let last = await find(path, from)
  for (let times = 0; times < 5; times += 1) {
    const next = await find(path, from)
    if (next === last) return next
    last = next
  }
  return undefined
}

/** `top/in/` with two files and a folder. */
function makeSmall() {
  const top = nextFolder()
  const folder = join(root, top, 'in')
  mkdirSync(join(folder, 'below'), { recursive: true })
  writeFileSync(join(folder, 'a.txt'), 'a')
  writeFileSync(join(folder, 'b.txt'), 'b')
  return { top, folder, path: `/${top}/in` }
}

/** A file that is still open for the program which gave it another name, without another link. */
function openUnlinked(folder: string): number {
  const fd = openSync(join(folder, 'draft'), 'w')
  linkSync(join(folder, 'draft'), join(folder, 'published'))
  unlinkSync(join(folder, 'draft'))
  return fd
}

const factsIn = ({ entries = [] }: Found) =>
  Object.fromEntries(
    entries.map(({ name, size, mode, seconds, nanoseconds }) => [name, [size, mode, seconds, nanoseconds]]),
  )

/** Each changes what a listing of `in` tells. */
const changes: Record<string, (folder: string) => void> = {
  'a new file': (folder) => writeFileSync(join(folder, 'c.txt'), ''),
  'a new folder': (folder) => mkdirSync(join(folder, 'other')),
  'a removed file': (folder) => unlinkSync(join(folder, 'a.txt')),
  'a file that grows': (folder) => appendFileSync(join(folder, 'a.txt'), 'more'),
  'a file that is cut': (folder) => {
    const fd = openSync(join(folder, 'a.txt'), 'r+')
    ftruncateSync(fd, 0)
    closeSync(fd)
  },
  'a file with another time': (folder) => utimesSync(join(folder, 'a.txt'), 1, 1),
  'a file with other rights': (folder) => chmodSync(join(folder, 'a.txt'), 0o600),
  'a renamed file': (folder) => renameSync(join(folder, 'a.txt'), join(folder, 'd.txt')),
  'a replaced file': (folder) => {
    writeFileSync(join(folder, '../new'), 'another')
    renameSync(join(folder, '../new'), join(folder, 'a.txt'))
  },
  'a file that came from elsewhere by a link': (folder) => {
    writeFileSync(join(folder, '../new'), 'another')
    linkSync(join(folder, '../new'), join(folder, 'e.txt'))
  },
  'a file that went elsewhere': (folder) => renameSync(join(folder, 'a.txt'), join(folder, '../away')),
  'a new file in a folder below': (folder) => writeFileSync(join(folder, 'below/c.txt'), ''),
  'a folder below with another time': (folder) => utimesSync(join(folder, 'below'), 1, 1),
  'a file below that was renamed': (folder) => {
    writeFileSync(join(folder, 'below/1'), '')
    renameSync(join(folder, 'below/1'), join(folder, 'below/2'))
  },
  'a folder below that was replaced': (folder) => {
    mkdirSync(join(folder, '../other'))
    rmSync(join(folder, 'below'), { recursive: true })
    renameSync(join(folder, '../other'), join(folder, 'below'))
  },
  'a file that became a symlink': (folder) => {
    unlinkSync(join(folder, 'a.txt'))
    symlinkSync('b.txt', join(folder, 'a.txt'))
  },
}

/** The same folder, read by a storage that has never seen it. */
async function readAnew(path: string): Promise<Found> {
  const fresh = threadedScopes(threadedDisk(root))
  try {
    return await find(path, fresh.storageAt('/'))
  } finally {
    fresh.close()
  }
}

describe('a small folder that is asked for again and again', () => {
  test('is kept while nothing happens, and for no longer than a moment', async () => {
    const { path } = makeSmall()
    const found = await kept(path)
    expect(found?.entries).toHaveLength(3)
    expect(await find(path)).toBe(found as Found)
    time += 1100
    expect(await find(path)).not.toBe(found as Found)
  })

  test.each(Object.keys(changes))('shows %s at once', async (change) => {
    const { folder, path } = makeSmall()
    expect(await kept(path)).toBeDefined()
    changes[change]?.(folder)
    expect(factsIn(await find(path))).toEqual(factsIn(await readAnew(path)))
  })

  test('shows a file that is written to while it is open, each time', async () => {
    const { folder, path } = makeSmall()
    const fd = openSync(join(folder, 'a.txt'), 'a')
    for (let size = 2; size < 200; size += 1) {
      appendFileSync(fd, '.')
      const { entries } = await find(path)
      expect(entries?.find(({ name }) => name === 'a.txt')?.size).toBe(size)
    }
    closeSync(fd)
  })

  test('shows what is written to a file that was opened by a name which is gone', async () => {
    const { folder, path } = makeSmall()
    const fd = openUnlinked(folder)
    expect(await kept(path)).toBeDefined()
    writeFileSync(fd, 'words')
    closeSync(fd)
    expect((await find(path)).entries?.find(({ name }) => name === 'published')?.size).toBe(5)
  })

  test('stays kept while files are written in the folders above it and in those in it', async () => {
    const { top, folder, path } = makeSmall()
    writeFileSync(join(folder, 'below/c.txt'), '')
    writeFileSync(join(root, top, 'beside.txt'), '')
    const found = await kept(path)
    appendFileSync(join(folder, 'below/c.txt'), 'more')
    appendFileSync(join(root, top, 'beside.txt'), 'more')
    writeFileSync(join(root, top, 'new beside.txt'), '')
    expect(await find(path)).toBe(found as Found)
    mkdirSync(join(root, top, 'in', 'below', 'new'))
    expect(await find(path)).not.toBe(found as Found)
  })

  test('is gone with a folder above it', async () => {
    const { top, path } = makeSmall()
    expect(await kept(path)).toBeDefined()
    renameSync(join(root, top), join(root, `${top} moved`))
    expect(await refusalOf(find(path))).toMatchObject({ code: 'not-found' })
    expect((await find(`/${top} moved/in`)).entries).toHaveLength(3)
  })

  test('is gone itself', async () => {
    const { folder, path } = makeSmall()
    expect(await kept(path)).toBeDefined()
    rmSync(folder, { recursive: true })
    expect(await refusalOf(find(path))).toMatchObject({ code: 'not-found' })
  })

  test('is not shown through a symlink that took its place, or that of a folder above it', async () => {
    for (const below of ['in', '']) {
      const { top, path } = makeSmall()
      expect(await kept(path)).toBeDefined()
      const place = join(root, top, below)
      renameSync(place, `${place} moved`)
      symlinkSync(`${place} moved`, place)
      expect(await refusalOf(find(path))).toBeInstanceOf(LinkInTheWay)
    }
  })

  test('is not kept where a file in it has another name, by which it changes untold', async () => {
    const { top, folder, path } = makeSmall()
    linkSync(join(folder, 'a.txt'), join(root, top, 'other name'))
    expect(await kept(path)).toBeUndefined()
    appendFileSync(join(root, top, 'other name'), 'more')
    expect((await find(path)).entries?.find(({ name }) => name === 'a.txt')?.size).toBe(5)
  })

  test('is not kept where there are many folders in it', async () => {
    const { folder, path } = makeSmall()
    for (let index = 0; index < 20; index += 1) mkdirSync(join(folder, `${index}`))
    expect(await kept(path)).toBeUndefined()
  })

  test('is not kept where others may change it without the kernel', async () => {
    const { path } = makeSmall()
    const remote = await storageWith({ pool: { mounts: { ...mountTable(), isRemote: () => true } } })
    expect(await kept(path, remote)).toBeUndefined()
  })

  test('is not even watched where others keep it, who may not answer', async () => {
    const { path } = makeSmall()
    const found: (number | undefined)[] = []
    const isRemote = (_: string, device?: number) => {
      found.push(device)
      return true
    }
    const remote = await storageWith({ pool: { mounts: { ...mountTable(), isRemote } } })
    expect(await kept(path, remote)).toBeUndefined()
    // No thread has told what it found there.
    expect(new Set(found)).toEqual(new Set([undefined]))
  })

  test('is not kept where the kernel follows symlinks', async () => {
    const { path } = makeSmall()
    const following = await storageWith({ settings: { ...threadedDisk(root).settings, follows: true } })
    expect(await kept(path, following)).toBeUndefined()
  })

  test('is read again when more has happened than the kernel keeps', async () => {
    const { folder, path } = makeSmall()
    const busy = makeSmall()
    expect(await kept(busy.path)).toBeDefined()
    expect(await kept(path)).toBeDefined()
    for (let index = 0; index < 20_000; index += 1)
      utimesSync(join(busy.folder, index % 2 ? 'a.txt' : 'b.txt'), index, index)
    appendFileSync(join(folder, 'a.txt'), 'more')
    expect(factsIn(await find(path))).toEqual(factsIn(await readAnew(path)))
  })
})

const wish = { sorting: { by: 'name', asc: true }, showsDotfiles: true } as const

const namesOf = (path: string, from = storage) => from.rows?.namesInOrder(parsePath(path), wish)

function makeLarge() {
  const made = makeSmall()
  for (let index = 0; index < 1200; index += 1) writeFileSync(join(made.folder, `file ${index}`), '')
  return made
}

describe('a large folder', () => {
  test('has the same names object the second time, which says that nothing has changed', async () => {
    const { path } = makeLarge()
    const names = await namesOf(path)
    expect(await namesOf(path)).toBe(names)
    expect(await namesOf(path)).toBe(names)
  })

  test.each(Object.keys(changes))('has another one after %s', async (change) => {
    const { folder, path } = makeLarge()
    const names = await namesOf(path)
    expect(await namesOf(path)).toBe(names)
    changes[change]?.(folder)
    expect(await namesOf(path)).not.toBe(names)
  })

  test('has another one after a write to a file that was opened by a name which is gone', async () => {
    const { folder, path } = makeLarge()
    const fd = openUnlinked(folder)
    const names = await namesOf(path)
    expect(await namesOf(path)).toBe(names)
    writeFileSync(fd, 'words')
    closeSync(fd)
    expect(await namesOf(path)).not.toBe(names)
  })

  test('has another one where its path leads to another folder', async () => {
    const { top, path } = makeLarge()
    const names = await namesOf(path)
    const other = makeLarge()
    renameSync(join(root, top), join(root, `${top} moved`))
    renameSync(join(root, other.top), join(root, top))
    expect(await namesOf(path)).not.toBe(names)
  })

  test('does not show a backup of the server that was made in it a moment ago', async () => {
    const { folder, path } = makeLarge()
    const database = join(root, `${nextFolder()}.db`)
    const { settings } = threadedDisk(root)
    const own = { ...settings.own, listedBeside: [database] }
    const storage = await storageWith({ settings: { ...settings, own } })
    await namesOf(path, storage)
    notePrivate(database, join(folder, 'backup.zip'))
    writeFileSync(join(folder, 'backup.zip'), 'hashes and keys')
    await namesOf(path, storage)
    // So often threads look for what is new of the server's own.
    await Bun.sleep(1100)
    const names = await namesOf(path, storage)
    expect(Buffer.from(names?.bytes ?? []).includes('backup.zip')).toBe(false)
  })

  test('tells of files that have another name', async () => {
    const { top, folder, path } = makeLarge()
    linkSync(join(folder, 'file 7'), join(root, top, 'other name'))
    const names = await namesOf(path)
    const form = { prefix: `${path}/`, detectsByContent: false }
    const rows = await storage.rows?.rowsOf(parsePath(path), names?.bytes ?? new Uint8Array(), form)
    expect(rows?.hasShared).toBe(true)
  })

  test('is in order of sizes also after a write to a file by another name', async () => {
    const { top, folder, path } = makeLarge()
    linkSync(join(folder, 'file 7'), join(root, top, 'other name'))
    const bySize = { sorting: { by: 'size', asc: false }, showsDotfiles: true } as const
    const isLargest = async () => {
      const names = await storage.rows?.namesInOrder(parsePath(path), bySize)
      const text = Buffer.from(names?.bytes ?? []).toString()
      return text.indexOf('file 7\0') < text.indexOf('a.txt\0')
    }
    expect(await isLargest()).toBe(false)
    expect(await isLargest()).toBe(false)
    writeFileSync(join(root, top, 'other name'), 'more than in all others')
    expect(await isLargest()).toBe(true)
  })

  test('with many folders in it has another one each time', async () => {
    const { folder, path } = makeLarge()
    for (let index = 0; index < 20; index += 1) mkdirSync(join(folder, `folder ${index}`))
    expect(await namesOf(path)).not.toBe(await namesOf(path))
  })
})
