import { readFileSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { durable } from '../database/durable.ts'
import type { Database } from '../database/schema.ts'
import type { DraftLedger } from '../storage/drafts.ts'
import type { LeavingLedger } from '../storage/leaving.ts'

/** The drafts of all processes, each with its owner: only what a dead one left behind may be cleared away. */
export function draftLedger(db: Kysely<Database>, pid = process.pid): DraftLedger {
  const owner = `${pid}:${startOf(pid)}`
  return {
    async begin(draft) {
      await db.insertInto('draft').values({ place: draft, target: null, owner }).execute()
    },
    async pouring(draft, target) {
      // A draft that is kept over many requests is not ours until now.
      const noted = db.insertInto('draft').values({ place: draft, target, owner })
      await noted.onConflict((conflict) => conflict.column('place').doUpdateSet({ target })).execute()
      // From now on the target may be half written; only this line knows where its whole version lies.
      await durable(db)
    },
    async end(draft) {
      await db.deleteFrom('draft').where('place', '=', draft).execute()
    },
    async leftBehind() {
      const rows = await db.selectFrom('draft').selectAll().execute()
      return rows.filter((row) => !isAlive(row.owner)).map(({ place, target }) => ({ draft: place, target }))
    },
  }
}

/** What is being moved to another disk, by its hidden place. It is never cleared away like a draft: it comes back. */
export function leavingLedger(db: Kysely<Database>, pid = process.pid): LeavingLedger {
  const owner = `${pid}:${startOf(pid)}`
  return {
    async begin(place, original) {
      await db.insertInto('leaving').values({ place, original, arrived_since: null, owner }).execute()
      await durable(db)
    },
    async arrived(place, since) {
      await db.updateTable('leaving').set({ arrived_since: since }).where('place', '=', place).execute()
    },
    async end(place) {
      await db.deleteFrom('leaving').where('place', '=', place).execute()
    },
    async leftBehind() {
      const rows = await db.selectFrom('leaving').selectAll().execute()
      return rows
        .filter((row) => !isAlive(row.owner))
        .map(({ place, original, arrived_since }) => ({ place, original, arrivedSince: arrived_since }))
    },
  }
}

/** A process id alone is not enough: in a container every start gets the same one. */
function isAlive(owner: string): boolean {
  const [pid = '', start] = owner.split(':')
  return start !== '' && startOf(Number(pid)) === start
}

function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in the second field may hold spaces; the start time is the twentieth field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
