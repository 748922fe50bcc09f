import { Failure } from '../failure.ts'

/** What SQLite says, in the words of the product; an error that should not happen stays what it is. */
export function toFailure(error: unknown): unknown {
  const code = sqliteCode(error)
  if (code === 'SQLITE_FULL')
    return new Failure('no-space', 'The disk that holds the database is full', { cause: error })
  if (isBusy(error))
    return new Failure('unavailable', 'Another program keeps the database locked', { cause: error, retryAfter: 5 })
  if (unreachable.test(code))
    return new Failure('unavailable', 'The database cannot be written or read now', { cause: error })
  return error
}

const unreachable = /^SQLITE_(READONLY|IOERR|CANTOPEN|PERM)/

/** SQLite adds its reason to some of its codes: SQLITE_BUSY_RECOVERY. */
export const isBusy = (error: unknown): boolean => sqliteCode(error).startsWith('SQLITE_BUSY')

export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error))

export const isFull = (error: unknown): boolean => sqliteCode(error) === 'SQLITE_FULL'

/** Also of the index that processes share: SQLite calls it an error of input and output. */
export const isOutOfRoom = (error: unknown): boolean =>
  isFull(error) || sqliteCode(error).startsWith('SQLITE_IOERR_SHM')

/**
 * Was a row refused because nothing can be written now: full, read-only, broken or locked for too long? What only keeps
 * books goes on without its row then. A database that has been replaced is none of these: it is another one.
 */
export const isUnwritable = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.code === 'no-space' || error.code === 'unavailable') &&
  sqliteCode(error.cause) !== ''

/** For rows that only keep books: without them everything works as well. */
export const bestEffort = (write: Promise<unknown>): void => void write.catch(() => {})

function sqliteCode(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : ''
}
