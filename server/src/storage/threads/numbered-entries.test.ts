import { expect, test } from 'bun:test'
import { type DiskEntry, entryOf } from '../disk/entry.ts'
import { linuxKernel } from '../linux/kernel.ts'
import { numbering, sentEntries } from './numbered-entries.ts'
import { packEntries } from './packing.ts'

const stat = linuxKernel().stat(-1, '/')
const folderOf = (...names: string[]): readonly DiskEntry[] => names.map((name) => entryOf(name, stat))

test('entries are sent once, and again when they were forgotten for others', () => {
  const numberOf = numbering(64)
  const sent = sentEntries()
  const listed = (entries: readonly DiskEntry[]) => {
    const small = { thread: 1, ...numberOf(entries) }
    const names = sent.entriesOf({ small })?.map(({ name }) => name)
    return { names, isSent: small.sent !== undefined }
  }
  const [one, two, three] = [folderOf('a'), folderOf('b', 'c'), folderOf('d')]
  expect(listed(one)).toEqual({ names: ['a'], isSent: true })
  expect(listed(two)).toEqual({ names: ['b', 'c'], isSent: true })
  expect(listed(one)).toEqual({ names: ['a'], isSent: false })
  expect(listed(three)).toEqual({ names: ['d'], isSent: true })
  // Of so many only three have room.
  expect(listed(folderOf('e'))).toEqual({ names: ['e'], isSent: true })
  expect(listed(one)).toEqual({ names: ['a'], isSent: true })
  expect(listed(three)).toEqual({ names: ['d'], isSent: false })
})

test('empty folders are not remembered without an end', () => {
  const numberOf = numbering(64)
  const numbered = Array.from({ length: 10 }, () => numberOf([]))
  expect(numbered.at(-1)?.sent?.least).toBe(8)
})

test('a folder with more entries than are remembered is known until the next one', () => {
  const numberOf = numbering(64)
  const many = folderOf(...Array.from({ length: 100 }, (_, at) => String(at)))
  expect(numberOf(many).sent).toBeDefined()
  expect(numberOf(many).sent).toBeUndefined()
  expect(numberOf(folderOf('a')).sent?.least).toBe(2)
})

test('an answer that overtakes another is remembered as long as its thread does', () => {
  const sent = sentEntries()
  const packed = packEntries(folderOf('a'))
  sent.entriesOf({ small: { thread: 1, number: 2, sent: { least: 1, packed } } })
  sent.entriesOf({ small: { thread: 1, number: 1, sent: { least: 1, packed } } })
  sent.entriesOf({ small: { thread: 1, number: 3, sent: { least: 2, packed } } })
  expect(sent.entriesOf({ small: { thread: 1, number: 1 } })).toBeUndefined()
  expect(sent.entriesOf({ small: { thread: 1, number: 2 } })).toHaveLength(1)
  expect(sent.entriesOf({ small: { thread: 2, number: 2 } })).toBeUndefined()
})
