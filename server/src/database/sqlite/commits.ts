import { readSync, statfsSync } from 'node:fs'
import { descriptorOf } from './descriptors.ts'

/** In words of four bytes: the first of the two copies of its header that the index of a log begins with. */
const headerLength = 12
/** The first word: what SQLite calls the format of an index. */
const knownFormat = 3_007_000

/**
 * File systems on which a read shows at once what was written through a mapping, as SQLite writes the index: ext2 to ext4, xfs,
 * btrfs, zfs, f2fs, bcachefs, overlay and memory. On others, such as a folder of the machine that a virtual one runs on, a
 * read may show for half a minute what was there before.
 */
const coherent: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x794c7630, 0x01021994,
])

/** Its number may come with a sign. */
const kindOfFileSystem = (file: string): number => statfsSync(file).type >>> 0

/** The number of commits, in the same header. */
const countAt = 2
/** Two random numbers that are new whenever the log begins anew. */
const saltsAt = [8, 9] as const

export interface Commits {
  /** Another number whenever something was committed that `own` has not told of, by any process. Undefined where that is not known. */
  count(): number | undefined
  /**
   * Runs a write of this process that answers whether it is sure to have been a commit. True where it was the only one
   * meanwhile: then the count stays, and the caller knows what was changed.
   */
  own(write: () => boolean): boolean
}

/**
 * Each commit changes the header of the index, which all processes share. To read it takes a twentieth of the time of a
 * query. Undefined where there is none (a database in memory, or one that is locked for others), or where a read may show an
 * old one.
 */
export function commitsOf(file: string, kindOf = kindOfFileSystem): Commits | undefined {
  const descriptor = descriptorOf(`${file}-shm`)
  if (descriptor === undefined || !coherent.has(kindOf(file))) return undefined
  const header = new Int32Array(headerLength)
  const last = new Int32Array(headerLength)
  let commits = 0

  function isRead(): boolean {
    const length = readSync(descriptor as number, header, 0, header.byteLength, 0)
    return length === header.byteLength && header[0] === knownFormat
  }

  function count(): number | undefined {
    if (!isRead()) return undefined
    if (isOther(header, last)) {
      last.set(header)
      commits += 1
    }
    return commits
  }

  /** Has nothing but one commit come after `last`? */
  const isNext = (): boolean =>
    isRead() && header[countAt] === (last[countAt] ?? 0) + 1 && saltsAt.every((index) => header[index] === last[index])

  return {
    count,
    own(write) {
      const isKnown = count() !== undefined
      const isCommit = write()
      // What is no commit counts nothing: the one that was counted would be of another process.
      if (!isKnown || !isCommit || !isNext()) return false
      last.set(header)
      return true
    },
  }
}

function isOther(words: Int32Array, known: Int32Array): boolean {
  for (let index = 0; index < headerLength; index += 1) if (words[index] !== known[index]) return true
  return false
}

const mostKept = 500

type Read<Row> = (parameters: readonly unknown[]) => Promise<Row | undefined>

export interface KeptRows {
  /** What was read since the last commit that may concern it is not read again. Rows are shared from then on, and frozen. */
  read<Row>(sql: string, read: Read<Row>): Read<Row>
  /** Runs statements of this process, and is answered how many rows each of them has changed. */
  write(statements: readonly string[], write: () => readonly number[]): void
}

export function keptRows(commits: Commits | undefined): KeptRows {
  if (commits === undefined) return { read: (_sql, read) => read, write: (_statements, write) => void write() }
  const readers: { readonly names: ReadonlySet<string>; forget(): void }[] = []
  const known = new Map<string, Statement>()

  function statementOf(sql: string): Statement {
    const statement = known.get(sql) ?? { table: changedTable(sql), isAlwaysWritten: isAlwaysWritten(sql) }
    known.set(sql, statement)
    return statement
  }

  return {
    read<Row>(sql: string, read: Read<Row>): Read<Row> {
      const kept = new Map<string, Row | undefined>()
      let keptSince: number | undefined
      let forgotten = 0
      const forget = () => {
        kept.clear()
        forgotten += 1
      }
      readers.push({ names: namesIn(sql), forget })
      return async (parameters) => {
        // Asked before the row is read: a commit in between is seen the next time.
        const now = commits.count()
        if (now === undefined) return read(parameters)
        if (now !== keptSince) forget()
        keptSince = now
        const key = JSON.stringify(parameters)
        if (kept.has(key)) return kept.get(key)
        const since = forgotten
        const row = Object.freeze(await read(parameters))
        if (forgotten === since && kept.size < mostKept) kept.set(key, row)
        return row
      }
    },
    write(statements, write) {
      const written = statements.map(statementOf)
      const isOwn = commits.own(() => write().some((changed, index) => changed > 0 && written[index]?.isAlwaysWritten))
      if (!isOwn) return
      for (const { table } of new Set(written))
        for (const { names, forget } of readers) if (table === undefined || names.has(table)) forget()
    },
  }
}

interface Statement {
  readonly table: string | undefined
  readonly isAlwaysWritten: boolean
}

/** A row that is updated to what it is already counts as changed, and SQLite writes nothing. */
const isAlwaysWritten = (sql: string): boolean => sql.startsWith('insert into ') && !sql.includes(' do update ')

/** The only table that a statement changes. Undefined where rows of others may go with those that it removes. */
export const changedTable = (sql: string): string | undefined => /^(?:insert into|update) "(\w+)"/.exec(sql)?.[1]

/** All tables of a query, quoted or not; its other words do no harm. */
const namesIn = (sql: string): ReadonlySet<string> => new Set(sql.match(/\w+/g))
