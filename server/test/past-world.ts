import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nameOf, type Right, rightSet } from '@filestead/contract'
import { nextNumbers, touchAccess } from '../src/database/counters.ts'
import { transaction } from '../src/database/port.ts'
import { insertKept, type KeptItem } from '../src/history/store.ts'
import { locationIn, parseLocation } from '../src/mounts/location.ts'
import { keptPath } from '../src/storage/path.ts'
import { storeNames } from '../src/storage/store-names.ts'
import type { TestServer } from './server.ts'

export interface KeptByHand {
  /** From the folder of the mount, which is the one that is served unless another is given. */
  readonly path: string
  readonly mount?: number
  readonly folder?: string
  readonly store?: 'trash' | 'versions'
  readonly isRestricted?: boolean
  readonly userId?: number
  /** Where it was, if that is not `path`. */
  readonly location?: string
  readonly id?: string
}

let count = 0

/** Puts what is there into a store, and a row about it, as a removal does; grants within it go along. */
export async function keepByHand(server: TestServer, wanted: KeptByHand): Promise<KeptItem> {
  const { path, mount = 1, folder = server.root, store = 'trash', isRestricted = false, userId = 1 } = wanted
  count += 1
  const id = wanted.id ?? `kept-${count}`
  const place = keptPath(`/${storeNames[store]}/files/${nameOf(path)}.${id}`)
  mkdirSync(dirname(join(folder, place)), { recursive: true, mode: 0o700 })
  mkdirSync(join(folder, storeNames[store], 'info'), { recursive: true })
  renameSync(join(folder, path), join(folder, place))
  writeFileSync(join(folder, storeNames[store], 'info', `${nameOf(place)}.trashinfo`), '[Trash Info]\n')
  const location = wanted.location === undefined ? locationIn(mount, keptPath(path)) : parseLocation(wanted.location)
  const item: KeptItem = {
    ...{ id, mount, store, place, location, kind: 'file', size: 1, modified: 0, keptAt: 1000 + count },
    ...{ user: { id: userId, name: 'ann' }, door: 'web', by: 'remove', operation: undefined, isRestricted },
  }
  const { db } = server.app.deps
  await insertKept(db, [item])
  await moveGrants(server, location, locationIn(mount, place))
  return item
}

/** As the follower of grants does with a folder that goes into a store. */
async function moveGrants(server: TestServer, from: string, to: string): Promise<void> {
  await transaction(server.app.deps.db, 'serializable', async (trx) => {
    for (const { id, location } of await trx.selectFrom('grant').selectAll().execute())
      if (location === from || location.startsWith(`${from}/`))
        await trx
          .updateTable('grant')
          .set({ location: to + location.slice(from.length) })
          .where('id', '=', id)
          .execute()
    await touchAccess(trx)
  })
}

/** Each of them instead of all that there were. */
export async function setGrants(
  server: TestServer,
  grants: readonly (readonly [subject: string, location: string, ...rights: Right[]])[],
): Promise<void> {
  await transaction(server.app.deps.db, 'serializable', async (trx) => {
    await trx.deleteFrom('grant').execute()
    // The numbers of those that go along with a move are higher.
    await nextNumbers(trx, 'grant', 1000)
    for (const [index, [subject, location, ...rights]] of grants.entries())
      await trx
        .insertInto('grant')
        .values({ id: index + 1, subject, location, rights: rightSet(...rights) })
        .execute()
    await touchAccess(trx)
  })
}
