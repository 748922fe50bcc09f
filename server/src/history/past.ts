import type { Kysely } from 'kysely'
import { type PastPart, pastScopeOf } from '../access/past-storage.ts'
import type { Scope } from '../access/scope.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { locationIn, mountOf, pathIn } from '../mounts/location.ts'
import { rootPath, type VirtualPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { keptViews } from './sight.ts'
import { type KeptItem, keptWithId } from './store.ts'

export interface PastDeps {
  readonly db: Kysely<Database>
  /** The files below a folder, which is a location. */
  storageAt(base: string): Storage
  /** A mount as it was in one of its snapshots, from its root, and when. Fails where there is none of that name. */
  snapshotOf(mount: number, name: string): Promise<{ readonly storage: Storage; readonly at: number }>
}

/** The scope of an actor, in the past that a request names. What it does not see is not there. */
export type InPast = (scope: Scope, past: string) => Promise<Scope>

/** What the query `past` says of a kept item. */
export const pastOfKept = (id: string): string => `k.${id}`

/** Undefined where it names a snapshot, or nothing. */
export const keptIdIn = (past: string): string | undefined => /^k\.([\w-]{1,64})$/.exec(past)?.[1]

/** The same of a snapshot of a mount. */
export const pastOfSnapshot = (mount: number, name: string): string => `s.${mount}.${name}`

const snapshotIn = (past: string): { mount: number; name: string } | undefined => {
  const [, mount, name] = /^s\.([1-9]\d{0,8})\.(.{1,500})$/s.exec(past) ?? []
  return mount === undefined || name === undefined ? undefined : { mount: Number(mount), name }
}

/** When the snapshot that a request names was taken at the earliest, in milliseconds since 1970. */
export const earliestOf =
  ({ snapshotOf }: Pick<PastDeps, 'snapshotOf'>) =>
  async (past: string): Promise<number> => {
    const snapshot = snapshotIn(past)
    if (snapshot === undefined) throw notThere()
    return (await snapshotOf(snapshot.mount, snapshot.name)).at - leeway
  }

export function pastReader(deps: PastDeps): InPast {
  const { db, storageAt, snapshotOf } = deps

  async function inKept(scope: Scope, id: string): Promise<Scope> {
    const item = await keptWithId(db, id)
    const seen = item && (await keptViews(db, scope)(item))
    if (item === undefined || seen === undefined) throw notThere()
    const storage = storageAt(locationIn(item.mount, rootPath))
    const { place } = item
    return pastScopeOf(
      scope,
      seen.paths.map((path) => ({ path, storage, place })),
      seen.view,
    )
  }

  async function inSnapshot(scope: Scope, mount: number, name: string): Promise<Scope> {
    const parts = scope.tree.parts.filter(({ base }) => mountOf(base) === mount)
    if (parts.length === 0) throw notThere()
    const { storage, at } = await snapshotOf(mount, name)
    const past = parts.map(
      (part): PastPart => ({
        path: scope.tree.pathIn(part, rootPath),
        storage,
        place: pathIn(part.base),
      }),
    )
    return pastScopeOf(scope, past, await scope.viewBefore(at - leeway))
  }

  return async (scope, past) => {
    const [kept, snapshot] = [keptIdIn(past), snapshotIn(past)]
    if (kept !== undefined) return inKept(scope, kept)
    if (snapshot !== undefined) return inSnapshot(scope, snapshot.mount, snapshot.name)
    throw notThere()
  }
}

/** Names all that a kept folder holds, for no account: what an actor may not have is found by it. */
export const keptVisitor =
  ({ storageAt }: Pick<PastDeps, 'storageAt'>) =>
  ({ mount, place }: KeptItem, visit: (path: VirtualPath) => void): Promise<void> =>
    storageAt(locationIn(mount, rootPath)).visitBelow(place, visit)

/** In milliseconds. Names of snapshots may tell local time of another place, or no more than the day. */
const leeway = 48 * 60 * 60 * 1000

const notThere = () => new Failure('not-found', 'There is no such past')
