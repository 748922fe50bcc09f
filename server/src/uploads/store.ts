import { type Kysely, sql, type Transaction } from 'kysely'
import { durable, prepared, preparedChange } from '../database/port.ts'
import type { Database, UploadRow } from '../database/schema.ts'
import { rootPath, type VirtualPath } from '../storage/path.ts'

/** A file that arrives over many requests. How much of it is there is told by its draft and by nothing else. */
export interface Upload {
  readonly id: string
  readonly userId: number
  readonly scope: string
  readonly path: VirtualPath
  readonly place: VirtualPath
  readonly length: number
  readonly override: boolean
  readonly modified: number | undefined
  readonly mayRewind: boolean
  readonly trusted: number | undefined
  readonly expiresAt: number
  readonly metadata: string | undefined
  /** The node that was last at work on it. */
  readonly node: string | undefined
}

type UploadChanges = Partial<
  Pick<Upload, 'scope' | 'place' | 'override' | 'mayRewind' | 'trusted' | 'expiresAt' | 'metadata' | 'node'>
>

export interface UploadStore {
  /** The upload of a user at a path; of several the latest, whose id is the greatest. */
  find(owner: Pick<Upload, 'userId' | 'path' | 'scope'>): Promise<Upload | undefined>
  /** One that is there already lies in another place now. */
  insert(upload: Upload): Promise<void>
  /** Leaves everything else as another request may just have made it. */
  change(id: string, changes: UploadChanges): Promise<void>
  delete(id: string): Promise<void>
  /** From now on it is not found; its row goes soon, with others, for many small uploads make many of them. */
  forget(id: string): void
  /** Waits until the rows of all that were forgotten are gone. */
  settle(): Promise<void>
  /** Waits until what was written of uploads so far survives a power cut. */
  sync(): Promise<void>
  expired(now: number): Promise<Upload[]>
  /** The scopes there are uploads in, as they are written. */
  scopes(): Promise<string[]>
  /** Those of a scope whose place lies below a folder. */
  below(scope: string, folder: VirtualPath): Promise<Upload[]>
  /** Their new places. */
  relocate(moves: readonly Pick<Upload, 'id' | 'scope' | 'place'>[], trx: Transaction<Database>): Promise<void>
}

const mostForgotten = 500
/** So many rows are deleted by one statement, which is always the same one: SQLite prepares it once. */
const deletedAtOnce = 50
const relocatedAtOnce = 300
/** In milliseconds. */
const settleAfter = 50

/** Small uploads are many, and building a query anew costs more than its answer: the usual ones are built once. */
export function uploadStore(db: Kysely<Database>): UploadStore {
  const find = prepared(
    db,
    db
      .selectFrom('upload')
      .selectAll()
      .where('user_id', '=', 0)
      .where('path', '=', 'the path')
      .where('scope', '=', 'the scope')
      // No limit: the first row is all that is fetched, and a bound limit makes SQLite plan anew each time.
      .orderBy('id', 'desc'),
  )
  const insert = preparedChange(
    db,
    db
      .insertInto('upload')
      .values(sampleRow)
      .onConflict((conflict) => conflict.column('id').doUpdateSet((is) => ({ place: is.ref('excluded.place') }))),
  )
  const deleteSome = preparedChange(db, db.deleteFrom('upload').where('id', 'in', Array(deletedAtOnce).fill('an id')))
  const forgotten = new Set<string>()
  let settling: NodeJS.Timeout | undefined

  const settle = async () => {
    clearTimeout(settling)
    settling = undefined
    const ids = [...forgotten]
    for (let at = 0; at < ids.length; at += deletedAtOnce) {
      const some = ids.slice(at, at + deletedAtOnce)
      await deleteSome([...some, ...Array(deletedAtOnce - some.length).fill(null)])
      for (const id of some) forgotten.delete(id)
    }
  }

  /** False while nothing can be written; forgotten uploads stay forgotten all the same. */
  const isSettled = () =>
    settle().then(
      () => true,
      () => false,
    )
  const known = (rows: UploadRow[]) => rows.filter(({ id }) => !forgotten.has(id)).map(toUpload)

  return {
    async find({ userId, path, scope }) {
      const row = await find(String(userId), path, scope)
      if (row === undefined || !forgotten.has(row.id)) return row && toUpload(row)
      // Behind it an older one may stand, unless the row cannot be deleted now.
      return (await isSettled()) ? this.find({ userId, path, scope }) : undefined
    },
    async insert(upload) {
      await insert(Object.values(toRow(upload)))
    },
    async change(id, changes) {
      await db.updateTable('upload').set(toChangedRow(changes)).where('id', '=', id).execute()
    },
    async delete(id) {
      await db.deleteFrom('upload').where('id', '=', id).execute()
    },
    forget(id) {
      forgotten.add(id)
      // A row that cannot be deleted leads nowhere, and goes when its time is up.
      if (forgotten.size >= mostForgotten) void settle().catch(() => {})
      else settling ??= setTimeout(() => void settle().catch(() => {}), settleAfter).unref()
    },
    settle,
    async expired(now) {
      await isSettled()
      const rows = await db.selectFrom('upload').selectAll().where('expires_at', '<=', now).execute()
      return known(rows)
    },
    async scopes() {
      await isSettled()
      return (await db.selectFrom('upload').select('scope').distinct().execute()).map(({ scope }) => scope)
    },
    async below(scope, folder) {
      const start = folder === '/' ? '/' : `${folder}/`
      const rows = await db
        .selectFrom('upload')
        .selectAll()
        .where('scope', '=', scope)
        .where('place', '>=', start)
        // The character after the slash.
        .where('place', '<', `${start.slice(0, -1)}0`)
        .execute()
      return known(rows)
    },
    async relocate(moves, trx) {
      for (let at = 0; at < moves.length; at += relocatedAtOnce) {
        const some = moves.slice(at, at + relocatedAtOnce)
        const rows = some.map(({ id, scope, place }) => sql`(${id}, ${scope}, ${place})`)
        await sql`with moved (id, scope, place) as (values ${sql.join(rows)})
          update upload set scope = moved.scope, place = moved.place from moved where upload.id = moved.id`.execute(trx)
      }
    },
    sync: () => durable(db),
  }
}

const toUpload = (row: UploadRow): Upload => ({
  id: row.id,
  userId: row.user_id,
  scope: row.scope,
  path: row.path as VirtualPath,
  place: row.place as VirtualPath,
  length: row.length,
  override: row.override === 1,
  modified: row.modified ?? undefined,
  mayRewind: row.may_rewind === 1,
  trusted: row.trusted ?? undefined,
  expiresAt: row.expires_at,
  metadata: row.metadata ?? undefined,
  node: row.node ?? undefined,
})

const toRow = (upload: Upload): UploadRow => ({
  id: upload.id,
  user_id: upload.userId,
  scope: upload.scope,
  path: upload.path,
  place: upload.place,
  length: upload.length,
  override: Number(upload.override),
  modified: upload.modified ?? null,
  may_rewind: Number(upload.mayRewind),
  trusted: upload.trusted ?? null,
  expires_at: upload.expiresAt,
  metadata: upload.metadata ?? null,
  node: upload.node ?? null,
})

const toChangedRow = (changes: UploadChanges): Partial<UploadRow> => ({
  ...(changes.scope !== undefined && { scope: changes.scope }),
  ...(changes.place !== undefined && { place: changes.place }),
  ...(changes.override !== undefined && { override: Number(changes.override) }),
  ...(changes.mayRewind !== undefined && { may_rewind: Number(changes.mayRewind) }),
  ...('trusted' in changes && { trusted: changes.trusted ?? null }),
  ...(changes.expiresAt !== undefined && { expires_at: changes.expiresAt }),
  ...('metadata' in changes && { metadata: changes.metadata ?? null }),
  ...(changes.node !== undefined && { node: changes.node }),
})

/** Names the columns in the order of `toRow`. */
const sampleRow = toRow({
  id: '',
  userId: 0,
  scope: '',
  path: rootPath,
  place: rootPath,
  length: 0,
  override: false,
  modified: undefined,
  mayRewind: false,
  trusted: undefined,
  expiresAt: 0,
  metadata: undefined,
  node: undefined,
})
