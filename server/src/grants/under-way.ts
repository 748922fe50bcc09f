import type { Kysely } from 'kysely'
import { notedIn, unfinishedIntents } from '../changes/store.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import type { Location } from '../mounts/location.ts'
import { type GrantMove, isNumberOfCopy } from './moving-store.ts'

/** Under this name a change has its notes about grants. */
export const followerName = 'grants'

/** What recovery needs to know; stored as JSON. */
export type Notes =
  | { readonly removed: readonly Location[] }
  | { readonly moves: readonly GrantMove[]; readonly isRemoval?: boolean }

/** Folders that grants leave, and those that they come to. */
export interface Ends {
  readonly left: readonly Location[]
  readonly reached: readonly Location[]
}

/** What changes of all servers have noted whose outcome is not stored yet; without that of one of them. */
async function notesUnderWay(db: Kysely<Database>, except?: string): Promise<Notes[]> {
  const others = (await unfinishedIntents(db)).filter(({ id }) => id !== except)
  return others.flatMap((other) => (notedIn(other, followerName) as Notes | undefined) ?? [])
}

export async function endsUnderWay(db: Kysely<Database>, except: string): Promise<Ends[]> {
  return (await notesUnderWay(db, except)).map((notes) =>
    'removed' in notes
      ? { left: notes.removed, reached: [] }
      : { left: notes.moves.map(({ from }) => from), reached: notes.moves.map(({ to }) => to) },
  )
}

/** A grant that stands for another one only while its folder is on its way: what is done to it would be undone at the end. */
export async function requireNoCopy(db: Kysely<Database>, id: number): Promise<void> {
  const moves = (await notesUnderWay(db)).flatMap((notes) => ('moves' in notes ? notes.moves : []))
  if (moves.some((move) => isNumberOfCopy(move, id))) throw folderAtWork()
}

export const folderAtWork = (): Failure =>
  new Failure('locked', 'This folder is just being moved or deleted', { retryAfter: 5 })
