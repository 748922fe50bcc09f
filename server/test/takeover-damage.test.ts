import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Failure } from '../src/failure.ts'
import { sourceInBolt } from '../src/takeover/from-bolt.ts'
import { planTakeover } from '../src/takeover/plan.ts'
import { writePlan } from '../src/takeover/write.ts'
import { boltOf, sealed } from './bolt.ts'
import { boltFileIn, now, recordsOf } from './bolt-file.ts'
import { testDatabase } from './database.ts'
import { scratchFolder } from './disk.ts'
import { idText, oldAdmin, oldDatabase, oldUser, sample } from './file-browser-database.ts'

const { file, put, read } = boltFileIn(scratchFolder('bolt-damage'))

const refusalOf = (bytes: Uint8Array): string => {
  try {
    read(bytes)
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
  return 'it was read'
}

const good = oldDatabase({
  users: [oldAdmin, oldUser(2, 'second')],
  shares: Array.from({ length: 60 }, (_, at) => ({ hash: `link${at}`, path: `/p${at}`, userID: 1, expire: 0 })),
})
const rootPage = Number(good.readBigUInt64LE(4096 + 32))

function changed(change: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.from(good)
  change(bytes)
  return bytes
}

const inBothHeads = (change: (head: Buffer) => void): Buffer =>
  changed((bytes) => {
    for (const at of [16, 4096 + 16]) change(bytes.subarray(at, at + 64))
  })

/** The first page of this kind, by its flags. */
const pageOfKind = (kind: number): number => {
  for (let page = 3; page < good.length / 4096; page += 1) if (good.readUInt16LE(page * 4096 + 8) === kind) return page
  throw new Error(`There is no page of kind ${kind}`)
}

/** Where the first element of a leaf with a user or a link begins. */
const recordElement = (): number => {
  for (let at = 3 * 4096; at < good.length; at += 4096) {
    const element = at + 16
    const value = element + good.readUInt32LE(element + 4) + good.readUInt32LE(element + 8)
    if (good.readUInt16LE(at + 8) === 2 && good[value] === '{'.charCodeAt(0)) return element
  }
  throw new Error('There is no page with records')
}

test.each<[string, () => Uint8Array, RegExp]>([
  ['that is cut off in its head', () => good.subarray(0, 60), /neither of its two heads .*too short/],
  ['that is cut off behind its heads', () => good.subarray(0, 8192), /it ends after 8192 bytes, but \d+ are needed/],
  ['that is cut off in the middle', () => good.subarray(0, good.length - 5000), /it ends after \d+ bytes/],
  ['of another kind', () => Buffer.alloc(20_000, 'x'), /does not begin with the mark of a BoltDB/],
  ['of a newer format', () => inBothHeads((head) => head.writeUInt32LE(3, 4)), /format has version 3/],
  [
    'with a wrong checksum in both heads',
    () => inBothHeads((head) => head.writeUInt8(7, 14)),
    /its checksum does not match/,
  ],
  [
    'with a branch that leads back to itself',
    () =>
      changed((bytes) => {
        const page = pageOfKind(1)
        bytes.writeBigUInt64LE(BigInt(page), page * 4096 + 16 + 8)
      }),
    /page \d+ (is reached a second time|lies deeper)/,
  ],
  [
    'with two branches that lead to one page',
    () =>
      changed((bytes) => {
        const at = pageOfKind(1) * 4096 + 16
        bytes.writeBigUInt64LE(bytes.readBigUInt64LE(at + 8), at + 16 + 8)
      }),
    /page \d+ is reached a second time, from page \d+/,
  ],
  [
    'with a page that is another one',
    () => changed((bytes) => bytes.writeBigUInt64LE(1n, rootPage * 4096)),
    /page \d+ calls itself 1/,
  ],
  [
    'with a page of an unknown kind',
    () => changed((bytes) => bytes.writeUInt16LE(9, rootPage * 4096 + 8)),
    /page \d+ is of an unknown kind \(9\)/,
  ],
  [
    'with a page that is longer than all',
    () => changed((bytes) => bytes.writeUInt32LE(0xffff_ffff, rootPage * 4096 + 12)),
    /page \d+ claims to be 4294967296 pages long/,
  ],
  [
    'with an element outside of its page',
    () => changed((bytes) => bytes.writeUInt32LE(0xffff_fff0, rootPage * 4096 + 16 + 4)),
    /an element of page \d+ lies outside of it/,
  ],
  [
    'with more elements than fit',
    () => changed((bytes) => bytes.writeUInt16LE(0xffff, rootPage * 4096 + 10)),
    /page \d+ claims to hold 65535 elements/,
  ],
  [
    'with fewer elements than were written',
    () => changed((bytes) => bytes.writeUInt16LE(bytes.readUInt16LE(rootPage * 4096 + 10) - 1, rootPage * 4096 + 10)),
    /an element of page \d+ is not where the one before it ends/,
  ],
  [
    'with a page in the place of another one',
    () =>
      changed((bytes) => {
        const second = pageOfKind(1) * 4096 + 32
        bytes.fill(0xff, second + bytes.readUInt32LE(second), second + bytes.readUInt32LE(second) + 1)
      }),
    /the keys of page \d+ are those of another one/,
  ],
  [
    'with a bucket that became a value',
    () => changed((bytes) => bytes.writeUInt32LE(0, rootPage * 4096 + 16)),
    /"Link" in the whole is not a bucket/,
  ],
  [
    'with a value that became a bucket',
    () => changed((bytes) => bytes.writeUInt32LE(1, recordElement())),
    /a bucket in page \d+ has no beginning/,
  ],
  [
    'with an element of an unknown kind',
    () => changed((bytes) => bytes.writeUInt32LE(2, recordElement())),
    /an element of page \d+ is of an unknown kind/,
  ],
  [
    'with something else in the place of its users',
    () => boltOf({ config: { settings: '{}', __storm_metadata: { codec: 'json' } }, User: { a: { b: 'c' } } }),
    /User does not say how it is written/,
  ],
  [
    'in an unknown codec',
    () => oldDatabase({ codec: 'gob' }),
    /config is written as "gob", and only "json" can be read/,
  ],
  ['of another program', () => boltOf({ buckets: { a: 'b' } }), /is a BoltDB, but not one of File Browser 2/],
  ['with a user that is not JSON', () => recordsOf({ User: { [idText(5)]: '{"id":5' } }), /user 5 is not JSON/],
  [
    'with a user of another number',
    () => recordsOf({ User: { [idText(5)]: '{"id":6,"scope":"/","perm":{}}' } }),
    /user 5 calls itself 6/,
  ],
  [
    'with a user whose rights are no rights',
    () => recordsOf({ User: { [idText(5)]: '{"id":5,"scope":"/","perm":{"admin":"yes"}}' } }),
    /user 5 cannot be understood, in perm\.admin/,
  ],
  [
    'of a program that descends from File Browser',
    () => recordsOf({ User: { [idText(5)]: '{"id":5,"scopes":[{"name":"/srv","scope":"/five"}],"permissions":{}}' } }),
    /user 5 cannot be understood, in scope: it is missing\. Is this the database of another program/,
  ],
  [
    'with two users of one name',
    () => oldDatabase({ users: [oldUser(1, 'twin'), oldUser(2, 'twin')] }),
    /two users "twin"/,
  ],
  [
    'with a link under another name',
    () => recordsOf({ Link: { abc: '{"hash":"xyz"}' } }),
    /the link "abc" calls itself xyz/,
  ],
])('one %s is refused with a reason', (_what, bytes, reason) => {
  const refusal = refusalOf(bytes())
  expect(refusal).toMatch(reason)
})

test('a database that cannot be read to its end is refused as a whole', async () => {
  const source = sourceInBolt(put(good))
  const plan = planTakeover([source], undefined, now)
  const db = await testDatabase()
  const broken = {
    ...plan,
    *shares() {
      yield* plan.shares()
      throw new Error('the disk is gone')
    },
  }
  await expect(writePlan(db, broken)).rejects.toThrow('the disk is gone')
  for (const table of ['user', 'setting', 'share', 'counter', 'inherited_user'] as const)
    expect(await db.selectFrom(table).selectAll().execute()).toEqual([])
  await writePlan(db, plan)
  expect((await db.selectFrom('user').selectAll().execute()).length).toBe(2)
  await db.destroy()
  source.close()
})

/** The same numbers every time: a failure can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const mutations: ((bytes: Buffer, random: (below: number) => number) => Buffer)[] = [
  (bytes, random) => {
    for (let count = 1 + random(8); count > 0; count -= 1) bytes[random(bytes.length)] = random(256)
    return bytes
  },
  // Headers and elements matter more than their share of bytes.
  (bytes, random) => {
    const page = random(bytes.length / 4096) * 4096
    for (let count = 1 + random(4); count > 0; count -= 1) bytes[page + random(80)] = random(256)
    return page < 8192 ? sealed(bytes) : bytes
  },
  (bytes, random) => bytes.subarray(0, random(bytes.length)),
  (bytes, random) => {
    const from = random(bytes.length)
    return Buffer.from(bytes.fill(random(2) * 255, from, Math.min(from + random(6000), bytes.length)))
  },
  (bytes, random) => {
    const [from, to] = [random(bytes.length / 4096) * 4096, random(bytes.length / 4096) * 4096]
    bytes.copyWithin(to, from, from + 4096)
    return bytes
  },
  (bytes, random) => {
    const at = 3 * 4096 + random(bytes.length - 4 * 4096)
    bytes.writeBigUInt64LE(BigInt([0, 3, 0xffff_ffff, Number.MAX_SAFE_INTEGER][random(4)] ?? 0), at)
    return bytes
  },
]

test('thousands of damaged databases neither crash nor hang, and are taken over completely or refused', async () => {
  const random = randomFrom(20_261_115)
  const originals = [good, readFileSync(sample.database)]
  const outcomes = { refused: 0, taken: 0 }
  for (let round = 0; round < 2400; round += 1) {
    const original = originals[round % 2] ?? good
    const mutate = mutations[round % mutations.length] ?? ((bytes: Buffer) => bytes)
    const bytes = mutate(Buffer.from(original), random)
    const refusal = await outcomeOf(bytes, round % 40 === 0)
    outcomes[refusal === undefined ? 'taken' : 'refused'] += 1
    if (refusal !== undefined) expect(refusal).toContain(file)
  }
  expect(outcomes.refused).toBeGreaterThan(500)
  expect(outcomes.taken).toBeGreaterThan(100)
}, 120_000)

/** Undefined when it was read to its end; some are also written, to see that reading and writing agree. */
async function outcomeOf(bytes: Buffer, isWritten: boolean): Promise<string | undefined> {
  let source: ReturnType<typeof sourceInBolt> | undefined
  const db = isWritten ? await testDatabase() : undefined
  try {
    source = sourceInBolt(put(bytes))
    const plan = planTakeover([source], undefined, now)
    if (db === undefined) return undefined
    await writePlan(db, plan)
    expect((await db.selectFrom('user').selectAll().execute()).length).toBe(plan.report.taken.users)
    expect((await db.selectFrom('share').selectAll().execute()).length).toBe(plan.report.taken.shares)
    return undefined
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (db !== undefined) expect(await db.selectFrom('user').selectAll().execute()).toEqual([])
    return error.message
  } finally {
    source?.close()
    await db?.destroy()
  }
}
