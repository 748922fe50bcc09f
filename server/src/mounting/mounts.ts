import type { MountRequest } from '@filestead/contract'
import type { Kysely, Transaction } from 'kysely'
import { deleteIntentsInto } from '../changes/store.ts'
import { touchAccess } from '../database/counters.ts'
import { durableTransaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { deleteFavouritesWithin } from '../favourites/store.ts'
import { deleteGrantsInMount } from '../grants/store.ts'
import { deleteOperationsIn } from '../history/operations/store.ts'
import { deleteKeptIn } from '../history/store.ts'
import { newHistory, usualHistory } from '../mounts/history.ts'
import { firstMount, type Location, locationIn } from '../mounts/location.ts'
import { checkedMountName } from '../mounts/names.ts'
import {
  allMounts,
  deleteMount,
  insertMount,
  isLeftOut,
  type MountFacts,
  mountsWithLeftOut,
  saveMount,
} from '../mounts/store.ts'
import { deleteSharesWithin } from '../shares/store.ts'
import { parseAddress } from '../storage/address.ts'
import { rootPath } from '../storage/path.ts'
import { deleteUploadsWithin } from '../uploads/store.ts'

export interface MountingDeps {
  db: Kysely<Database>
  /** The folder of the first mount, where it is known. */
  root: string | undefined
  /** Removes what unfinished uploads have left below a location. */
  dropDrafts(folder: Location): Promise<void>
  /** Refuses, with a sentence, a folder that cannot be a mount beside the others. Returns its real path. */
  checkedFolder(folder: string, others: readonly MountFacts[]): Promise<string>
}

/** The folder is looked at first: a disk that does not answer must not keep a transaction open. */
export async function addMount({ db, checkedFolder }: MountingDeps, wanted: MountRequest): Promise<MountFacts> {
  checkedMountName(wanted.name, await allMounts(db))
  const known = await allMounts(db)
  const folder = requireConfirmed(await checkedFolder(wanted.folder, known))
  return durableTransaction(db, 'serializable', async (trx) => {
    const others = await allMounts(trx)
    requireSameMounts(known, others)
    const name = checkedMountName(wanted.name, others)
    const { links, readOnly } = wanted
    const history = { ...newHistory(others), ...wanted.history }
    const mount = { name, folder, links, readOnly, source: 'stored', history } as const
    const id = await insertMount(trx, mount)
    await touchAccess(trx)
    return { id, ...mount }
  })
}

/** Gives a mount another name, folder or policy. Its number, and with it every grant and link in it, stays. */
export async function changeMount(
  { db, root, checkedFolder }: MountingDeps,
  id: number,
  wanted: MountRequest,
): Promise<MountFacts> {
  const known = await allMounts(db)
  const mount = known.find((one) => one.id === id && isSameButHistory(one, wanted)) ?? requireEditable(known, id)
  const others = known.filter((other) => other.id !== id)
  checkedMountName(wanted.name, others)
  const isMoved = id !== firstMount && wanted.folder !== '' && wanted.folder !== mount.folder
  if (id === firstMount && !['', root].includes(wanted.folder))
    throw new Failure('invalid', 'the folder of the first root folder is chosen where the server is started, by --root')
  const folder = isMoved ? requireConfirmed(await checkedFolder(wanted.folder, others)) : mount.folder
  return durableTransaction(db, 'serializable', async (trx) => {
    const now = await allMounts(trx)
    requireSameMounts(known, now)
    const name = checkedMountName(
      wanted.name,
      now.filter((other) => other.id !== id),
    )
    // Symlinks of the first one follow --followExternalSymlinks.
    const links = id === firstMount ? mount.links : wanted.links
    const history = { ...(mount.history ?? usualHistory), ...wanted.history }
    const changed: MountFacts = { ...mount, name, folder, links, readOnly: wanted.readOnly, history }
    await saveMount(trx, changed)
    await touchAccess(trx)
    return changed
  })
}

/** What is on the disk stays. Whatever named places in the mount ends with it: its number is never given again. */
export async function removeMount(
  { db, dropDrafts }: Pick<MountingDeps, 'db' | 'dropDrafts'>,
  id: number,
): Promise<MountFacts> {
  requireRemovable(await mountsWithLeftOut(db), id)
  await dropDrafts(locationIn(id, rootPath))
  return durableTransaction(db, 'serializable', async (trx) => {
    const mount = requireRemovable(await mountsWithLeftOut(trx), id)
    await endAllIn(trx, id)
    await deleteMount(trx, id)
    await touchAccess(trx)
    return mount
  })
}

async function endAllIn(trx: Transaction<Database>, id: number): Promise<void> {
  const root = locationIn(id, rootPath)
  await deleteIntentsInto(trx, root)
  await deleteGrantsInMount(trx, root)
  await deleteSharesWithin(trx, root)
  await deleteFavouritesWithin(trx, root)
  await deleteUploadsWithin(trx, root)
  await deleteKeptIn(trx, id)
  await deleteOperationsIn(trx, id)
}

/** Without a known key another machine on the way could pretend to be the server. */
function requireConfirmed(folder: string): string {
  const address = parseAddress(folder)
  if (address.kind === 'sftp' && address.hostKey === '')
    throw new Failure('invalid', 'the key of the server is to be confirmed first: ?hostKey=SHA256:…')
  return folder
}

/** What one keeps is chosen here, also where its name and folder are chosen elsewhere. */
const isSameButHistory = (mount: MountFacts, { name, folder, links, readOnly }: MountRequest): boolean =>
  mount.source === 'config' &&
  name === mount.name &&
  (folder === '' || folder === mount.folder) &&
  links === mount.links &&
  readOnly === mount.readOnly

function requireEditable(mounts: readonly MountFacts[], id: number): MountFacts {
  const mount = mounts.find((one) => one.id === id)
  if (mount === undefined) throw new Failure('not-found', 'There is no such root folder')
  if (mount.source === 'config')
    throw new Failure(
      'invalid',
      `${JSON.stringify(mount.name)} is named by --mount, a variable or a config file, and is changed there`,
    )
  return mount
}

/** One that the configuration does not name any more is kept with its grants until it is removed here. */
function requireRemovable(mounts: readonly MountFacts[], id: number): MountFacts {
  if (id === firstMount) throw new Failure('invalid', 'the first root folder is that of --root and cannot be removed')
  return mounts.find((mount) => mount.id === id && isLeftOut(mount)) ?? requireEditable(mounts, id)
}

/** The folder was compared with these; another one may have come meanwhile that holds it. */
function requireSameMounts(before: readonly MountFacts[], now: readonly MountFacts[]): void {
  const foldersOf = (mounts: readonly MountFacts[]) => JSON.stringify(mounts.map(({ id, folder }) => [id, folder]))
  if (foldersOf(before) !== foldersOf(now))
    throw new Failure('changed-meanwhile', 'The root folders were changed at the same moment; try again')
}
