import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commitsOf, keptRows } from './commits.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-commits-'))
afterAll(() => rmSync(folder, { recursive: true }))

function open(name: string) {
  const file = join(folder, name)
  const sqlite = new Database(file, { create: true })
  sqlite.run('pragma journal_mode = wal')
  sqlite.run('create table if not exists held (name text primary key, value integer)')
  sqlite.run("insert or ignore into held values ('a', 1), ('b', 2)")
  sqlite.run('create table if not exists other (name text primary key, value integer)')
  return { file, sqlite }
}

/** Some are written by hand, without quotes. */
const query = 'select "value" from held where "name" = ?'

/** Reads as a request does, and counts how often the database was asked. */
function reader({ file, sqlite }: ReturnType<typeof open>) {
  let asked = 0
  const kept = keptRows(commitsOf(file))
  const read = kept.read(query, async ([name]) => {
    asked += 1
    return sqlite.query<{ value: number }, string[]>(query).get(String(name)) ?? undefined
  })
  return { kept, heldOf: async (name: string) => (await read([name]))?.value, asked: () => asked }
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
  const read = keptRows(commitsOf(file)).read(query, async () => {
    const found = value() ?? undefined
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
  expect(commitsOf(file, () => btrfs)?.count()).toBe(1)
  sqlite.close()
})

test('rows are shared, and cannot be changed', async () => {
  const { file, sqlite } = open('frozen.db')
  const value = () => sqlite.query<{ value: number }, []>("select value from held where name = 'a'").get()
  const read = keptRows(commitsOf(file)).read(query, async () => value() ?? undefined)
  const row = await read([])
  expect(() => Object.assign(row ?? {}, { value: 5 })).toThrow()
  expect(await read([])).toEqual({ value: 1 })
  sqlite.close()
})

/** A statement as a prepared change runs it, with what happens beside it. */
function changing({ sqlite }: ReturnType<typeof open>, sql: string, beside = () => {}) {
  return () => {
    beside()
    return [sqlite.query(sql).run().changes]
  }
}

test('what this process writes to another table keeps rows, and what it writes to theirs does not', async () => {
  const database = open('own.db')
  const { kept, heldOf, asked } = reader(database)
  expect(await heldOf('a')).toBe(1)
  const insert = `insert into "other" ("name") values ('one'), ('two')`
  kept.write([insert], changing(database, insert))
  expect([await heldOf('a'), asked()]).toEqual([1, 1])
  const update = `update "held" set "value" = 2 where "name" = 'a'`
  const more = `insert into "other" ("name") values ('three')`
  const together = database.sqlite.transaction(() => [more, update].flatMap((sql) => changing(database, sql)()))
  kept.write([more, update], together)
  expect([await heldOf('a'), asked()]).toEqual([2, 2])
  // Rows of other tables may go with it.
  const remove = `delete from "other" where "name" = 'one'`
  kept.write([remove], changing(database, remove))
  expect([await heldOf('a'), asked()]).toEqual([2, 3])
  database.sqlite.close()
})

test('a commit of another process beside a write of this one is seen', async () => {
  const database = open('beside.db')
  const { kept, heldOf } = reader(database)
  const process = new Database(database.file)
  let value = 1
  const committing = () => process.run(`update held set value = ${++value} where name = 'a'`)
  const insert = (name: string) => `insert into "other" ("name") values ('${name}')`
  const nothing = `update "other" set "name" = 'none' where "name" = 'none'`
  expect(await heldOf('a')).toBe(1)
  kept.write([insert('one')], changing(database, insert('one'), committing))
  expect(await heldOf('a')).toBe(value)
  // What changes no row is no commit, and the one that is counted is the other's.
  kept.write([nothing], changing(database, nothing, committing))
  expect(await heldOf('a')).toBe(value)
  committing()
  kept.write([insert('two')], changing(database, insert('two')))
  expect(await heldOf('a')).toBe(value)
  // The log begins anew with the own commit.
  process.run('pragma wal_checkpoint(restart)')
  kept.write([insert('three')], changing(database, insert('three'), committing))
  expect([value, await heldOf('a')]).toEqual([5, 5])
  process.close()
  database.sqlite.close()
})

test('a commit of another process is seen beside a row that is written as it is already', async () => {
  const database = open('alike.db')
  const { kept, heldOf } = reader(database)
  const process = new Database(database.file)
  let value = 1
  const committing = () => process.run(`update held set value = ${++value} where name = 'a'`)
  const insert = `insert into "other" ("name", "value") values ('one', 1)`
  kept.write([insert], changing(database, insert))
  expect(await heldOf('a')).toBe(value)
  const again = `${insert} on conflict ("name") do update set "value" = 1`
  for (const alike of [`update "other" set "value" = 1`, again]) {
    kept.write([alike], changing(database, alike, committing))
    expect(await heldOf('a')).toBe(value)
  }
  process.close()
  database.sqlite.close()
})

test('a write that fails keeps nothing that another process has changed meanwhile', async () => {
  const database = open('failed.db')
  const { kept, heldOf } = reader(database)
  const process = new Database(database.file)
  expect(await heldOf('a')).toBe(1)
  const failing = () => {
    process.run("update held set value = 2 where name = 'a'")
    throw new Error('refused')
  }
  expect(() => kept.write([`insert into "other" values ('one')`], failing)).toThrow('refused')
  expect(await heldOf('a')).toBe(2)
  process.close()
  database.sqlite.close()
})

test('a write to its table during a read is seen by the next one', async () => {
  const database = open('write-during.db')
  const { kept } = reader(database)
  const slow = Promise.withResolvers<void>()
  const value = () => database.sqlite.query<{ value: number }, []>("select value from held where name = 'a'").get()
  const read = kept.read(query, async () => {
    const found = value() ?? undefined
    await slow.promise
    return found
  })
  const first = read([])
  const update = `update "held" set "value" = 7 where "name" = 'a'`
  kept.write([update], changing(database, update))
  slow.resolve()
  expect(await first).toEqual({ value: 1 })
  expect(await read([])).toEqual({ value: 7 })
  database.sqlite.close()
})
