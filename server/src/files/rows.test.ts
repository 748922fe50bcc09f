import { afterAll, expect, test } from 'bun:test'
import { existsSync, linkSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderResource, Rule } from '@filestead/contract'
import type { Actor } from '../access/actor.ts'
import { scopeOf } from '../access/scope.ts'
import { draftPrefix, parsePath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { makeFolder, removeFolders } from '../storage/testing/disk.fixture.ts'
import { threadedDisk } from '../storage/testing/threads.fixture.ts'
import { type ThreadedScopes, threadedScopes } from '../storage/threads/scopes.ts'
import { type BrowsedFolder, browse, toJson } from './browse.ts'

const made: ThreadedScopes[] = []
afterAll(async () => {
  for (const scopes of made) scopes.close()
  await removeFolders()
})

const count = 1200
const folder = parsePath('/many')

/** A large folder in a storage with threads, and what else lies in it. */
async function manyFiles(hasOwn = true): Promise<{ storage: Storage; at: (name: string | Buffer) => Buffer }> {
  const root = await makeFolder()
  const at = (name: string | Buffer) => Buffer.concat([Buffer.from(`${join(root, 'many')}/`), Buffer.from(name)])
  mkdirSync(join(root, 'many'))
  for (let index = 0; index < count; index += 1) {
    writeFileSync(at(`file ${index}.txt`), 'x'.repeat(index % 7))
    utimesSync(at(`file ${index}.txt`), 0, (index * 7919) % 5000)
  }
  // On a machine with too much to do, threads are slow as well.
  const disk = threadedDisk(root, { pool: { leastReaders: 1, deadline: 600_000 } })
  const own = { paths: hasOwn ? [join(root, 'many', 'own.db')] : [], families: [], listedBeside: [] }
  const scopes = threadedScopes({ ...disk, settings: { ...disk.settings, own } })
  made.push(scopes)
  return { storage: scopes.storageAt('/'), at }
}

interface Wish {
  by?: string
  asc?: boolean
  hideDotfiles?: boolean
  rules?: Rule[]
}

async function textOf(storage: Storage, { by = 'name', asc = false, hideDotfiles = false, rules = [] }: Wish = {}) {
  const actor = { rules, user: { hideDotfiles, sorting: { by, asc } } } as unknown as Actor
  const options = { detectByContent: true, asked: '/many/', signal: new AbortController().signal }
  const browsed = await browse(scopeOf(actor, storage), folder, { ...options, enterLarge: async () => {} })
  const text = toJson(browsed as BrowsedFolder)
  if ('text' in text) throw new Error('A large folder came in one piece')
  const parts = await Array.fromAsync(text.pieces, (part) => Buffer.from(part as Uint8Array))
  return Buffer.concat(parts).toString()
}

/** How often the storage was asked to make the text, and the same storage where it cannot. */
function watched(storage: Storage): { counting: Storage; plain: Storage; asked: () => number } {
  let asked = 0
  const { rows } = storage
  if (rows === undefined) throw new Error('The storage makes no rows')
  const rowsOf: typeof rows.rowsOf = (...args) => {
    asked += 1
    return rows.rowsOf(...args)
  }
  return {
    counting: { ...storage, rows: { ...rows, rowsOf } },
    plain: { ...storage, rows: undefined },
    asked: () => asked,
  }
}

test('a thread makes the same text of a folder as the event loop', async () => {
  const { storage, at } = await manyFiles()
  writeFileSync(at('own.db'), 'of the server')
  writeFileSync(at(`${draftPrefix}1`), 'draft')
  writeFileSync(at('.hidden'), '')
  writeFileSync(at('Makefile'), 'all:\n')
  writeFileSync(at('picture'), Buffer.from('89504e470d0a1a0a', 'hex'))
  writeFileSync(at('a "name".md'), '')
  writeFileSync(at(Buffer.from([0x62, 0xff, 0x2e, 0x74, 0x78, 0x74])), '')
  writeFileSync(at(Buffer.from([0xff])), Buffer.from('89504e470d0a1a0a', 'hex'))
  writeFileSync(at('\ufffd\ufffd'), '%PDF-1.7')
  writeFileSync(at(Buffer.from([0xfe, 0xff])), '\0')
  writeFileSync(at('Übung 10.jpg'), '')
  writeFileSync(at('film.mp4'), '')
  mkdirSync(at('folder 2'))
  mkdirSync(at('folder 10'))
  const { counting, plain, asked } = watched(storage)
  const wishes: Wish[] = [
    ...[{}, { asc: true }, { by: 'size' }, { by: 'size', asc: true }, { by: 'modified' }, { by: 'none' }],
    { hideDotfiles: true },
  ]
  for (const wish of wishes) {
    const before = asked()
    const text = await textOf(counting, wish)
    expect(asked()).toBeGreaterThan(before)
    expect(text).toBe(await textOf(plain, wish))
    const { items, numDirs, numFiles } = JSON.parse(text) as FolderResource
    const hidden = wish.hideDotfiles ? 0 : 1
    expect([items.length, numDirs, numFiles]).toEqual([count + 11 + hidden, 2, count + 9 + hidden])
    // Names that are shown alike are told from each other.
    const typesOf = (shown: string) => items.filter(({ name }) => name === shown).map(({ type }) => type)
    expect([typesOf('\ufffd'), typesOf('\ufffd\ufffd').toSorted()]).toEqual([['image'], ['blob', 'pdf']])
    expect(items.some(({ name }) => name === 'own.db' || name.startsWith(draftPrefix))).toBe(false)
  }
})

test('the text of a folder in which nothing happens is made once, in the order of names', async () => {
  const { storage, at } = await manyFiles(false)
  const { counting, plain, asked } = watched(storage)
  const madeFor = async (wish: Wish = {}) => {
    const before = asked()
    expect(await textOf(counting, wish)).toBe(await textOf(plain, wish))
    return asked() - before
  }
  expect(await madeFor()).toBeGreaterThan(0)
  expect(await madeFor()).toBe(0)
  expect(await madeFor({ by: 'size' })).toBeGreaterThan(0)
  // Such an order may change untold.
  expect(await madeFor({ by: 'size' })).toBeGreaterThan(0)
  expect(await madeFor()).toBe(0)
  writeFileSync(at('file 7.txt'), 'more')
  expect(await madeFor()).toBeGreaterThan(0)
  expect(await madeFor()).toBe(0)
  linkSync(at('file 7.txt'), join(at('..').toString(), 'other name'))
  writeFileSync(at('file 8.txt'), 'more')
  expect(await madeFor()).toBeGreaterThan(0)
  expect(await madeFor()).toBeGreaterThan(0)
})

test('the text of a folder with files of the server is made each time', async () => {
  const { storage } = await manyFiles()
  const { counting, asked } = watched(storage)
  await textOf(counting)
  const before = asked()
  await textOf(counting)
  expect(asked()).toBeGreaterThan(before)
})

/** What names are made of that are easily told wrong. */
const partsOfNames: readonly (string | number[])[] = [
  ...['a', 'B', 'z', '0', '007', '10', '.', '-', ' ', '%', '~', '"', '\\', '\n', '\x01', '\x7f', '.txt', '.MP4', '.k'],
  ...['é', '中', '🙂', 'İ', 'ſ', '\u2028', '\u200b', '\ufeff', '\ufffd', '\uffff', 'e\u0301', draftPrefix],
  ...[[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xe2, 0x82]],
]

test('names of all kinds of bytes are told by a thread as by the event loop', async () => {
  const { storage, at } = await manyFiles()
  let state = 3
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) % below
  }
  const contents = ['', 'text', '\x89PNG\r\n\x1a\n', '%PDF-1.4', '\0']
  for (let made = 0; made < 300; made += 1) {
    const parts = Array.from({ length: 1 + next(8) }, () => partsOfNames[next(partsOfNames.length)] ?? '')
    const name = Buffer.concat([...parts.map((part) => Buffer.from(part as string)), Buffer.from(`${made % 50}`)])
    if (existsSync(at(name))) continue
    if (made % 6 === 0) mkdirSync(at(name))
    else writeFileSync(at(name), contents[next(contents.length)] ?? '')
    utimesSync(at(name), 0, [0, -1, 2 ** 32, 1_500_000_000.123456][next(4)] ?? 0)
  }
  const { counting, plain, asked } = watched(storage)
  for (const by of ['name', 'size', 'modified', 'none'])
    for (const asc of [true, false]) expect(await textOf(counting, { by, asc })).toBe(await textOf(plain, { by, asc }))
  expect(asked()).toBeGreaterThan(8)
})

test('links, subtitles and rules are left to the event loop', async () => {
  const rules: Rule[] = [{ regex: false, path: '/many/file 7.txt', allow: false, regexp: null }]
  const { storage, at } = await manyFiles()
  const { counting, asked } = watched(storage)
  const namesOf = (text: string) => (JSON.parse(text) as FolderResource).items.map(({ name }) => name)
  expect(namesOf(await textOf(counting, { rules }))).not.toContain('file 7.txt')
  writeFileSync(at('film.mp4'), '')
  writeFileSync(at('film.srt'), '')
  const withFilm = JSON.parse(await textOf(counting)) as FolderResource
  expect(withFilm.items.find(({ name }) => name === 'film.mp4')?.subtitles).toEqual(['/many/film.srt'])
  symlinkSync('/etc/passwd', at('leads out'))
  symlinkSync('file 1.txt', at('leads here'))
  const names = namesOf(await textOf(counting))
  expect([names.includes('leads out'), names.includes('leads here')]).toEqual([false, true])
  expect(asked()).toBe(0)
})

test('a name that is kept for the server is left out, though the list was made when it was not', async () => {
  const { storage, at } = await manyFiles()
  mkdirSync(at('../other'))
  for (const name of ['../other/own.db', '../other/file 1.txt']) writeFileSync(at(name), '')
  const list = await storage.rows?.namesInOrder(parsePath('/other'), {
    sorting: { by: 'name', asc: false },
    showsDotfiles: true,
  })
  writeFileSync(at('own.db'), 'of the server')
  const form = { prefix: '/many/', detectsByContent: true }
  const rows = await storage.rows?.rowsOf(folder, list?.bytes ?? new Uint8Array(), form)
  const items = JSON.parse(
    `[${Buffer.from(rows?.bytes ?? [])
      .toString()
      .slice(1)}]`,
  ) as FolderResource['items']
  expect(items.map(({ name }) => name)).toEqual(['file 1.txt'])
})
