import { DatabaseRefusal } from '../port.ts'

/** SQLite's errors in the words of the port; an error that should not happen stays what it is. */
export function toFailure(error: unknown): unknown {
  const code = sqliteCode(error)
  if (code === 'SQLITE_FULL') return new DatabaseRefusal('full', error)
  if (isBusy(error)) return new DatabaseRefusal('locked', error)
  return unreachable.test(code) ? new DatabaseRefusal('unwritable', error) : error
}

const unreachable = /^SQLITE_(READONLY|IOERR|CANTOPEN|PERM)/

/** SQLite adds its reason to some of its codes: SQLITE_BUSY_RECOVERY. */
export const isBusy = (error: unknown): boolean => sqliteCode(error).startsWith('SQLITE_BUSY')

export const isFull = (error: unknown): boolean => sqliteCode(error) === 'SQLITE_FULL'

/** Also of the index that processes share: SQLite calls it an error of input and output. */
export const isOutOfRoom = (error: unknown): boolean =>
  isFull(error) || sqliteCode(error).startsWith('SQLITE_IOERR_SHM')

function sqliteCode(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : ''
}
