import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type Bucket, rootBucket } from '../src/takeover/bolt/buckets.ts'
import { openReadOnly } from '../src/takeover/bolt/file.ts'
import { sourceInBolt } from '../src/takeover/from-bolt.ts'
import { planTakeover } from '../src/takeover/plan.ts'
import { sealed } from './bolt.ts'
import { boltFileIn, now, recordsOf } from './bolt-file.ts'
import { scratchFolder } from './disk.ts'
import { idText, oldAdmin, oldDatabase, oldSettings, oldUser, sample } from './file-browser-database.ts'

const { put, read } = boltFileIn(scratchFolder('bolt'))

/** Everything that can be read, by bucket. */
function treeOf(bytes: Uint8Array): Record<string, string[]> {
  const opened = openReadOnly(put(bytes))
  try {
    const root = rootBucket(opened)
    return Object.fromEntries(
      Object.entries(buckets).flatMap(([name, inner]) => [
        [name, entriesOf(root.bucket(name))],
        ...inner.map((path) => [
          `${name}/${path}`,
          entriesOf(path.split('/').reduce<Bucket | undefined>((at, part) => at?.bucket(part), root.bucket(name))),
        ]),
      ]),
    )
  } finally {
    opened.close()
  }
}

const buckets = {
  __storm_db: ['__storm_metadata'],
  config: ['__storm_metadata'],
  User: ['__storm_index_ID', '__storm_index_Username', '__storm_metadata'],
  Link: [
    '__storm_index_Hash',
    '__storm_index_Hash/storm__ids',
    '__storm_index_Path',
    '__storm_index_Path/storm__ids',
    '__storm_metadata',
  ],
}

const entriesOf = (bucket: Bucket | undefined): string[] =>
  [...(bucket?.entries() ?? [])].map(({ key, value }) => `${key.toString('hex')} ${value.toString('latin1')}`)

test('a database of File Browser is read, and the generated ones have the same layout', () => {
  const written = readFileSync(sample.database)
  const { source, users, shares } = read(written)
  expect(users.map(({ id, username }) => [id, username])).toEqual([
    [1, 'admin'],
    [2, 'jürgen'],
    [3, 'reader'],
  ])
  expect(shares.map(({ hash, expire }) => [hash, expire])).toEqual([
    ['3iZeqqqy', 0],
    ['BASbOMPk', 1_872_465_226],
    ['sFZCPi5q', 0],
  ])
  expect(source.lastId).toBe(3)

  const records = treeOf(written)
  const jsonOf = (name: string) => records[name]?.map((entry) => Buffer.from(entry, 'latin1').toString()) ?? []
  const valuesOf = (name: string) => jsonOf(name).map((entry) => JSON.parse(entry.slice(entry.indexOf(' ') + 1)))
  const [auther, server, settings] = valuesOf('config')
  const rebuilt = oldDatabase({ settings, server, auther, users: valuesOf('User'), shares: valuesOf('Link') })
  expect(treeOf(rebuilt)).toEqual(records)
})

test('a database with a long history is read without its deleted rows', () => {
  const { source, users, shares, report } = read(readFileSync(sample.churned))
  expect(users.map(({ id }) => id)).toEqual([3, 6, 9, 12, 15, 18, 21, 24, 25])
  expect(users.every(({ id, username }) => username === (id === 25 ? 'many rules' : `user ${id}`))).toBe(true)
  expect(users.at(-1)?.rules.map(({ path }) => path)).toEqual(Array.from({ length: 60 }, (_, at) => `/denied/${at}`))
  const odd = Array.from({ length: 20 }, (_, at) => at * 2 + 1)
  expect(shares.map(({ hash, path }) => [hash, path])).toEqual(
    odd.map((number) => [`link${String(number).padStart(2, '0')}`, `/p/${number}`]),
  )
  expect(source.lastId).toBe(25)
  expect(report.changes.map(({ code }) => code)).not.toContain('may-be-older')
})

test('trees of many pages and values of several pages are read', () => {
  const users = [oldAdmin, ...Array.from({ length: 700 }, (_, at) => oldUser(at + 2, `user ${at}`))]
  const rules = Array.from({ length: 200 }, (_, at) => ({ path: `/${'long'.repeat(20)}${at}` }))
  users.push(oldUser(9000, 'many rules', { rules }))
  const shares = Array.from({ length: 3000 }, (_, at) => ({ hash: `link${at}`, path: `/p${at}`, userID: 1, expire: 0 }))
  const found = read(oldDatabase({ users, shares }))
  expect(found.users.map(({ id }) => id)).toEqual(users.map(({ id }) => id))
  expect(found.users.at(-1)?.rules.length).toBe(200)
  expect(found.shares.length).toBe(3000)
  expect(found.report.taken).toEqual({ settings: true, users: 702, shares: 3000, rules: 200 })
})

test.each([1024, 16_384, 65_536])('pages of %d bytes are read, also when the first meta page is broken', (pageSize) => {
  const shares = Array.from({ length: 900 }, (_, at) => ({ hash: `link${at}`, path: `/p${at}`, userID: 1, expire: 0 }))
  const bytes = oldDatabase({ shares, pageSize })
  expect(read(bytes).report.taken).toMatchObject({ users: 1, shares: 900 })
  bytes.fill(0, 0, pageSize)
  const { report } = read(bytes)
  expect(report.taken).toMatchObject({ users: 1, shares: 900 })
  expect(report.changes.map(({ code }) => code)).toContain('may-be-older')
})

test('the newer of two meta pages counts, and the other one when it is broken', () => {
  const bytes = oldDatabase()
  expect(read(bytes).users.length).toBe(1)
  const older = Buffer.from(bytes)
  older.writeBigUInt64LE(99_999n, 32) // The root of the older head leads nowhere.
  expect(read(sealed(older)).users.length).toBe(1)
  const [first, second, twice] = [Buffer.from(bytes), Buffer.from(bytes), Buffer.from(bytes)]
  first.fill(0xff, 16, 80)
  second.fill(0xff, 4096 + 16, 4096 + 80)
  twice.copy(twice, 4096, 0, 4096)
  for (const half of [first, second, twice]) {
    const { users, report } = read(half)
    expect(users.length).toBe(1)
    expect(report.changes.map(({ code }) => code)).toContain('may-be-older')
  }
  expect(read(bytes).report.changes.map(({ code }) => code)).not.toContain('may-be-older')
})

test('a field missing in an old database gets the default of its version', () => {
  const bytes = oldDatabase({
    settings: { authMethod: 'json' },
    users: [{ id: 1, username: 'old', scope: '', perm: {} }],
  })
  const source = sourceInBolt(put(bytes))
  const plan = planTakeover([source], undefined, now)
  expect(plan.config?.settings).toMatchObject({
    hideLoginButton: false,
    minimumPasswordLength: 12,
    userHomeBasePath: '/users',
    logoutPage: '/login',
    fileMode: 0o640,
    dirMode: 0o750,
    tus: { chunkSize: 10_485_760, retryCount: 5 },
    defaults: { locale: 'en', redirectAfterCopyMove: false },
    commands: { after_upload: [], before_delete: [] },
  })
  const [account] = [...plan.accounts()]
  expect(account?.user).toMatchObject({
    viewMode: 'list',
    sorting: { by: 'name', asc: false },
    rules: [],
    commands: [],
  })
  expect(Object.values(account?.user.perm ?? {}).every((right) => !right)).toBe(true)
  source.close()
})

test('field names are read in any letter case', () => {
  const user = { ID: 1, UserName: 'mixed', SCOPE: '/', PERM: { Admin: true }, HideDotfiles: true }
  const mixed = recordsOf({ settings: JSON.stringify(oldSettings()), User: { [idText(1)]: JSON.stringify(user) } })
  const [found] = read(mixed).users
  expect(found).toMatchObject({ id: 1, username: 'mixed', hidedotfiles: true, perm: { admin: true } })
})
