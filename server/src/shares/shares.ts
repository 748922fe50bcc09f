import { randomBytes } from 'node:crypto'
import { nameOf, type ShareLink, type ShareTerms } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { AccessReader } from '../access/access.ts'
import { type Actor, may } from '../access/actor.ts'
import { type Scope, seenPath } from '../access/scope.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { below, type Location } from '../mounts/location.ts'
import type { ReadSettings } from '../settings/settings.ts'
import { isSameEntry } from '../storage/entry.ts'
import { inFolder, parentOf, rootPath, type VirtualPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { hashPassword } from '../users/passwords.ts'
import { sharesAt } from './affected.ts'
import { ownerViews } from './owners.ts'
import { isThroughSymlink, resolveLocation } from './resolve.ts'
import { countShares, deleteShare, insertShare, listedShares, type Share, sharedNames, shareWithHash } from './store.ts'
import type { Watch } from './tracking.ts'

export interface ShareDeps {
  db: Kysely<Database>
  clock: Clock
  /** The files below a location. */
  storageAt(base: string): Storage
  access: Pick<AccessReader, 'ofUser'>
  settings: ReadSettings
  /** Does this process move or remove its file, or has it not stored the outcome yet? */
  isShut(hash: string): boolean
  watchChanges(locations: readonly Location[]): Watch
  /** Hears of the account whose links are others now. */
  changed?(owner: number): void
}

/** More than are made by hand. Each costs a stat when its file is moved or removed. */
const mostShares = 10_000

export async function createShare(
  { db, clock, storageAt, watchChanges, changed }: Omit<ShareDeps, 'isShut' | 'access' | 'settings'>,
  scope: Scope,
  path: VirtualPath,
  { password, seconds, label }: ShareTerms,
  most = mostShares,
): Promise<ShareLink> {
  requireSharing(scope.actor)
  const location = scope.locate(path)
  requireToShare(scope, path)
  const { user } = scope.actor
  const { entry, target } = await resolveLocation(storageAt, location)
  const real = scope.tree.pathTo(target)
  if (real !== undefined) requireToShare(scope, real)
  using watch = watchChanges([entry, target, location])
  const before = await scope.stat(path)
  const { kind } = before
  if (kind === 'link') throw new Failure('not-found', 'The link leads nowhere')
  if (kind !== 'file' && kind !== 'folder') throw new Failure('invalid', 'only files and folders can be shared')

  if ((await countShares(db, user.id, clock.unixSeconds())) >= most)
    throw new Failure('invalid', `you have ${most} links already; delete some that are no longer needed`)

  const now = clock.unixSeconds()
  const link: Share['link'] = {
    hash: randomBytes(16).toString('base64url'),
    userID: user.id,
    expire: seconds === 0 ? 0 : now + seconds,
    hasPassword: password !== '',
    ...(label !== '' && { label }),
    created: now,
  }
  const passwordHash = link.hasPassword ? await hashPassword(password) : ''
  await insertShare(db, {
    link,
    location,
    passwordHash,
    isThroughSymlink: await isThroughSymlink(storageAt, location),
  })
  // A change that began before the row was there does not know the share, which would show what replaces its file. The
  // watch knows the changes of this process; those of another one, or of a shell, show by what is there now.
  const isThere = await scope.stat(path).then(
    (now) => isSameEntry(now, before),
    () => false,
  )
  if (watch.isTouched || !isThere) {
    await deleteShare(db, link.hash)
    throw new Failure('not-found', 'It was moved or removed meanwhile')
  }
  changed?.(user.id)
  return asShown(link, path)
}

/** What grants must allow its owner at a shared place, when a link is made and whenever it is opened. */
export function requireToShare(scope: Scope, path: VirtualPath): void {
  scope.require('share', path)
  scope.require('download', path)
}

const asShown = ({ hash, ...rest }: Share['link'], path: VirtualPath | ''): ShareLink => ({ hash, path, ...rest })

type ListDeps = Pick<ShareDeps, 'db' | 'clock' | 'access' | 'settings'>

/** The caller's own shares, and all for administrators. Expired ones are left out. */
export async function listShares(deps: ListDeps, { actor }: Pick<Scope, 'actor'>): Promise<ShareLink[]> {
  return asOwnersSee(deps, await listed(deps, actor))
}

async function listed({ db, clock }: Pick<ListDeps, 'db' | 'clock'>, actor: Actor): Promise<Share[]> {
  requireSharing(actor)
  return listedShares(db, clock.unixSeconds(), may(actor, 'admin') ? undefined : actor.user.id)
}

/** What the owner of a link does not see any more has an empty path: such a link shows nothing, and can be removed. */
async function asOwnersSee(deps: ListDeps, shares: readonly Share[]): Promise<ShareLink[]> {
  const links: ShareLink[] = []
  const viewOf = ownerViews(deps)
  for (const { link, location } of shares) {
    const view = await viewOf(link.userID)
    links.push(asShown(link, (view && seenPath(view, location)) ?? ''))
  }
  return links
}

/** Administrators also see shares of others to the same entry, however the others call it. */
export async function sharesOf(
  deps: ListDeps & Pick<ShareDeps, 'storageAt'>,
  scope: Scope,
  path: VirtualPath,
): Promise<ShareLink[]> {
  const shares = await listed(deps, scope.actor)
  const location = scope.tree.locate(path)
  if (location === undefined || seenPath(scope.view, location) === undefined) return []
  const isAsked = may(scope.actor, 'admin')
    ? await isSharedAt(deps, location)
    : (share: Share) => share.location === location
  return asOwnersSee(deps, shares.filter(isAsked))
}

async function isSharedAt(deps: Pick<ShareDeps, 'db' | 'storageAt'>, location: Location) {
  const there = await sharesAt(deps, location)
  return ({ link }: Share): boolean => there.has(link.hash)
}

/** The names in a folder that the caller has shared and sees, for a mark in its listing. */
export async function sharedIn(
  { db, clock }: Pick<ListDeps, 'db' | 'clock'>,
  { actor, tree, view }: Scope,
  folder: VirtualPath,
): Promise<string[]> {
  requireSharing(actor)
  const location = tree.locate(folder)
  if (location !== undefined) {
    const names = await sharedNames(db, { userId: actor.user.id, folder: location, now: clock.unixSeconds() })
    return names.filter((name) => seenPath(view, below(location, inFolder(rootPath, name))) !== undefined)
  }
  // At the top of several mounts, each is a folder of its own.
  const own = await listedShares(db, clock.unixSeconds(), actor.user.id)
  const paths = own.flatMap((share) => seenPath(view, share.location) ?? [])
  return [...new Set(paths.filter((path) => path !== '/' && parentOf(path) === folder).map(nameOf))]
}

export async function dropShare(
  { db, clock, changed }: Pick<ShareDeps, 'db' | 'clock' | 'changed'>,
  actor: Actor,
  hash: string,
): Promise<void> {
  requireSharing(actor)
  if (hash === '') throw new Failure('invalid', 'the link is missing')
  const { link } = await requireShare(db, hash)
  if (isExpired(link, clock)) throw noSuchLink()
  if (!isOwnOrAdmin(actor, link)) throw new Failure('forbidden', 'The link belongs to another user')
  await deleteShare(db, hash)
  changed?.(link.userID)
}

export async function requireShare(db: Kysely<Database>, hash: string): Promise<Share> {
  const share = await shareWithHash(db, hash)
  if (share === undefined) throw noSuchLink()
  return share
}

export const noSuchLink = () => new Failure('not-found', 'There is no such link')

/** The row of an expired share is kept for a while, because the clock may be wrong: see expire.ts. */
export const isExpired = ({ expire }: Share['link'], clock: Clock): boolean =>
  expire > 0 && expire <= clock.unixSeconds()

/** A share gives others the bytes, so sharing needs the permission to download as well. */
export function requireSharing(actor: Actor): void {
  if (!may(actor, 'share') || !may(actor, 'download')) throw new Failure('forbidden', 'Sharing is not allowed')
}

const isOwnOrAdmin = (actor: Actor, { userID }: Share['link']): boolean =>
  userID === actor.user.id || may(actor, 'admin')
