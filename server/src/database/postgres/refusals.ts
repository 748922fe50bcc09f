import { Failure } from '../../failure.ts'
import { shownAddress } from '../address.ts'
import { DatabaseRefusal } from '../port.ts'

/** PostgreSQL's errors in the words of the port; an error that should not happen stays what it is, with its code. */
export function toFailure(error: unknown): unknown {
  if (error instanceof Failure) return error
  const code = codeOf(error)
  if (isAway(error)) return new DatabaseRefusal('away', error)
  if (code === '53100') return new DatabaseRefusal('full', error)
  if (lockedCodes.has(code)) return new DatabaseRefusal('locked', error)
  if (unwritableCodes.has(code)) return new DatabaseRefusal('unwritable', error)
  const unstorable = unstorableTexts[code]
  if (unstorable !== undefined) return new Failure('invalid', unstorable, { cause: error })
  return error
}

/** What SQLite stores, or looks for in vain. */
const unstorableTexts: Readonly<Record<string, string>> = {
  '22021': 'A text holds a character that cannot be stored',
  '22003': 'A number is too large',
  '22P02': 'A number cannot be read',
}

export const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '')

/** Statement timeout, lock not available, idle in a transaction for too long. */
const lockedCodes = new Set(['57014', '55P03', '25P03'])
/** Read-only, as a standby is; no permission; an error of the disk; memory or configuration. */
const unwritableCodes = new Set(['25006', '42501', '58030', '53200', '53000', '53400', 'XX001', 'XX002'])

/**
 * Is nothing answered, so that the next try needs another connection? Class 08 is about connections, 57P0x about a server
 * that stops or starts, 53300 says that it has too many connections.
 */
export function isAway(error: unknown): boolean {
  const code = codeOf(error)
  return (
    /^(08...|57P0[1-5]|53300|E[A-Z]{3,})$/.test(code) || lostTexts.test(String((error as Error | undefined)?.message))
  )
}

/** The driver has no codes for these. */
const lostTexts =
  /connection terminated|connection error|connection ended|timeout exceeded when trying to connect|query read timeout|not queryable|closed the connection|after calling end/i

/** Why a database cannot be opened, and what to do. */
export function openingFailure(error: unknown, address: string): unknown {
  if (error instanceof Failure && !(error instanceof DatabaseRefusal)) return error
  const cause = error instanceof DatabaseRefusal ? error.cause : error
  const reason = openingReasons[noPassword.test(textOf(cause)) ? '28P01' : codeOf(cause)]
  const shown = shownAddress(address)
  if (reason !== undefined)
    return new Failure('invalid', `The database ${shown} cannot be opened: ${reason}`, { cause })
  const isRefused = error instanceof DatabaseRefusal && error.problem === 'away'
  if (!isRefused && !isAway(cause)) return error
  return new Failure('unavailable', `The database ${shown} does not answer: ${textOf(cause)}`, { cause })
}

/** The driver refuses by itself, without a code, to sign in where the server asks for a password and there is none. */
const noPassword = /password must be a/i

const openingReasons: Readonly<Record<string, string>> = {
  '28P01': 'the password is wrong, or none was given. Put it into the address, PGPASSWORD or a pgpass file',
  '28000': 'the server does not let this role in. Look at its pg_hba.conf',
  '3D000': 'there is no such database. Make it first: createdb --owner ROLE NAME',
  '42501': 'the role may not make tables in it. Make the role its owner',
  '3F000': 'its search path names no schema that is there',
}

/** Of several addresses of one host, each has its own error, and the one around them has no text. */
function textOf(error: unknown): string {
  const { message, code, errors } = error as { message?: string; code?: string; errors?: Error[] }
  return message || errors?.[0]?.message || String(code ?? error)
}
