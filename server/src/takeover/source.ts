import type { z } from 'zod'
import { Failure } from '../failure.ts'
import type { OldAuther, OldServer, OldSettings, OldShare, OldUser } from './old-records.ts'

/** What File Browser left behind, wherever it was found. Users and shares may be many: they are read as they are needed. */
export interface Source {
  readonly name: string
  /** Files that hold secrets and must never be served. */
  readonly files: readonly string[]
  readonly config: { settings: OldSettings; server: OldServer; auther: OldAuther } | undefined
  users(): Iterable<OldUser>
  shares(): Iterable<OldShare>
  /** Does it hold users and shares at all, be they none? */
  readonly has: { users: boolean; shares: boolean }
  /** The last id that was handed out. */
  readonly lastId: number
  /** The last change that was made to it may be missing. */
  readonly mayBeOlder: boolean
  close(): void
}

/** A record as it should be, or a refusal that says which one is not and why. */
export function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = issue?.path.join('.')
  throw new Failure('invalid', `${what} cannot be understood${field ? `, in ${field}` : ''}: ${issue?.message}`)
}
