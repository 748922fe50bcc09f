import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../open.ts'
import { preparedChange, preparedLaterChange, transaction } from '../port.ts'
import { sqliteOf } from './open.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-grouped-'))
afterAll(() => rmSync(folder, { recursive: true }))

const sample = { target: '', failures: 0, last_at: 0, blocked_until: 0 }

async function opened(name: string, { isServer = true } = {}) {
  const db = await openDatabase(join(folder, name), { isServer })
  const insert = preparedChange(db, db.insertInto('attempt').values(sample))
  const failures: unknown[] = []
  const insertLater = preparedLaterChange(db, db.insertInto('attempt').values(sample), (error) => failures.push(error))
  return {
    db,
    failures,
    add: (target: string) => insert([target, 1, 0, 0]),
    addLater: (target: string) => insertLater([target, 1, 0, 0]),
    targets: async () =>
      (await db.selectFrom('attempt').select('target').orderBy('target').execute()).map((row) => row.target),
    /** How many pages have been written to the log. */
    pages: () => sqliteOf(db)?.query<{ log: number }, []>('pragma wal_checkpoint(noop)').get()?.log ?? 0,
    [Symbol.asyncDispose]: () => db.destroy(),
  }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `target ${10 + index}`)

test('rows that are written at once share their pages of the log, and are there when each is acknowledged', async () => {
  await using it = await opened('together')
  const before = it.pages()
  await Promise.all(numbered(20).map(it.add))
  expect(await it.targets()).toEqual(numbered(20))
  const together = it.pages() - before
  for (const target of numbered(20)) await it.add(`${target}, alone`)
  expect(it.pages() - before - together).toBeGreaterThan(together * 4)
})

test('a row that is refused keeps no other of its group from being written', async () => {
  await using it = await opened('refused')
  await it.add('target 12')
  const results = await Promise.allSettled(numbered(5).map(it.add))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(await it.targets()).toEqual(numbered(5))
})

test('rows that are written while a transaction is open are no part of it', async () => {
  await using it = await opened('beside')
  const written: Promise<void>[] = []
  const undone = transaction(it.db, 'serializable', async (trx) => {
    await trx
      .insertInto('attempt')
      .values({ ...sample, target: 'in the transaction' })
      .execute()
    written.push(...numbered(3).map(it.add))
    await Bun.sleep(5)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await Promise.all(written)
  expect(await it.targets()).toEqual(numbered(3))
})

test('a row that finds no room on the disk keeps no other of its group from being written', async () => {
  await using it = await opened('full')
  const sqlite = sqliteOf(it.db)
  const size = sqlite?.query<{ page_count: number }, []>('pragma page_count').get()?.page_count ?? 0
  sqlite?.run(`pragma max_page_count = ${size + 2}`)
  const large = 'target 12'.repeat(10_000)
  const results = await Promise.allSettled(numbered(5).map((target) => it.add(target === 'target 12' ? large : target)))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(results[2]).toMatchObject({ reason: { code: 'no-space' } })
  expect(await it.targets()).toEqual(numbered(5).filter((target) => target !== 'target 12'))
})

test('rows that may be committed later share their pages of the log although they come one after the other', async () => {
  await using it = await opened('later')
  const before = it.pages()
  for (const target of numbered(20)) await it.addLater(target)
  expect(await it.targets()).toEqual(numbered(20))
  const together = it.pages() - before
  for (const target of numbered(20)) await it.add(`${target}, alone`)
  expect(it.pages() - before - together).toBeGreaterThan(together * 4)
})

test('rows that may be committed later are committed without a query, or with the next row that may not', async () => {
  await using it = await opened('by themselves')
  const other = new Database(join(folder, 'by themselves'), { readonly: true })
  const seen = () => other.query<{ target: string }, []>('select target from attempt').all()
  await it.addLater('alone')
  expect(seen()).toEqual([])
  while (seen().length === 0) await Bun.sleep(1)
  await it.addLater('first')
  await it.add('second')
  expect(seen().map(({ target }) => target)).toEqual(['alone', 'first', 'second'])
  other.close()
})

test('a transaction finds rows that may be committed later, and what it asks beside itself does not wait for its end', async () => {
  await using it = await opened('in order')
  await it.addLater('before')
  const found = await transaction(it.db, 'serializable', async (trx) => {
    await it.addLater('meanwhile')
    const beside = await it.targets()
    const rows = await trx.selectFrom('attempt').select('target').execute()
    return [beside, rows.map(({ target }) => target)]
  })
  expect(found).toEqual([['before'], ['before']])
  expect(await it.targets()).toEqual(['before', 'meanwhile'])
})

test('a row that may be committed later and is refused then is told of, and keeps no other from being written', async () => {
  await using it = await opened('refused later')
  for (const target of ['one', 'one', 'two']) await it.addLater(target)
  expect(await it.targets()).toEqual(['one', 'two'])
  expect(it.failures).toHaveLength(1)
})

test('a query about other tables does not wait for rows that may be committed later', async () => {
  await using it = await opened('other tables', { isServer: false })
  const other = new Database(join(folder, 'other tables'))
  other.run('begin immediate')
  await it.addLater('waits')
  expect(await it.db.selectFrom('counter').select('value').where('value', '<', 0).execute()).toEqual([])
  other.run('rollback')
  other.close()
  expect(await it.targets()).toEqual(['waits'])
})

test.each([{ isServer: true }, { isServer: false }])(
  'rows that wait for their turn are written before the end: %p',
  async (how) => {
    const name = `end of ${how.isServer}`
    const it = await opened(name, how)
    await it.addLater('target 09')
    const written = Promise.allSettled(numbered(3).map(it.add))
    await it.db.destroy()
    expect((await written).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    await using again = await opened(name)
    expect(await again.targets()).toEqual(['target 09', ...numbered(3)])
  },
)
