import type { z } from 'zod'
import { Failure } from '../failure.ts'
import type { OldAuther, OldServer, OldSettings, OldShare, OldUser } from './old-records.ts'

/** The data of File Browser, from a database or exports. Users and shares are generators, because they can be many. */
export interface Source {
  readonly name: string
  /** Files that contain secrets and must never be served. */
  readonly files: readonly string[]
  readonly config: { settings: OldSettings; server: OldServer; auther: OldAuther } | undefined
  users(): Iterable<OldUser>
  shares(): Iterable<OldShare>
  /** Whether the source has these parts, even if they are empty. */
  readonly has: { users: boolean; shares: boolean }
  /** The last user id that was assigned. */
  readonly lastId: number
  /** One of the two meta pages is damaged, so that the last transaction may be missing. */
  readonly mayBeOlder: boolean
  close(): void
}

/** Parses a record; the error names the record and the reason. */
export function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = issue?.path.join('.')
  throw new Failure('invalid', `${what} cannot be understood${field ? `, in ${field}` : ''}: ${issue?.message}`)
}
