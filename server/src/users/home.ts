import { posix } from 'node:path'
import { isInside, nameOf, type Settings } from '@filestead/contract'
import { Failure, isFailure } from '../failure.ts'
import { firstMount, type Location, locationIn } from '../mounts/location.ts'
import { parsePath, rootPath, type VirtualPath } from '../storage/path.ts'
import { LinkInTheWay, type Storage } from '../storage/port.ts'

/** The folder below the root that a scope names: it may be written as '.', 'home' or '/home/'. */
export const scopeFolder = (scope: string): VirtualPath => parsePath(posix.join('/', scope))

/** The scope of a new user: the one asked for, or a home named after the user. */
export function scopeFor(
  { createUserDir, userHomeBasePath, defaults }: Settings,
  { username, scope }: { username: string; scope: string },
  { isSelfService, hasOwnFolder = false }: { isSelfService: boolean; hasOwnFolder?: boolean },
): { scope: VirtualPath; isOwn: boolean } {
  if (hasOwnFolder || (createUserDir && scope === '')) return { scope: homeOf(userHomeBasePath, username), isOwn: true }
  // '.' is the default that was never chosen: signing up must not give the whole root. '/' was chosen.
  const wanted = scope || defaults.scope
  if (isSelfService && (wanted === '.' || wanted === ''))
    return { scope: homeOf(userHomeBasePath, username), isOwn: true }
  return { scope: scopeFolder(wanted), isOwn: false }
}

/** Refuses a home that another user has, or that holds one: different names may lead to the same folder. */
export function requireUnshared(scope: VirtualPath, others: readonly { username: string; scope: string }[]): void {
  const taken = others.find((other) => isInside(posix.join('/', other.scope).toLowerCase(), scope.toLowerCase()))
  if (taken !== undefined) throw new Failure('already-exists', 'The home folder for this name belongs to another user')
}

async function makeHome(root: Storage, scope: VirtualPath): Promise<void> {
  if (scope === rootPath) return
  try {
    await root.createFolder(scope)
  } catch (error) {
    if (!(error instanceof LinkInTheWay)) throw error
    await makeHomeBehindLinks(root, scope)
  }
}

interface NewHome {
  /** Undoes the creation when the user could not be stored; a folder that existed before stays. */
  removeIfEmpty(): Promise<void>
}

/** A new user of an unverified name: what there is under that name belongs to another account. */
export interface Stranger {
  /** Is anything that a folder held in the trash, in older versions or in snapshots, or is something in it granted? */
  isTaken(folder: Location): Promise<boolean>
}

/** Makes the folder of a new user. For a stranger it must not exist or be empty, and not be taken. */
export async function newHome(root: Storage, scope: VirtualPath, stranger?: Stranger): Promise<NewHome> {
  const isThere = await root.stat(scope).then(
    () => true,
    () => false,
  )
  await (stranger === undefined ? makeHome(root, scope) : makeUntakenHome(root, scope, stranger))
  return {
    async removeIfEmpty() {
      if (!isThere && (await root.list(scope)).entries.length === 0) await root.remove(scope)
    },
  }
}

/** The home, or a folder above it, may be a symlink; its target must lie in the served folder. */
async function makeHomeBehindLinks(root: Storage, scope: VirtualPath): Promise<void> {
  const target = await root.resolve(scope).catch((error) => {
    if (!isFailure(error, 'forbidden')) throw error
    throw new Failure('invalid', 'the home folder lies behind a link that leads out of the served folder')
  })
  // Unchanged only with --followExternalSymlinks, where the administrator answers for the target of the symlink.
  if (target !== scope) await root.createFolder(target)
}

/**
 * A folder that existed before the user may hold files of another account: of a deleted user, or any folder where homes
 * lie beside other folders. An empty one will do, unless its owner would find there what another one has removed, or show
 * to others what comes there.
 */
async function makeUntakenHome(root: Storage, scope: VirtualPath, { isTaken }: Stranger): Promise<void> {
  const taken = new Failure('already-exists', 'A folder for this name is there already')
  const folder = parsePath(posix.join(await root.resolve(parsePath(posix.dirname(scope))), nameOf(scope)))
  if (await isTaken(locationIn(firstMount, folder))) throw taken
  try {
    await root.createFolder(folder)
    if ((await root.names(folder)).length > 0) throw taken
  } catch (error) {
    throw error instanceof LinkInTheWay ? taken : error
  }
}

/** 'Jo n/../x' becomes 'Jo-n-x': a name cannot lead out of the folder of homes. */
function homeOf(base: string, username: string): VirtualPath {
  const name = username
    .trim()
    .replaceAll('..', '')
    .replace(/[^0-9A-Za-z@_.-]/g, '-')
    .replace(/-+/g, '-')
  if (['', '-', '.'].includes(name)) throw new Failure('invalid', 'no folder can be named after this username')
  return parsePath(posix.join('/', base, name))
}
