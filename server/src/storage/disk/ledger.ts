import { join, nameOf, parentOf } from '@filestead/contract/paths'
import type { Kysely } from 'kysely'
import { durable, preparedChange } from '../../database/port.ts'
import type { Database, DraftRow } from '../../database/schema.ts'
import { fromStored, toStored } from '../exact-names.ts'
import { draftPrefix, movingPrefix } from '../path.ts'
import type { DraftLedger, LeftDraft } from './drafts.ts'
import type { LeftSource, MoveLedger } from './moving-sources.ts'
import type { OverwriteTarget } from './repairing.ts'

/** A server process among those that share a database. */
interface Node {
  readonly id: string
  isAlive(id: string | null): boolean
}

/** Is there a job with this id that may go on? What it has staged is its own. */
export type IsKnownJob = (id: string) => Promise<boolean>

const noJobs: IsKnownJob = async () => false

/** The drafts of all nodes, each with its owner: only what a dead one left behind may be cleared away. */
export function draftLedger(db: Kysely<Database>, node: Node, isKnownJob: IsKnownJob = noJobs): DraftLedger {
  const owner = node.id
  // Each save begins and ends one.
  const insert = preparedChange(db, db.insertInto('draft').values({ place: 'a place', owner }))
  const remove = preparedChange(db, db.deleteFrom('draft').where('place', '=', 'a place'))
  return {
    begin: (draft) => insert([toStored(draft), owner]),
    async overwriting(draft, target) {
      // A draft that is kept over many requests has no owner until now.
      const { place, ...facts } = target
      const row = { target: toStored(place), owner, ...facts }
      const noted = db.insertInto('draft').values({ place: toStored(draft), ...row })
      await noted.onConflict((conflict) => conflict.column('place').doUpdateSet(row)).execute()
      // From now on the target may be half written; only this line knows where its whole version lies.
      await durable(db)
      return draftsInto(db, draft, target)
    },
    end: (draft) => remove([toStored(draft)]),
    async leftBehind() {
      const rows = await db.selectFrom('draft').selectAll().execute()
      const left = rows.filter((row) => !node.isAlive(row.owner))
      const ids = left.filter(({ target }) => target !== null).map(idOf)
      const kept = ids.length === 0 ? [] : await db.selectFrom('upload').select('id').where('id', 'in', ids).execute()
      const isKept = async (row: DraftRow) =>
        row.target !== null && (kept.some(({ id }) => id === idOf(row)) || (await isOfJob(row, isKnownJob)))
      return Promise.all(left.map(async (row) => toLeftDraft(row, await isKept(row))))
    },
  }
}

/**
 * Is the draft at this full name part of unfinished work? A row counts, too, whose folder was renamed since, as long as
 * its node lives or it tells which file the draft shall mend.
 */
export const draftKnown =
  (db: Kysely<Database>, node: Pick<Node, 'isAlive'>, isKnownJob: IsKnownJob = noJobs) =>
  async (place: string): Promise<boolean> => {
    const name = place.slice(place.lastIndexOf('/') + 1)
    const drafts = await db.selectFrom('draft').selectAll().execute()
    if (drafts.some((row) => row.place === toStored(place))) return true
    const others = drafts.filter((row) => row.place.endsWith(`/${name}`))
    if (others.some((row) => row.target !== null || node.isAlive(row.owner))) return true
    if (await isOfJob({ place }, isKnownJob)) return true
    return (
      (await db.selectFrom('upload').select('id').where('id', '=', idOf({ place })).executeTakeFirst()) !== undefined
    )
  }

/** What is being moved to another disk, by its hidden place. It is never cleared away like a draft: it comes back. */
export function moveLedger(db: Kysely<Database>, node: Node): MoveLedger {
  return {
    async begin(place, original) {
      const paths = { place: toStored(place), original: toStored(original) }
      await db
        .insertInto('leaving')
        .values({ ...paths, arrived_since: null, owner: node.id })
        .execute()
      await durable(db)
    },
    async arrived(place, since) {
      await db.updateTable('leaving').set({ arrived_since: since }).where('place', '=', toStored(place)).execute()
    },
    async end(place) {
      await db.deleteFrom('leaving').where('place', '=', toStored(place)).execute()
    },
    async leftBehind() {
      const rows = await db.selectFrom('leaving').selectAll().execute()
      return rows
        .filter((row) => !node.isAlive(row.owner))
        .map(({ place, original, arrived_since }) => ({
          place: fromStored(place),
          original: fromStored(original),
          arrivedSince: arrived_since,
        }))
    },
  }
}

/**
 * What was found hidden at this place, to be brought back: by its name, which nothing else has, because its folder may have
 * been renamed since. Undefined while a process that lives has it. One that no row knows gets a name that tells so.
 */
export const sourceFound =
  (db: Kysely<Database>, node: Pick<Node, 'isAlive'>) =>
  async (place: string): Promise<LeftSource | undefined> => {
    const name = nameOf(place)
    const rows = (await db.selectFrom('leaving').selectAll().execute()).filter((row) => row.place.endsWith(`/${name}`))
    if (rows.some(({ owner }) => node.isAlive(owner))) return undefined
    const [row] = rows
    const known = row && nameOf(fromStored(row.original))
    const original = join(parentOf(place), known ?? `recovered-${name.slice(movingPrefix.length).slice(0, 8)}`)
    if (row !== undefined)
      await db
        .updateTable('leaving')
        .set({ place: toStored(place), original: toStored(original) })
        .where('place', '=', row.place)
        .execute()
    return { place, original, arrivedSince: row?.arrived_since ?? null }
  }

/** The other drafts for a file. The caller holds its lock, so none of them is being written into it now. */
async function draftsInto(
  db: Kysely<Database>,
  draft: string,
  { inode, device, born }: OverwriteTarget,
): Promise<string[]> {
  const sameNumber = db
    .selectFrom('draft')
    .select('place')
    .where('inode', '=', inode)
    .where('place', '!=', toStored(draft))
  // A device has another number on another machine.
  const rows = await (born ? sameNumber.where('born', '=', born) : sameNumber.where('device', '=', device)).execute()
  return rows.map(({ place }) => fromStored(place))
}

/** Drafts of jobs are called by the job and the entry of it that they belong to. */
async function isOfJob(row: Pick<DraftRow, 'place'>, isKnownJob: IsKnownJob): Promise<boolean> {
  const [job = '', ...entry] = idOf(row).split('.')
  return entry.length > 0 && isKnownJob(job)
}

/** The id of the upload that a draft belongs to, if it belongs to one. */
const idOf = ({ place }: Pick<DraftRow, 'place'>): string =>
  place.slice(place.lastIndexOf('/') + 1 + draftPrefix.length)

const toLeftDraft = ({ place, target, owner: _, ...facts }: DraftRow, isKept: boolean): LeftDraft => ({
  draft: fromStored(place),
  isKept,
  target: target === null ? null : { place: fromStored(target), ...facts },
})
