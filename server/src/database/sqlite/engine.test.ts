import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery } from 'kysely'
import { keptRows } from './commits.ts'
import { connectionOn } from './connection.ts'
import type { Connections } from './connections.ts'
import { engineOver } from './engine.ts'
import { groupedWrites } from './grouped-writes.ts'
import { anonymous } from './identity.ts'

const folder = mkdtempSync(join(tmpdir(), 'filestead-engine-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a read that is tried again sees nothing that a transaction has not committed', async () => {
  const open = () => connectionOn(new Database(join(folder, 'a.db'), { create: true }))
  const [writer, reader] = [open(), open()]
  writer.all('pragma journal_mode = wal', [])
  writer.run('create table held (value integer)', [])
  writer.run('insert into held values (1)', [])
  // Busy at first; by the second try another request has begun a transaction.
  const read: Connections['read'] = async (ask) => {
    writer.run('begin immediate', [])
    writer.run('update held set value = 2', [])
    return ask()
  }
  const connections = { writer, reader, read, identity: anonymous } as Connections
  const kept = keptRows(undefined)
  const engine = engineOver(connections, kept, groupedWrites(connections, kept))
  expect(await engine.first<{ value: number }>(CompiledQuery.raw('select value from held'))([])).toEqual({ value: 1 })
  writer.run('rollback', [])
  for (const connection of [reader, writer]) connection.close()
})
