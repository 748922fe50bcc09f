import type { Kysely } from 'kysely'
import { durable } from '../database/durable.ts'
import type { Database, DraftRow } from '../database/schema.ts'
import type { Node } from '../nodes/node.ts'
import type { DraftLedger, LeftDraft } from '../storage/drafts.ts'

/** The drafts of all nodes, each with its owner: only what a dead one left behind may be cleared away. */
export function draftLedger(db: Kysely<Database>, node: Pick<Node, 'id' | 'isAlive'>): DraftLedger {
  const owner = node.id
  return {
    async begin(draft) {
      await db
        .insertInto('draft')
        .values({ place: draft, target: null, owner, device: null, inode: null, born: null })
        .execute()
    },
    async pouring(draft, target) {
      // A draft that is kept over many requests is not ours until now.
      const { device, inode, born } = target
      const row = { target: target.place, owner, device, inode, born }
      const noted = db.insertInto('draft').values({ place: draft, ...row })
      await noted.onConflict((conflict) => conflict.column('place').doUpdateSet(row)).execute()
      // From now on the target may be half written; only this line knows where its whole version lies.
      await durable(db)
    },
    async end(draft) {
      await db.deleteFrom('draft').where('place', '=', draft).execute()
    },
    async leftBehind() {
      const rows = await db.selectFrom('draft').selectAll().execute()
      return rows.filter((row) => !node.isAlive(row.owner)).map(toLeftDraft)
    },
  }
}

const toLeftDraft = ({ place, target, device, inode, born }: DraftRow): LeftDraft => ({
  draft: place,
  target: target === null ? null : { place: target, device, inode, born },
})
