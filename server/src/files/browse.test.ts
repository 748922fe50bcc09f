import { expect, spyOn, test } from 'bun:test'
import type { FolderResource } from '@filestead/contract'
import type { Actor } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { type BrowsedFolder, browse, toJson } from './browse.ts'

const path = parsePath('/many')
const none = async function* () {}
const never = new AbortController().signal

async function manyFiles(count: number): Promise<Storage> {
  const storage = memoryStorage()
  for (let at = 0; at < count; at += 1)
    await storage.write(parsePath(`/many/file ${at}.txt`), none(), { precondition: 'any' })
  return storage
}

async function piecesOf(...args: Parameters<typeof textOf>) {
  const listing = await textOf(...args)
  if ('text' in listing) throw new Error('A large folder came in one piece')
  return listing.pieces
}

async function textOf(storage: Storage, by = 'name', entered: () => void = () => {}) {
  const actor = { rules: [], user: { hideDotfiles: false, sorting: { by, asc: false } } } as unknown as Actor
  const options = { detectByContent: false, asked: '/many/', signal: never, enterLarge: async () => entered() }
  return toJson((await browse(scopeOf(actor, storage), path, options)) as BrowsedFolder)
}

test('a large folder is looked at as it is sent, and what is gone by then is neither told nor counted', async () => {
  const storage = await manyFiles(6000)
  let looked = 0
  const counting: Storage = {
    ...storage,
    async describe(folder, named, signal) {
      looked += named.length
      return storage.describe(folder, named, signal)
    },
  }
  const pieces = await piecesOf(counting)
  let text = (await pieces.next()).value as string
  expect((JSON.parse(`${text}]}`) as FolderResource).items).toHaveLength(200)
  expect(looked).toBeLessThan(4000)
  await storage.remove(parsePath('/many/file 5999.txt'))
  for await (const piece of pieces) text += piece
  const { items, numFiles, numDirs } = JSON.parse(text) as FolderResource
  expect([items.length, numFiles, numDirs]).toEqual([5999, 5999, 0])
  expect(items.map(({ name }) => name)).toEqual(Array.from({ length: 5999 }, (_, at) => `file ${at}.txt`))
})

test('a large folder that was emptied since its names were read is an empty one', async () => {
  const storage = await manyFiles(1500)
  const pieces = await piecesOf({ ...storage, describe: async () => [] })
  let text = ''
  for await (const piece of pieces) text += piece
  expect(JSON.parse(text)).toMatchObject({ items: [], numFiles: 0, path: '/many/' })
})

test('only large folders need a permit, and it is had before their names are read', async () => {
  const events: string[] = []
  const noting = (storage: Storage): Storage => ({
    ...storage,
    names: (...args) => {
      events.push('names')
      return storage.names(...args)
    },
  })
  expect(await textOf(noting(await manyFiles(1000)), 'name', () => events.push('permit'))).toHaveProperty('text')
  expect(events).toEqual([])
  await textOf(noting(await manyFiles(1001)), 'name', () => events.push('permit'))
  expect(events).toEqual(['permit', 'names'])
})

test('a large folder by size has the same entries', async () => {
  let text = ''
  for await (const piece of await piecesOf(await manyFiles(2500), 'size')) text += piece
  const { items } = JSON.parse(text) as FolderResource
  expect(new Set(items.map(({ name }) => name)).size).toBe(2500)
})

/** The same entries in each listing, as of a folder that has not changed, and how often files were read for them. */
async function unchanged(files: Record<string, string>, detectByContent = true) {
  const storage = memoryStorage()
  for (const [name, content] of Object.entries(files))
    await storage.write(parsePath(`/many/${name}`), inOnePiece(content), { precondition: 'any' })
  const found = await storage.find(path, { lists: true })
  const asked = { peek: 0, list: 0 }
  const counting: Storage = {
    ...storage,
    find: async () => found,
    peek(...args) {
      asked.peek += 1
      return storage.peek(...args)
    },
    list(...args) {
      asked.list += 1
      return storage.list(...args)
    },
  }
  return { storage: counting, asked, list: () => itemsOf(counting, detectByContent) }
}

async function* inOnePiece(text: string) {
  yield Buffer.from(text)
}

async function itemsOf(storage: Storage, detectByContent: boolean) {
  const actor = { rules: [], user: { hideDotfiles: false, sorting: { by: 'name', asc: true } } } as unknown as Actor
  const options = { detectByContent, asked: '/many/', signal: never, enterLarge: async () => {} }
  const listing = toJson((await browse(scopeOf(actor, storage), path, options)) as BrowsedFolder)
  if (!('text' in listing)) throw new Error('A small folder came in pieces')
  return (JSON.parse(listing.text) as FolderResource).items.map(({ name, type }) => `${name}: ${type}`)
}

test('types that files tell are remembered of entries that were the same for a while', async () => {
  let now = 1000
  const clock = spyOn(performance, 'now').mockImplementation(() => now)
  try {
    const { asked, list } = await unchanged({ README: 'words', 'a.txt': '' })
    const told = ['README: text', 'a.txt: text']
    expect(await list()).toEqual(told)
    now += 2000
    expect(await list()).toEqual(told)
    expect(asked.peek).toBe(2)
    now += 2000
    expect(await list()).toEqual(told)
    expect(await list()).toEqual(told)
    expect(asked.peek).toBe(3)
    now += 61_000
    expect(await list()).toEqual(told)
    expect(await list()).toEqual(told)
    expect(asked.peek).toBe(4)
  } finally {
    clock.mockRestore()
  }
})

test('the type of a file that could not be read is looked for again', async () => {
  let now = 1000
  const clock = spyOn(performance, 'now').mockImplementation(() => now)
  try {
    const { storage, asked } = await unchanged({ README: 'words' })
    const unreadable: Storage = {
      ...storage,
      async peek(...args) {
        await storage.peek(...args)
        return new Map()
      },
    }
    for (let times = 1; times <= 3; times += 1) {
      await itemsOf(unreadable, true)
      now += 5000
    }
    expect(asked.peek).toBe(3)
    expect(await itemsOf(storage, true)).toEqual(['README: text'])
  } finally {
    clock.mockRestore()
  }
})

test('films are looked at again only where the folder has subtitles', async () => {
  const plain = await unchanged({ 'a.mp4': '', 'b.txt': '' })
  await plain.list()
  await plain.list()
  expect(plain.asked).toEqual({ peek: 0, list: 0 })
  const { asked, list } = await unchanged({ 'a.mp4': '', 'Subs/a.vtt': '' })
  await list()
  await list()
  expect(asked.list).toBe(2)
})
