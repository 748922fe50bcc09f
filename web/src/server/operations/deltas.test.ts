import { expect, test } from 'bun:test'
import { orderOf } from '../../../../server/src/entries/sorting.ts'
import { folderOrder } from '../queries/folder-order.ts'
import type { Entry, Folder } from '../queries/resources.ts'
import type { Delta } from './deltas.ts'

Object.assign(globalThis, { window: new EventTarget() })
const { patched } = await import('./deltas.ts')

function entryOf(name: string, { size = 1, seconds = 0, nanoseconds = 0, isDir = false } = {}): Entry {
  const modified = `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(nanoseconds).padStart(9, '0')}Z`
  const path = `/box/${name}`
  return { path, name, size, extension: '', modified, mode: 0o644, isDir, isSymlink: false, type: 'text' }
}

const names = ['b', 'a10.txt', 'a2.txt', 'A2.TXT', 'ä', 'Z', 'z', '2', '10', 'x y', 'ь']
const entries = names.map((name, index) =>
  entryOf(name, {
    size: index % 4,
    seconds: 1_700_000_000 + (index % 3),
    nanoseconds: index % 2,
    isDir: index % 5 === 0,
  }),
)

function folderWith(items: Entry[], sorting: Folder['sorting']): Folder {
  const numDirs = items.filter(({ isDir }) => isDir).length
  return { ...entryOf('', { isDir: true }), path: '/box', items, numDirs, numFiles: items.length - numDirs, sorting }
}

const put = (entry: Entry): Delta => ({ kind: 'put', entry })

for (const by of ['name', 'size', 'modified', 'colour'] as const)
  for (const asc of [true, false]) {
    const sorting = { by, asc } as Folder['sorting']
    const onServer = entries.map((entry, index) => ({
      ...entry,
      kind: entry.isDir ? 'folder' : 'file',
      seconds: 1_700_000_000 + (index % 3),
      nanoseconds: index % 2,
    }))
    const expected = (await orderOf(onServer, sorting)).map((index) => names[index])

    test(`the order by ${by}, ${asc ? 'asc' : 'desc'}, is that of the server`, () => {
      expect(entries.toSorted(folderOrder(sorting)).map(({ name }) => name)).toEqual(expected as string[])
    })

    test(`an entry that is added to a folder sorted by ${by}, ${asc ? 'asc' : 'desc'}, is where the server lists it`, () => {
      for (const added of entries) {
        const others = entries.filter((entry) => entry !== added).toSorted(folderOrder(sorting))
        const after = patched(folderWith(others, sorting), [put(added)])
        expect(after.items.map(({ name }) => name)).toEqual(expected as string[])
        expect([after.numDirs, after.numFiles]).toEqual([3, 8])
      }
    })
  }

const byName = { by: 'name', asc: false } as const

test('several changes are made at once: what goes, what comes, what was replaced', () => {
  const folder = folderWith([entryOf('a'), entryOf('b'), entryOf('c')], byName)
  const after = patched(folder, [
    { kind: 'gone', path: '/box/a' },
    put(entryOf('z')),
    put(entryOf('b', { size: 99 })),
    put(entryOf('aa')),
  ])
  expect(after.items.map(({ name, size }) => `${name} ${size}`)).toEqual(['aa 1', 'b 99', 'c 1', 'z 1'])
  expect(folder.items).toHaveLength(3)
})

test('of several changes of one name the last one counts', () => {
  const folder = folderWith([entryOf('a')], byName)
  const gone: Delta = { kind: 'gone', path: '/box/b' }
  expect(patched(folder, [put(entryOf('b')), gone]).items.map(({ name }) => name)).toEqual(['a'])
  expect(patched(folder, [gone, put(entryOf('b'))]).items.map(({ name }) => name)).toEqual(['a', 'b'])
})

test('trees read the folders again whose listing is not known, and favourites once something is gone', async () => {
  const { applyDeltas } = await import('./deltas.ts')
  const { cache } = await import('../queries/cache.ts')
  const keys = [['folders', '/box'], ['folders', '/other'], ['favourites']]
  for (const key of keys) cache().setQueryData(key, [])
  const outdated = () => keys.filter((key) => cache().getQueryState(key)?.isInvalidated)
  applyDeltas([put(entryOf('a', { isDir: true }))])
  expect(outdated()).toEqual([['folders', '/box']])
  applyDeltas([{ kind: 'gone', path: '/other/a' }])
  expect(outdated()).toEqual(keys)

  for (const key of keys) cache().setQueryData(key, [])
  cache().setQueryData(['resource', '/box'], folderWith([], byName))
  applyDeltas([put(entryOf('b', { isDir: true }))])
  expect(outdated()).toEqual([])
  cache().clear()
})
