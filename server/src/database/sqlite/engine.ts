import type { SQLQueryBindings } from 'bun:sqlite'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { deadline } from '../../concurrency/deadline.ts'
import { type DatabaseProblem, DatabaseRefusal, type Engine, type Parameters } from '../port.ts'
import type { KeptRows } from './commits.ts'
import type { Connections } from './connections.ts'
import type { GroupedWrites } from './grouped-writes.ts'

/** The port over SQLite. */
export const engineOver = (connections: Connections, kept: KeptRows, grouped: GroupedWrites): Engine => {
  const changeWith = (sql: string) => {
    const statement = connections.writer.prepare(sql)
    return (parameters: Parameters) => () => statement.run(...(parameters as SQLQueryBindings[])).changes
  }
  return {
    // The index of the log is shared memory.
    isOnOneKernel: true,
    isExclusive: connections.reader === connections.writer,
    doorbell: undefined,
    presence: undefined,
    first<Row>({ sql }: { sql: string }) {
      const { reader, writer, read, readLocked } = connections
      const statement = writer.prepare<Row>(sql)
      const beside = reader === writer ? undefined : reader.prepare<Row>(sql)
      return kept.read<Row>(sql, async (parameters) => {
        const bindings = parameters as SQLQueryBindings[]
        const { sqlite } = writer
        if (beside === undefined && sqlite.inTransaction)
          return (await readLocked(() => statement.get(...bindings))) ?? undefined
        // The writer knows the pages that it has written, and the reader has to read them again after each write. But what
        // a transaction has not committed yet must not be seen, and one may have been begun before a second try.
        const ask = () => (beside !== undefined && sqlite.inTransaction ? beside : statement).get(...bindings)
        return (await read(ask)) ?? undefined
      })
    },
    change({ sql }) {
      const change = changeWith(sql)
      return (parameters) => grouped.add(sql, change(parameters))
    },
    changeLater({ sql }, failed) {
      const change = changeWith(sql)
      return async (parameters) => void grouped.addLater(sql, change(parameters)).catch(failed)
    },
    sync: () => connections.log.sync(),
    probe: () => probe(connections),
    inspect: () => connections.inspect(),
    async close() {
      await grouped.settled()
      await connections.close()
    },
  }
}

const readProbe = "select name from setting where name = 'settings'"
/** Another number each time: what would change nothing is not written, and what is undone never reaches the disk. */
const writeProbe =
  "insert into counter (name, value) values ('probe', 1) on conflict (name) do update set value = value + 1"

async function probe({
  reader,
  writer,
  identity,
  read,
  tryToWrite,
}: Connections): Promise<DatabaseProblem | undefined> {
  try {
    await read(() => reader.all(readProbe, []))
  } catch {
    return 'unreadable'
  }
  try {
    await tryToWrite(() => writer.run(writeProbe, []))
  } catch (error) {
    if (error instanceof DatabaseRefusal) return error.problem
    return ['ours', 'changed'].includes(identity.state()) ? 'unwritable' : 'replaced'
  }
  // One number may still find room where nothing else does.
  return (await isNearlyFull(identity.file)) ? 'full' : undefined
}

/** In bytes: a few pages of the log. */
const leastRoom = 65_536
/** In milliseconds. While all threads of the runtime's pool wait for a disk, this question stands behind them. */
const longestQuestion = 20

async function isNearlyFull(file: string): Promise<boolean> {
  if (file === '') return false
  const asking = statfs(dirname(file)).catch(() => undefined)
  const disk = await deadline(asking, longestQuestion, undefined)
  return disk !== undefined && disk.bavail * disk.bsize < leastRoom
}
