import { expect, test } from 'bun:test'
import { isSameEntry, PlainEntry } from '../entry.ts'
import { DiskEntry } from './entry.ts'

const facts = {
  name: 'a.txt',
  kind: 'file',
  isLink: false,
  size: 300,
  mode: 0o640,
  seconds: 1_700_000_000,
  nanoseconds: 5,
  inode: 255,
  device: 2049,
} as const

test('the version of a file on a disk is the ETag that clients have kept since 1.0', () => {
  expect(new DiskEntry(facts).version).toBe('"17979cfe362a000512c-ff"')
})

test('an entry has one id under each of its names, and keeps id and version when its facts are changed', () => {
  const entry = new DiskEntry(facts)
  const shown = entry.with({ name: 'b.txt', isLink: true })
  expect(shown).toMatchObject({ name: 'b.txt', isLink: true, size: 300 })
  expect([shown.id, shown.version]).toEqual([entry.id, entry.version])
  expect(new DiskEntry({ ...facts, device: 1 }).id).not.toBe(entry.id)
})

test('an entry that comes from another thread has its id and its version', () => {
  const entry = new DiskEntry(facts)
  const sent = new DiskEntry(structuredClone(entry))
  expect([sent.id, sent.version]).toEqual([entry.id, entry.version])
})

test('entries without ids are the same as long as their version is', () => {
  const object = (version: string) => new PlainEntry(facts, { id: undefined, version })
  expect(isSameEntry(object('"1"'), object('"1"'))).toBe(true)
  expect(isSameEntry(object('"1"'), object('"2"'))).toBe(false)
  expect(new DiskEntry(facts).isSameAs(new DiskEntry({ ...facts, size: 1 }))).toBe(true)
  for (const change of [{ inode: 77 }, { device: 77 }])
    expect(new DiskEntry(facts).isSameAs(new DiskEntry({ ...facts, ...change }))).toBe(false)
})
