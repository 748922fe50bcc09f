import { expect, test } from 'bun:test'
import { crc32 } from 'node:zlib'
import type { Scope } from '../../access/scope.ts'
import { Failure } from '../../failure.ts'
import { locationIn } from '../../mounts/location.ts'
import { DiskEntry, type DiskFacts } from '../../storage/disk/entry.ts'
import type { VirtualPath } from '../../storage/path.ts'
import type { Entry, OpenFile, Places } from '../../storage/port.ts'
import { leftOut } from '../left-out.ts'
import type { Member } from '../members.ts'
import { checksumCache } from './checksums.ts'
import { planBudget, plannedZip, planning } from './plan.ts'
import {
  centralLength,
  descriptor,
  ending,
  localLength,
  recordOf,
  writeCentralHeader,
  writeLocalHeader,
  type Record as ZipRecord,
} from './records.ts'
import { everything, zipOf } from './zip.ts'

const gigabyte = 2 ** 30

const entryOf = (name: string, size: number, more: Partial<DiskFacts> = {}): Entry =>
  new DiskEntry({
    name,
    kind: name.endsWith('/') ? 'folder' : 'file',
    isLink: false,
    size,
    mode: 0o644,
    seconds: 1_700_000_000,
    nanoseconds: 0,
    inode: size,
    device: 1,
    ...more,
  })

const member = (name: string, size = 0, more?: Partial<DiskFacts>): Member => ({
  path: `/${name}` as VirtualPath,
  name,
  entry: entryOf(name, size, more),
})

/** Files full of one letter. */
function scopeOver(members: readonly Member[], { shorterBy = 0 } = {}): Scope & { left: number } {
  const scope = {
    left: 0,
    locate: (path: VirtualPath) => locationIn(1, path),
    peek: async () => new Map(),
    readFiles: async (_folder: VirtualPath, names: readonly string[]) => names.map(() => undefined),
    readInPlaces: async () => undefined,
    async open(path: VirtualPath): Promise<OpenFile> {
      const found = members.find((one) => one.path === path)
      if (found === undefined) throw new Failure('forbidden', `no ${path}`)
      scope.left += 1
      return {
        entry: found.entry,
        content: new Blob([Buffer.alloc(found.entry.size - shorterBy, 'x')]),
        head: async () => Buffer.alloc(Math.min(512, found.entry.size - shorterBy), 'x'),
        close() {
          scope.left -= 1
        },
      }
    },
  }
  return scope as unknown as Scope & { left: number }
}

/** A piece is good until the next one is asked for. */
async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(pieces, (piece) => piece.slice()))
}

/** Reads the directory at the end, then every file where the directory says it is. */
function read(zip: Buffer): Record<string, number> {
  const end = zip.length - 22
  expect(zip.readUInt32LE(end)).toBe(0x0605_4b50)
  let at = zip.readUInt32LE(end + 16)
  const found: Record<string, number> = {}
  for (let count = zip.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [checksum, size] = [zip.readUInt32LE(at + 16), zip.readUInt32LE(at + 24)]
    const [nameLength, extraLength, start] = [
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt32LE(at + 42),
    ]
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    const content = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28)
    expect(zip.readUInt32LE(start)).toBe(0x0403_4b50)
    expect(crc32(zip.subarray(content, content + size))).toBe(checksum)
    found[name] = size
    at += 46 + nameLength + extraLength
  }
  expect(at).toBe(end)
  return found
}

const members = [
  member('a.txt', 5),
  member('empty'),
  member('large.bin', 1_500_000),
  member('sub/'),
  member('sub/ü.txt', 9),
]

test('a zip has each member where its directory says, and the length that was planned', async () => {
  const zip = await bytesOf(zipOf(scopeOver(members), [members]))
  expect(read(zip)).toEqual({ 'a.txt': 5, empty: 0, 'large.bin': 1_500_000, 'sub/': 0, 'sub/ü.txt': 9 })
  const { add, plan } = planning(scopeOver(members))
  add(members)
  expect(plan()).toMatchObject({ length: zip.length, directory: zip.readUInt32LE(zip.length - 6) })
})

test('zips of two mounts have other versions, although the files in them have the same names, numbers and times', () => {
  const versionIn = (mount: number) => {
    const { add, plan } = planning({ locate: (path) => locationIn(mount, path) })
    add(members)
    return plan().version
  }
  expect(versionIn(2)).toBe(versionIn(2))
  expect(versionIn(2)).not.toBe(versionIn(3))
})

test('a part of a zip has the bytes of the whole, wherever it starts and ends', async () => {
  const scope = scopeOver(members)
  const zip = await bytesOf(zipOf(scope, [members]))
  const directory = zip.readUInt32LE(zip.length - 6)
  for (const start of [0, 1, 40, 200, 1_000_000, 1_500_200, directory - 1, directory, zip.length - 1])
    for (const end of [start + 1, start + 1000, zip.length].filter((end) => end <= zip.length)) {
      const part = await bytesOf(zipOf(scope, [members], { start, end, hasDirectory: end > directory }))
      expect([start, end, part.equals(zip.subarray(start, end))]).toEqual([start, end, true])
    }
  expect(scope.left).toBe(0)
})

test('a part of a zip that was made before opens no file before the part', async () => {
  const checksums = checksumCache()('zip', members.length)
  let opened = 0
  const scope = scopeOver(members)
  const counting = { ...scope, open: (path: VirtualPath) => scope.open(path).finally(() => opened++) } as Scope
  const zip = await bytesOf(zipOf(counting, [members], everything, checksums))
  const directory = zip.readUInt32LE(zip.length - 6)
  for (const start of [directory, zip.length - 1]) {
    opened = 0
    const part = await bytesOf(zipOf(counting, [members], { start, end: zip.length, hasDirectory: true }, checksums))
    expect([part.equals(zip.subarray(start)), opened]).toEqual([true, 0])
    await bytesOf(zipOf(counting, [members], { start, end: zip.length, hasDirectory: true }))
    expect(opened).toBe(3)
  }
  // Without the directory nothing before the part is needed at all.
  opened = 0
  await bytesOf(zipOf(counting, [members], { start: directory - 40, end: directory, hasDirectory: false }))
  expect(opened).toBe(1)
})

test('checksumCache keeps checksums by version of a zip, and none of a file changed a moment ago', () => {
  const checksumsOf = checksumCache(5, () => 1000)
  const entry = entryOf('a', 5, { seconds: 900 })
  const one = checksumsOf('one', 2)
  one.note(1, entry, 7)
  one.note(0, entryOf('a', 5, { seconds: 999 }), 8)
  expect([0, 1].map((place) => checksumsOf('one', 2).of(place, entry))).toEqual([undefined, 7])
  expect(checksumsOf('two', 2).of(1, entry)).toBeUndefined()
  expect([entryOf('empty', 0), entryOf('folder/', 0)].map((each) => one.of(0, each))).toEqual([0, 0])
  checksumsOf('two', 2).note(0, entry, 9)
  // Used again, so that it stays longer than the second.
  checksumsOf('one', 2)
  checksumsOf('three', 2).note(0, entry, 10)
  expect(
    ['one', 'two', 'three'].map((version) => checksumsOf(version, 2).of(version === 'one' ? 1 : 0, entry)),
  ).toEqual([7, undefined, 10])
})

test('files that are read to their places make the same zip, whatever their memory held before', async () => {
  const small = Array.from({ length: 300 }, (_, index) => member(`box/ü ${index}`, index % 7 === 0 ? 0 : 5000 + index))
  const all = [member('box/'), ...small, member('box/large', 300_000), member('box/link', 20, { isLink: true })]
  const scope = scopeOver(all)
  const expected = await bytesOf(zipOf(scope, [all]))
  const placing = {
    ...scope,
    async readInPlaces(_folder: VirtualPath, { entries, starts, size: length }: Places) {
      const memory = Buffer.alloc(length, 'what others were sent')
      const checksums = entries.map(({ size }, index) => {
        const content = memory.subarray(starts[index], (starts[index] ?? 0) + size).fill('x')
        return index === 3 ? undefined : crc32(content)
      })
      return { checksums, memory, release() {} }
    },
  } as Scope
  expect((await bytesOf(zipOf(placing, [all]))).equals(expected)).toBe(true)
  const span = { start: 700_000, end: 900_000, hasDirectory: false }
  expect((await bytesOf(zipOf(placing, [all], span))).equals(expected.subarray(700_000, 900_000))).toBe(true)
})

test('zipOf fails at a file that has become shorter', async () => {
  const scope = scopeOver(members, { shorterBy: 1 })
  for (const one of [member('a.txt', 5), member('large.bin', 1_500_000)])
    await expect(bytesOf(zipOf(scope, [[one]]))).rejects.toThrow('shorter')
  expect(scope.left).toBe(0)
})

test('zipOf fails at a file that was replaced by another', async () => {
  const scope = scopeOver(members)
  await expect(bytesOf(zipOf(scope, [[member('a.txt', 5, { inode: 77 })]]))).rejects.toThrow('replaced')
  expect(scope.left).toBe(0)
})

test('zipOf leaves no file open when its consumer stops', async () => {
  const scope = scopeOver(members)
  for await (const piece of zipOf(scope, [members])) if (piece.length > 10_000) break
  expect(scope.left).toBe(0)
})

async function* found(...members: Member[]): AsyncGenerator<readonly Member[], void> {
  yield members
}

test('plannedZip packs what exceeds the budget, without a length', async () => {
  const scope = scopeOver(members)
  const planned = await plannedZip(scope, found(...members), leftOut(), { client: 'a', budget: planBudget(6) })
  const unplanned = await plannedZip(scope, found(...members), leftOut(), { client: 'a', budget: planBudget(2) })
  const zip = await bytesOf(zipOf(scope, [members]))
  expect([planned.whole?.length, unplanned.whole]).toEqual([zip.length, undefined])
  for (const { bytes } of [planned, unplanned]) expect((await bytesOf(bytes())).equals(zip)).toBe(true)
})

test('the plans of one client leave room for those of others, and a closed plan gives its room back', async () => {
  const scope = scopeOver(members)
  const budget = planBudget(18, 12)
  const planFor = (client: string) => plannedZip(scope, found(...members), leftOut(), { client, budget })
  const held = [await planFor('a'), await planFor('a'), await planFor('a'), await planFor('b'), await planFor('b')]
  expect(held.map(({ whole }) => whole !== undefined)).toEqual([true, true, false, true, false])
  for (const { close } of held) close?.()
  expect([(await planFor('a')).whole, (await planFor('b')).whole]).not.toContain(undefined)
})

test('plannedZip leaves out a file that the server cannot read, and does not count it', async () => {
  const scope = scopeOver(members)
  const secret = member('secret', 5, { mode: 0o600 })
  const { bytes, whole } = await plannedZip(scope, found(...members, secret), leftOut(), { client: 'a' })
  const zip = await bytesOf(bytes())
  expect(read(zip)).not.toContainKey('secret')
  expect(zip.toString('latin1')).toContain('not in this archive:\n\nsecret\n')
  expect(whole?.length).toBe(zip.length)
})

test('plannedZip opens no file to know that it can be read where its folder tells the heads of all', async () => {
  const secrets = ['a', 'b', 'c'].map((name) => member(`box/${name}`, 5, { mode: 0o600 }))
  const scope = scopeOver(secrets)
  const [opened, asked]: [string[], string[]] = [[], []]
  const peeking = {
    ...scope,
    async peek(folder: VirtualPath, entries: readonly Entry[]) {
      asked.push(folder)
      return new Map(entries.map(({ name }) => [name, name === 'box/b' ? Buffer.alloc(0) : Buffer.from('x')]))
    },
    open(path: VirtualPath) {
      opened.push(path)
      return scope.open(path)
    },
  } as unknown as Scope
  const { whole } = await plannedZip(peeking, found(...secrets), leftOut(), { client: 'a' })
  expect([asked, opened]).toEqual([['/box'], ['/box/b']])
  expect(whole?.length).toBe((await bytesOf(zipOf(scope, [secrets]))).length)
})

const headerOf = (write: (into: Buffer, at: number) => number): Buffer => {
  const memory = Buffer.alloc(400, 0xaa)
  return memory.subarray(10, write(memory, 10))
}
const localHeader = (record: ZipRecord, checksum: number) =>
  headerOf((into, at) => writeLocalHeader(into, at, record, checksum))
const centralHeader = (record: ZipRecord, checksum: number, offset: number) =>
  headerOf((into, at) => writeCentralHeader(into, at, record, { checksum, offset }))

test('headers have values beyond 32 bits in zip64 fields', () => {
  const record = recordOf(member('big', 5 * gigabyte))
  const local = localHeader(record, 0)
  expect(local.readUInt32LE(22)).toBe(0xffff_ffff)
  expect([local.readUInt16LE(30 + 3 + 9), local.readBigUInt64LE(30 + 3 + 9 + 4)]).toEqual([1, BigInt(5 * gigabyte)])
  const central = centralHeader(record, 7, 6 * gigabyte)
  expect(central.readUInt32LE(42)).toBe(0xffff_ffff)
  expect([0, 8, 16].map((at) => Number(central.readBigUInt64LE(46 + 3 + 9 + 4 + at)) / gigabyte)).toEqual([5, 5, 6])
  expect(Buffer.from(descriptor(record, 7)).readBigUInt64LE(16)).toBe(BigInt(5 * gigabyte))
  const end = Buffer.from(ending(3, 300, 6 * gigabyte))
  expect([end.length, end.readBigUInt64LE(48)]).toEqual([98, BigInt(6 * gigabyte)])
})

test.each([0, 5, 262_144, 262_145, 2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32, 9 * gigabyte])(
  'localLength and centralLength tell the lengths of the headers of a file of %d bytes',
  (size) => {
    const record = recordOf(member('ü', size))
    const isLate = size > 262_144
    const length = localHeader(record, 0).length + size + (isLate ? descriptor(record, 0).length : 0)
    expect(localLength(record)).toBe(length)
    for (const offset of [0, 2 ** 32 - 1, 2 ** 33])
      expect(centralLength(record, offset)).toBe(centralHeader(record, 0, offset).length)
  },
)

test.each([-5_000_000_000, -1, 0, 2 ** 31, 5_000_000_000])('a header can be written for the time %d', (seconds) => {
  const record = recordOf(member('a', 1, { seconds }))
  expect(centralHeader(record, 0, 0).length).toBe(56)
})

test('a list of what was left out that is no small file is in the zip as well', async () => {
  const left = leftOut()
  for (let index = 0; index < 900; index += 1) left.add(`${index}${'/deep'.repeat(80)}`)
  const last = left.member() as Member
  expect(last.entry.size).toBeGreaterThan(300_000)
  const zip = await bytesOf(zipOf(scopeOver(members), [[...members, last]]))
  expect(read(zip)).toMatchObject({ 'a.txt': 5, [last.name]: last.entry.size })
})
