import type { Kysely, Transaction } from 'kysely'
import { notedIn, unfinishedIntents } from '../changes/store.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { isWithin, type Location, movedAlong } from '../mounts/location.ts'
import { type GrantMove, isNumberOfCopy } from './moving-store.ts'
import { grantsLike, type StoredGrant } from './store.ts'

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

/** Is one of them another one, or in it? */
export const overlaps = (some: readonly Location[], others: readonly Location[]): boolean =>
  some.some((one) => others.some((other) => isWithin(one, other) || isWithin(other, one)))

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

export async function movesUnderWay(db: Kysely<Database>): Promise<readonly GrantMove[]> {
  return (await notesUnderWay(db)).flatMap((notes) => ('moves' in notes ? notes.moves : []))
}

/** While a folder is on its way, what a grant in it and its copy allow is one thing: the other one of the two. */
export async function twinsOf(
  trx: Transaction<Database>,
  { id, subject, location }: StoredGrant,
): Promise<StoredGrant[]> {
  const twins: StoredGrant[] = []
  for (const move of await movesUnderWay(trx)) {
    const isCopy = isNumberOfCopy(move, id)
    const [here, there] = isCopy ? [move.to, move.from] : [move.from, move.to]
    if (!isWithin(location, here)) continue
    const found = await grantsLike(trx, { subject, at: movedAlong(location, here, there) })
    twins.push(...found.filter((other) => isCopy || isNumberOfCopy(move, other.id)))
  }
  return twins
}

export const folderAtWork = (): Failure =>
  new Failure('locked', 'This folder is just being moved or deleted', { retryAfter: 5 })
