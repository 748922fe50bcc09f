import { completeRights, type Grant, type GrantRequest, type Right, rightsIn, type Subject } from '@filestead/contract'
import type { Kysely, Transaction } from 'kysely'
import { touchAccess } from '../database/counters.ts'
import { durableTransaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure, isFailure } from '../failure.ts'
import { allGroupFacts, groupWithId } from '../groups/store.ts'
import { firstMount, type Location, locationIn, mountOf, mountRootOf, pathIn } from '../mounts/location.ts'
import { allMounts } from '../mounts/store.ts'
import { parsePath, type VirtualPath } from '../storage/path.ts'
import { LinkInTheWay, type Storage } from '../storage/port.ts'
import { accountWithId, usernames } from '../users/store.ts'
import {
  deleteGrant,
  deleteGrantsOf,
  type GrantFilter,
  grantsLike,
  grantWithId,
  putGrant,
  type StoredGrant,
} from './store.ts'
import { twinsOf } from './under-way.ts'

export type StorageAt = (location: string) => Pick<Storage, 'stat' | 'resolve' | 'capabilities'>

export interface GrantDeps {
  db: Kysely<Database>
  /** The files of a location. Commands may run where no folder can be reached; then nothing is looked at. */
  storageAt?: StorageAt | undefined
}

export interface GrantQuery {
  readonly subject?: Subject | undefined
  readonly mount?: number | undefined
  readonly folder?: string | undefined
  readonly below?: boolean | undefined
  readonly above?: boolean | undefined
  readonly limit?: number | undefined
}

/** Those for exactly this folder; with `below` also those in it, with `above` those on the way. A mount without a folder means all of it. */
export async function listGrants(
  db: Kysely<Database>,
  { subject, mount, folder, below = false, above = false, limit }: GrantQuery,
): Promise<Grant[]> {
  const filter: GrantFilter =
    folder === undefined && mount === undefined
      ? { subject, limit }
      : {
          subject,
          at: locationIn(mount ?? firstMount, parsePath(folder ?? '/')),
          below: below || folder === undefined,
          above,
          limit,
        }
  const found = await grantsLike(db, { ...filter, isServed: true })
  const nameOf = await namesOfSubjects(db)
  return found.map((grant) => toWire(grant, nameOf(grant.subject)))
}

/** Makes a grant, or replaces that of the same subject for the same folder. */
export async function saveGrant(deps: GrantDeps, { subject, mount, folder, rights }: GrantRequest): Promise<Grant> {
  const path = parsePath(folder)
  await requireMount(deps.db, mount)
  await requireFolder(deps, locationIn(mount, path))
  return durableTransaction(deps.db, 'serializable', async (trx) => {
    await touchAccess(trx)
    await requireMount(trx, mount)
    const name = await requireSubject(trx, subject)
    const stored = await putGrant(trx, { subject, location: locationIn(mount, path), rights: completeRights(rights) })
    for (const twin of await twinsOf(trx, stored)) await putGrant(trx, { ...twin, rights: stored.rights })
    return toWire(stored, name)
  })
}

export function changeGrant({ db }: Pick<GrantDeps, 'db'>, id: number, rights: readonly Right[]): Promise<Grant> {
  return durableTransaction(db, 'serializable', async (trx) => {
    await touchAccess(trx)
    const grant = await requireGrant(trx, id)
    const name = await requireSubject(trx, grant.subject)
    const stored = await putGrant(trx, { ...grant, rights: completeRights(rights) })
    for (const twin of await twinsOf(trx, stored)) await putGrant(trx, { ...twin, rights: stored.rights })
    return toWire(stored, name)
  })
}

/** Returns what it was, for the log. */
export function removeGrant({ db }: Pick<GrantDeps, 'db'>, id: number): Promise<StoredGrant> {
  return durableTransaction(db, 'serializable', async (trx) => {
    await touchAccess(trx)
    const grant = await requireGrant(trx, id)
    for (const { id: each } of [grant, ...(await twinsOf(trx, grant))]) await deleteGrant(trx, each)
    return grant
  })
}

/** For the rooms of users and groups, in the transaction that removes one of them. */
export async function endGrantsOf(trx: Transaction<Database>, subject: Subject): Promise<void> {
  await deleteGrantsOf(trx, subject)
  await touchAccess(trx)
}

async function requireGrant(db: Kysely<Database>, id: number): Promise<StoredGrant> {
  const grant = await grantWithId(db, id)
  if (grant === undefined) throw new Failure('not-found', 'There is no such grant')
  return grant
}

async function requireMount(db: Kysely<Database>, id: number): Promise<void> {
  if (!(await allMounts(db)).some((mount) => mount.id === id))
    throw new Failure('invalid', `there is no root folder ${id}`)
}

/** The name of a subject that exists. */
async function requireSubject(db: Kysely<Database>, subject: Subject): Promise<string> {
  const [kind, id] = subject.split(':')
  if (id === undefined) return subject
  const name =
    kind === 'user' ? (await accountWithId(db, Number(id)))?.user.username : (await groupWithId(db, Number(id)))?.name
  if (name === undefined) throw new Failure('invalid', `there is no ${kind} ${id}`)
  return name
}

/** The folder need not be there yet, nor its disk. A grant for a file would never count for anything else. */
async function requireFolder({ storageAt }: GrantDeps, location: Location): Promise<void> {
  if (storageAt === undefined) return
  const kind = await kindAt(() => storageAt(mountRootOf(location)), pathIn(location))
  if (kind === 'file') throw new Failure('invalid', 'grants are for folders, and this is a file')
}

async function kindAt(
  storage: () => Pick<Storage, 'stat' | 'resolve'>,
  path: VirtualPath,
): Promise<string | undefined> {
  try {
    const { kind, isLink } = await storage().stat(path)
    if (!isLink) return kind
  } catch (error) {
    if (isFailure(error, 'not-found', 'unavailable')) return undefined
    if (!(error instanceof LinkInTheWay)) throw error
  }
  // Rights are asked for at the place that a symlink leads to: a grant for the symlink would allow nothing.
  const real = await storage()
    .resolve(path)
    .catch(() => undefined)
  const where = real === undefined ? 'out of its root folder, or nowhere' : `to ${real}`
  throw new Failure('invalid', `a symlink on this path leads ${where}; the grant has to be for the folder itself`)
}

/** The names of users and groups. One that is gone is called by its number. */
export async function namesOfSubjects(db: Kysely<Database>): Promise<(subject: Subject) => string> {
  const users = await usernames(db)
  const groups = new Map((await allGroupFacts(db)).map(({ id, name }) => [id, name]))
  return (subject) => {
    const [kind, id] = subject.split(':')
    if (id === undefined) return subject
    return (kind === 'user' ? users : groups).get(Number(id)) ?? subject
  }
}

export const toWire = ({ id, subject, location, rights }: StoredGrant, name: string): Grant => ({
  id,
  subject,
  name,
  mount: mountOf(location),
  folder: pathIn(location),
  rights: rightsIn(rights),
})
