import { type Kysely, sql, type Transaction } from 'kysely'
import type { Announced } from '../changes/verbs.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { inParts } from '../database/parts.ts'
import { durable, prepared, preparedChange } from '../database/port.ts'
import type { Database, UploadRow } from '../database/schema.ts'
import { type Location, parseLocation } from '../mounts/location.ts'
import { isBelow } from '../mounts/location-rows.ts'

/** What the sender says about a file before its first byte. */
export interface Announcement extends Announced {
  readonly metadata: string | undefined
}

/** A file that arrives over several requests. How much of it has arrived is told by the size of its draft alone. */
export interface Upload extends Announcement {
  readonly id: string
  /** Below zero for a guest. */
  readonly userId: number
  /** Where the file will be, as the sender calls it. */
  readonly location: Location
  /** The same with its symlinks resolved when the upload began, and changed when its folder is moved: the draft lies there. */
  readonly place: Location
  readonly mayRewind: boolean
  readonly trusted: number | undefined
  readonly expiresAt: number
  /** The node that received the last bytes. */
  readonly node: string | undefined
  /** So many bytes survive a power cut. Undefined where all of them do. */
  readonly synced: number | undefined
  /** The run of the kernel that has the others in its memory. */
  readonly kernel: string | undefined
}

/** Of the account and its location, which address an upload. */
export const keyOf = ({ userId, location }: Pick<Upload, 'userId' | 'location'>): string => `${userId}:${location}`

type UploadChanges = Partial<
  Pick<Upload, 'place' | 'override' | 'mayRewind' | 'trusted' | 'expiresAt' | 'metadata' | 'node' | 'synced' | 'kernel'>
>

export interface UploadMove extends Pick<Upload, 'id' | 'place'> {
  readonly before: Location
}

export interface UploadStore {
  /** The upload of a user to a location; of several the latest, which has the greatest id. */
  find(owner: Pick<Upload, 'userId' | 'location'>): Promise<Upload | undefined>
  withId(id: string): Promise<Upload | undefined>
  /** A row with this id gets the new place. */
  insert(upload: Upload): Promise<void>
  /** Changes only these columns: another request may have changed others. With `ofNode`, only while that node has it. */
  change(id: string, changes: UploadChanges, condition?: { ofNode: string }): Promise<void>
  delete(id: string): Promise<void>
  /** The upload is not found from now on. Its row is deleted soon, together with others: small uploads are many. */
  forget(id: string): void
  /** Deletes the rows of all forgotten uploads. */
  flush(): Promise<void>
  /** Waits until the rows written so far survive a power cut. */
  sync(): Promise<void>
  expired(now: number): Promise<Upload[]>
  /** The nodes that have received bytes of uploads which are not over. */
  nodes(): Promise<string[]>
  ofNode(node: string): Promise<Upload[]>
  /** Uploads whose draft lies below a folder. */
  below(folder: Location): Promise<Upload[]>
  /** Those that are still where they were. */
  relocate(moves: readonly UploadMove[], trx: Transaction<Database>): Promise<void>
}

const mostForgotten = 500
/** So many rows are deleted by one statement, which is always the same one: SQLite prepares it once. */
const deletedAtOnce = 50
/** In milliseconds. */
const flushAfter = 50
/** Expired rows have no index, which every small upload would pay for. The table is read in parts of so many rows. */
const partLength = 2000

/** Small uploads are many, and building a query anew costs more than its answer: the usual ones are built once. */
export function uploadStore(db: Kysely<Database>): UploadStore {
  const find = prepared(
    db,
    db
      .selectFrom('upload')
      .selectAll()
      .where('user_id', '=', 0)
      .where('location', '=', 'the location')
      // No limit: the first row is all that is fetched, and a bound limit makes SQLite plan anew each time.
      .orderBy('id', 'desc'),
  )
  const findById = prepared(db, db.selectFrom('upload').selectAll().where('id', '=', 'the id'))
  const insert = preparedChange(
    db,
    db
      .insertInto('upload')
      .values(sampleRow)
      .onConflict((conflict) => conflict.column('id').doUpdateSet((is) => ({ place: is.ref('excluded.place') }))),
  )
  const deleteSome = preparedChange(db, db.deleteFrom('upload').where('id', 'in', Array(deletedAtOnce).fill('an id')))
  const forgotten = new Set<string>()
  let flushTimer: NodeJS.Timeout | undefined

  const flush = async () => {
    clearTimeout(flushTimer)
    flushTimer = undefined
    for (const some of inParts([...forgotten], deletedAtOnce)) {
      await deleteSome([...some, ...Array(deletedAtOnce - some.length).fill(null)])
      for (const id of some) forgotten.delete(id)
    }
  }

  /** False while nothing can be written; forgotten uploads stay forgotten all the same. */
  const isFlushed = () =>
    flush().then(
      () => true,
      () => false,
    )
  async function lastOfPart(after: string): Promise<string | undefined> {
    const rows = db.selectFrom('upload').select('id').where('id', '>', after).orderBy('id')
    return (
      await rows
        .limit(1)
        .offset(partLength - 1)
        .executeTakeFirst()
    )?.id
  }
  const known = (rows: UploadRow[]) => rows.filter(({ id }) => !forgotten.has(id)).map(toUpload)

  return {
    async find({ userId, location }) {
      const row = await find(String(userId), location)
      if (row === undefined || !forgotten.has(row.id)) return row && toUpload(row)
      // An older upload may stand behind the forgotten one; it is found once that row is deleted.
      return (await isFlushed()) ? this.find({ userId, location }) : undefined
    },
    async withId(id) {
      const row = forgotten.has(id) ? undefined : await findById(id)
      return row && toUpload(row)
    },
    async insert(upload) {
      await insert(Object.values(toRow(upload)))
    },
    async change(id, changes, condition) {
      const update = db.updateTable('upload').set(toChangedRow(changes)).where('id', '=', id)
      await (condition === undefined ? update : update.where('node', '=', condition.ofNode)).execute()
    },
    async delete(id) {
      await db.deleteFrom('upload').where('id', '=', id).execute()
    },
    forget(id) {
      forgotten.add(id)
      // A row that cannot be deleted has no draft, and is deleted when it expires.
      if (forgotten.size >= mostForgotten) void flush().catch(() => {})
      else flushTimer ??= setTimeout(() => void flush().catch(() => {}), flushAfter).unref()
    },
    flush,
    async expired(now) {
      await isFlushed()
      const pause = timeSlices()
      const expired: UploadRow[] = []
      let after: string | undefined = ''
      while (after !== undefined) {
        const last: string | undefined = await lastOfPart(after)
        let part = db.selectFrom('upload').selectAll().where('id', '>', after).where('expires_at', '<=', now)
        if (last !== undefined) part = part.where('id', '<=', last)
        expired.push(...(await part.execute()))
        after = last
        await pause()
      }
      return known(expired)
    },
    async nodes() {
      const rows = await db.selectFrom('upload').select('node').distinct().execute()
      return rows.flatMap(({ node }) => node ?? [])
    },
    ofNode: async (node) => known(await db.selectFrom('upload').selectAll().where('node', '=', node).execute()),
    async below(folder) {
      const inPlace = db
        .selectFrom('upload')
        .selectAll()
        .whereRef('place', '=', 'location')
        .where(isBelow('upload.location', folder))
      const elsewhere = db
        .selectFrom('upload')
        .selectAll()
        .whereRef('place', '<>', 'location')
        .where(isBelow('upload.place', folder))
      return known([...(await inPlace.execute()), ...(await elsewhere.execute())])
    },
    async relocate(moves, trx) {
      for (const some of inParts(moves)) {
        const rows = some.map(({ id, before, place }) => sql`(${id}, ${before}, ${place})`)
        await sql`with moved (id, before, place) as (values ${sql.join(rows)})
          update upload set place = moved.place from moved
          where upload.id = moved.id and upload.place = moved.before`.execute(trx)
      }
    },
    sync: () => durable(db),
  }
}

/** Their drafts are of no known work then, and are cleared away. */
export async function deleteUploadsOf(trx: Transaction<Database>, userId: number): Promise<void> {
  await trx.deleteFrom('upload').where('user_id', '=', userId).execute()
}

/** Those to a folder, which is served no longer. */
export async function deleteUploadsWithin(trx: Transaction<Database>, folder: Location): Promise<void> {
  for (const column of ['upload.location', 'upload.place'])
    await trx.deleteFrom('upload').where(isBelow(column, folder)).execute()
}

const toUpload = (row: UploadRow): Upload => ({
  id: row.id,
  userId: row.user_id,
  location: row.location as Location,
  place: row.place as Location,
  length: row.length,
  override: row.override === 1,
  modified: row.modified ?? undefined,
  mayRewind: row.may_rewind === 1,
  trusted: row.trusted ?? undefined,
  expiresAt: row.expires_at,
  metadata: row.metadata ?? undefined,
  node: row.node ?? undefined,
  synced: row.synced ?? undefined,
  kernel: row.kernel ?? undefined,
})

const toRow = (upload: Upload): UploadRow => ({
  id: upload.id,
  user_id: upload.userId,
  location: upload.location,
  place: upload.place,
  length: upload.length,
  override: Number(upload.override),
  modified: upload.modified ?? null,
  may_rewind: Number(upload.mayRewind),
  trusted: upload.trusted ?? null,
  expires_at: upload.expiresAt,
  metadata: upload.metadata ?? null,
  node: upload.node ?? null,
  synced: upload.synced ?? null,
  kernel: upload.kernel ?? null,
})

const toChangedRow = (changes: UploadChanges): Partial<UploadRow> => ({
  ...(changes.place !== undefined && { place: changes.place }),
  ...(changes.override !== undefined && { override: Number(changes.override) }),
  ...(changes.mayRewind !== undefined && { may_rewind: Number(changes.mayRewind) }),
  ...('trusted' in changes && { trusted: changes.trusted ?? null }),
  ...(changes.expiresAt !== undefined && { expires_at: changes.expiresAt }),
  ...('metadata' in changes && { metadata: changes.metadata ?? null }),
  ...(changes.node !== undefined && { node: changes.node }),
  ...(changes.synced !== undefined && { synced: changes.synced }),
  ...(changes.kernel !== undefined && { kernel: changes.kernel }),
})

/** Names the columns in the order of `toRow`. */
const sampleRow = toRow({
  id: '',
  userId: 0,
  location: parseLocation('/'),
  place: parseLocation('/'),
  length: 0,
  override: false,
  modified: undefined,
  mayRewind: false,
  trusted: undefined,
  expiresAt: 0,
  metadata: undefined,
  node: undefined,
  synced: undefined,
  kernel: undefined,
})
