import { expect, test } from 'bun:test'
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
  const pieces = await textOf(counting)
  if ('text' in pieces) throw new Error('A large folder came in one piece')
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
  const pieces = await textOf({ ...storage, describe: async () => [] })
  let text = ''
  for await (const piece of pieces as AsyncGenerator<string>) text += piece
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
  for await (const piece of (await textOf(await manyFiles(2500), 'size')) as AsyncGenerator<string>) text += piece
  const { items } = JSON.parse(text) as FolderResource
  expect(new Set(items.map(({ name }) => name)).size).toBe(2500)
})
