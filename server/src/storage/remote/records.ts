import type { ExpressionBuilder, Kysely } from 'kysely'
import { durable, isUnwritable } from '../../database/port.ts'
import type { Database } from '../../database/schema.ts'
import { Failure } from '../../failure.ts'
import { fromStored, toStored } from '../exact-names.ts'
import { inFolder, rootPath, type VirtualPath } from '../path.ts'
import type { DraftRecord, DraftRecords } from './files.ts'
import type { RemoteRecords } from './remote.ts'

/** A server process among those that share a database. */
interface Node {
  readonly id: string
  isAlive(id: string | null): boolean
}

/** In milliseconds: another node may be about to let go. */
const longestWait = 1000
const pause = 50
const longestPause = 1000

/** What the ids of rows begin with that are no drafts: no draft has a blank in its id. */
const [transferPrefix, namePrefix] = ['transfer ', 'name ']

/** The rows of one mount, which all nodes share. */
export function remoteRecords(db: Kysely<Database>, node: Node, mount: number): RemoteRecords {
  /** What this node holds, and what it is letting go of. */
  const held = new Set<string>()
  const releasing = new Map<string, Promise<void>>()

  const rows = () => db.selectFrom('remote_draft').selectAll().where('mount', '=', mount).execute()

  function view(prefix: string): DraftRecords {
    const idIn = (id: string) => `${prefix}${id}`
    const keyOf = (path: VirtualPath, id: string) => ({ mount, path: toStored(path), id: idIn(id) })

    const isRow =
      (path: VirtualPath, id: string, more: { holder?: string } = {}) =>
      ({ and }: ExpressionBuilder<Database, 'remote_draft'>) =>
        and({ ...keyOf(path, id), ...more })

    async function find(path: VirtualPath, id: string) {
      return db.selectFrom('remote_draft').select(['state', 'holder']).where(isRow(path, id)).executeTakeFirst()
    }

    /** Takes it from the one that has it, or from none; false where another one was quicker. */
    async function take(path: VirtualPath, id: string, from: string | null): Promise<boolean> {
      const row = db.updateTable('remote_draft').set({ holder: node.id }).where(isRow(path, id))
      const { numUpdatedRows } = await (from === null
        ? row.where('holder', 'is', null)
        : row.where('holder', '=', from)
      ).executeTakeFirst()
      return numUpdatedRows > 0n
    }

    /** A row without a state is there for its lock alone. */
    async function insert(path: VirtualPath, id: string): Promise<boolean> {
      const row = { ...keyOf(path, id), state: '', holder: node.id, saved_at: now() }
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('remote_draft')
        .values(row)
        .onConflict((conflict) => conflict.columns(['mount', 'path', 'id']).doNothing())
        .executeTakeFirst()
      return (numInsertedOrUpdatedRows ?? 0n) > 0n
    }

    async function tryLock(path: VirtualPath, id: string): Promise<boolean> {
      const row = await find(path, id)
      if (row === undefined) return insert(path, id)
      // One of this node that is not held was not let go, because the database was away.
      const isFree = row.holder === null || row.holder === node.id || !node.isAlive(row.holder)
      return isFree && take(path, id, row.holder)
    }

    async function release(path: VirtualPath, id: string): Promise<void> {
      const isMine = isRow(path, id, { holder: node.id })
      await db.deleteFrom('remote_draft').where(isMine).where('state', '=', '').execute()
      await db.updateTable('remote_draft').set({ holder: null }).where(isMine).execute()
    }

    /** Where the database is away it is tried again: others wait for this one as long as it lives. */
    async function letGo(path: VirtualPath, id: string, key: string): Promise<void> {
      for (let wait = pause; ; wait = Math.min(2 * wait, longestPause)) {
        try {
          return await release(path, id)
        } catch (error) {
          if (!isUnwritable(error) || held.has(key)) return
        }
        await Bun.sleep(wait)
        if (held.has(key)) return
      }
    }

    return {
      find: async (path, id) => (await find(path, id))?.state || undefined,

      async save(path, id, state) {
        const row = { state, saved_at: now() }
        await db
          .insertInto('remote_draft')
          .values({ ...keyOf(path, id), holder: null, ...row })
          .onConflict((conflict) => conflict.columns(['mount', 'path', 'id']).doUpdateSet(row))
          .execute()
        await durable(db)
      },

      async forget(path, id) {
        await db.deleteFrom('remote_draft').where(isRow(path, id)).execute()
      },

      async lock(path, id) {
        const key = `${path}\0${idIn(id)}`
        if (held.has(key)) throw locked()
        held.add(key)
        try {
          await releasing.get(key)
          const end = performance.now() + longestWait
          while (!(await tryLock(path, id))) {
            if (performance.now() > end) throw locked()
            await Bun.sleep(pause)
          }
        } catch (error) {
          held.delete(key)
          throw error
        }
        return () => {
          held.delete(key)
          const released = letGo(path, id, key).finally(() => {
            if (releasing.get(key) === released) releasing.delete(key)
          })
          releasing.set(key, released)
        }
      },

      async all() {
        const mine = (await rows()).filter(({ id }) => isOf(prefix, id))
        return mine.filter(({ state }) => state !== '').map((row) => recordOf(row, prefix))
      },
    }
  }

  const names = view(namePrefix)
  return {
    drafts: view(''),
    transfers: view(transferPrefix),
    lockName: (path) => names.lock(path, ''),
    async abandoned() {
      const left = (await rows()).filter(({ path, id, holder }) =>
        holder === node.id ? !held.has(`${fromStored(path)}\0${id}`) : holder === null || !node.isAlive(holder),
      )
      return left.filter(({ id }) => isOf('', id)).map((row) => recordOf(row, ''))
    },
  }
}

const isOf = (prefix: string, id: string): boolean => (prefix === '' ? !id.includes(' ') : id.startsWith(prefix))

type Row = Pick<Database['remote_draft'], 'path' | 'id' | 'state' | 'saved_at'>

const recordOf = ({ path, id, state, saved_at }: Row, prefix: string): DraftRecord => ({
  // A draft may lie in a hidden folder, which no request can name.
  path: inFolder(rootPath, fromStored(path).slice(1)),
  id: id.slice(prefix.length),
  state,
  savedAt: saved_at,
})

const now = (): number => Math.floor(Date.now() / 1000)

const locked = (): Failure => new Failure('locked', 'Another request is writing this file')
