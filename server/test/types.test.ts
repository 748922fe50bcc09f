import { afterAll, expect, test } from 'bun:test'
import type { FolderResource, Resource } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer()
const blind = await startServer({ disableTypeDetectionByHeader: true })
afterAll(() => Promise.all([server.stop(), blind.stop()]))
await server.addUser('alice')
await server.addUser('reader', { lacks: ['modify'] })
await blind.addUser('alice')
const alice = await server.as('alice')
const reader = await server.as('reader')
const blindAlice = await blind.as('alice')

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const zip = Buffer.from('504b030414000000', 'hex')

/** The name, the content, the type, and the type without reading the content. */
const table: [name: string, content: string | Uint8Array, type: string, blindType?: string][] = [
  ['film.webm', 'x', 'video'],
  ['film.MKV', 'x', 'video'],
  ['song.opus', 'x', 'audio'],
  ['song.mp3', 'x', 'audio'],
  ['photo.JPG', 'x', 'image'],
  ['drawing.svg', '<svg/>', 'image'],
  ['book.pdf', 'x', 'pdf'],
  ['package.rpm', 'text inside', 'blob'],
  ['archive.zip', 'text inside', 'blob'],
  ['code.ts', 'x', 'text'],
  ['note.md', 'x', 'text'],
  ['data.json', '{}', 'text'],
  ['page.html', '<p>', 'text'],
  ['empty', '', 'text'],
  ['README', 'hello', 'text'],
  ['latin', Buffer.from('caf\xe9 au lait', 'latin1'), 'text'],
  ['picture', png, 'image', 'text'],
  ['document', '%PDF-1.7', 'pdf', 'text'],
  ['packed', zip, 'blob', 'text'],
  ['binary', new Uint8Array([1, 2, 3, 0]), 'blob', 'text'],
  ['unknown.qqq', new Uint8Array([1, 2, 3, 0]), 'blob', 'text'],
]

for (const [name, content] of table) {
  server.put({ [name]: content })
  blind.put({ [name]: content })
}
server.put({ 'large.txt': new Uint8Array(10_485_761).fill(97), large: new Uint8Array(10_485_761).fill(97) })
blind.put({ large: new Uint8Array(10_485_761).fill(97) })

const listed = async (ask: typeof alice) => {
  const { items } = await jsonIn<FolderResource>(ask('/api/resources/'))
  return new Map(items.map(({ name, type }) => [name, type as string]))
}
const seen = await listed(alice)
const seenBlindly = await listed(blindAlice)

test.each(table)('type of %s', async (name, _content, type, blindType = type) => {
  expect(seen.get(name)).toBe(type)
  expect(seenBlindly.get(name)).toBe(blindType)
  // A single file is always looked into.
  for (const ask of [alice, blindAlice])
    expect((await jsonIn<Resource>(ask(`/api/resources/${name}`))).type as string).toBe(type)
})

test('text over ten megabytes is a blob', async () => {
  expect([seen.get('large.txt'), seen.get('large'), seenBlindly.get('large')]).toEqual(['blob', 'blob', 'blob'])
})

test('a listing has no textImmutable, and the file itself has', async () => {
  expect(await listed(reader)).toEqual(seen)
  expect(await jsonIn<Resource>(reader('/api/resources/note.md'))).toMatchObject({
    type: 'textImmutable',
    content: 'x',
  })
  expect(await jsonIn<Resource>(reader('/api/resources/photo.JPG'))).toMatchObject({ type: 'image' })
})
