import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commitsOf, keptUntilCommit } from './commits.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-commits-'))
afterAll(() => rmSync(folder, { recursive: true }))

function open(name: string) {
  const file = join(folder, name)
  const sqlite = new Database(file, { create: true })
  sqlite.run('pragma journal_mode = wal')
  sqlite.run('create table if not exists held (name text primary key, value integer)')
  sqlite.run("insert or ignore into held values ('a', 1), ('b', 2)")
  return { file, sqlite }
}

/** Reads as a request does, and counts how often the database was asked. */
function reader({ file, sqlite }: ReturnType<typeof open>) {
  let asked = 0
  const read = keptUntilCommit(commitsOf(file), async ([name]) => {
    asked += 1
    return sqlite.query<{ value: number }, string[]>('select value from held where name = ?').get(String(name))
  })
  return { heldOf: async (name: string) => (await read([name]))?.value, asked: () => asked }
}

test('a row is read once as long as nothing is committed, also one that is not there', async () => {
  const database = open('once.db')
  const { heldOf, asked } = reader(database)
  for (let times = 0; times < 3; times += 1) {
    expect(await heldOf('a')).toBe(1)
    expect(await heldOf('b')).toBe(2)
    expect(await heldOf('none')).toBeUndefined()
  }
  expect(asked()).toBe(3)
  database.sqlite.run("insert into held values ('none', 0)")
  expect(await heldOf('none')).toBe(0)
  database.sqlite.close()
})

test('a commit is seen at once: of this connection, of another one, of another process', async () => {
  const database = open('seen.db')
  const { heldOf } = reader(database)
  expect(await heldOf('a')).toBe(1)
  database.sqlite.run("update held set value = 2 where name = 'a'")
  expect(await heldOf('a')).toBe(2)

  const beside = new Database(database.file)
  beside.run("update held set value = 3 where name = 'a'")
  expect(await heldOf('a')).toBe(3)
  beside.close()

  const program = `new (require('bun:sqlite').Database)(process.argv[1]).run("update held set value = 4 where name = 'a'")`
  expect(Bun.spawnSync([process.execPath, '-e', program, database.file]).exitCode).toBe(0)
  expect(await heldOf('a')).toBe(4)

  // The log begins anew, and the next commit stands where the first one stood.
  database.sqlite.run('pragma wal_checkpoint(truncate)')
  expect(await heldOf('a')).toBe(4)
  database.sqlite.run("update held set value = 5 where name = 'a'")
  expect(await heldOf('a')).toBe(5)
  database.sqlite.close()
})

test('what is not committed yet is not seen, and what is undone never was', async () => {
  const database = open('undone.db')
  const { heldOf, asked } = reader(database)
  const writer = new Database(database.file)
  expect(await heldOf('a')).toBe(1)
  writer.run('begin immediate')
  writer.run("update held set value = 9 where name = 'a'")
  expect(await heldOf('a')).toBe(1)
  writer.run('rollback')
  expect(await heldOf('a')).toBe(1)
  expect(asked()).toBe(1)
  writer.run('begin immediate')
  writer.run("update held set value = 10 where name = 'a'")
  writer.run('commit')
  expect(await heldOf('a')).toBe(10)
  writer.close()
  database.sqlite.close()
})

test('a commit during a read is seen by the next one', async () => {
  const { file, sqlite } = open('during.db')
  const slow = Promise.withResolvers<void>()
  const value = () => sqlite.query<{ value: number }, []>("select value from held where name = 'a'").get()
  const read = keptUntilCommit(commitsOf(file), async () => {
    const found = value()
    await slow.promise
    return found
  })
  const first = read([])
  sqlite.run("update held set value = 7 where name = 'a'")
  slow.resolve()
  expect(await first).toEqual({ value: 1 })
  expect(await read([])).toEqual({ value: 7 })
  sqlite.close()
})

test('nothing is kept of a database in memory, or of one that is locked for others', () => {
  expect(commitsOf('')).toBeUndefined()
  const file = join(folder, 'locked.db')
  const sqlite = new Database(file, { create: true })
  sqlite.run('pragma locking_mode = exclusive')
  sqlite.run('pragma journal_mode = wal')
  sqlite.run('create table held (value integer)')
  expect(commitsOf(file)).toBeUndefined()
  sqlite.close()
})

test('nothing is kept where a read of the index may show an old one', () => {
  const { file, sqlite } = open('shared.db')
  const [plan9, fuse, cifs, btrfs] = [0x01021997, 0x65735546, 0xff534d42, 0x9123683e]
  for (const kind of [plan9, fuse, cifs]) expect(commitsOf(file, () => kind)).toBeUndefined()
  expect(commitsOf(file, () => btrfs)?.()).toBe(1)
  sqlite.close()
})

test('rows are shared, and cannot be changed', async () => {
  const { file, sqlite } = open('frozen.db')
  const read = keptUntilCommit(commitsOf(file), async () =>
    sqlite.query<{ value: number }, []>("select value from held where name = 'a'").get(),
  )
  const row = await read([])
  expect(() => Object.assign(row ?? {}, { value: 5 })).toThrow()
  expect(await read([])).toEqual({ value: 1 })
  sqlite.close()
})
