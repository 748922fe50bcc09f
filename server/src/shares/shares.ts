import { randomBytes } from 'node:crypto'
import type { ShareLink, ShareTerms } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { type Actor, may } from '../access/actor.ts'
import type { Scope } from '../access/scope.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { isSameEntry } from '../storage/entry.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { scopeFolder } from '../users/home.ts'
import { hashPassword } from '../users/passwords.ts'
import { sharesAt } from './affected.ts'
import { isThroughSymlink, pathAsWritten, scopeResolvers } from './resolve.ts'
import { countShares, deleteShare, insertShare, listedShares, type Share, sharedNames, shareWithHash } from './store.ts'
import type { Watch } from './tracking.ts'

export interface ShareDeps {
  db: Kysely<Database>
  clock: Clock
  storageAt(scope: string): Storage
  /** Does this process move or remove its file, or has it not stored the outcome yet? */
  isShut(hash: string): boolean
  watchChanges(paths: readonly VirtualPath[]): Watch
}

/** More than are made by hand. Each costs a stat when its file is moved or removed. */
const mostShares = 10_000

export async function createShare(
  { db, clock, storageAt, watchChanges }: Omit<ShareDeps, 'isShut'>,
  scope: Scope,
  path: VirtualPath,
  { password, seconds, label }: ShareTerms,
  most = mostShares,
): Promise<ShareLink> {
  requireSharing(scope.actor)
  scope.requireVisible(path)
  const { user } = scope.actor
  const resolver = await scopeResolvers(storageAt)(user.scope)
  const { entry, target } = await resolver.resolve(path)
  using watch = watchChanges([entry, target, pathAsWritten(user.scope, path)])
  const before = await scope.stat(path)
  const { kind } = before
  if (kind === 'link') throw new Failure('not-found', 'The link leads nowhere')
  if (kind !== 'file' && kind !== 'folder') throw new Failure('invalid', 'only files and folders can be shared')

  if ((await countShares(db, user.id, clock.unixSeconds())) >= most)
    throw new Failure('invalid', `you have ${most} links already; delete some that are no longer needed`)

  const now = clock.unixSeconds()
  const link: ShareLink = {
    hash: randomBytes(16).toString('base64url'),
    path,
    userID: user.id,
    expire: seconds === 0 ? 0 : now + seconds,
    hasPassword: password !== '',
    ...(label !== '' && { label }),
    created: now,
  }
  const passwordHash = link.hasPassword ? await hashPassword(password) : ''
  await insertShare(db, {
    link,
    scope: scopeFolder(user.scope),
    passwordHash,
    isThroughSymlink: await isThroughSymlink(resolver, user.scope, path),
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
  return link
}

/** The actor's own shares, and all for administrators. Expired ones are left out. */
export async function listShares({ db, clock }: Pick<ShareDeps, 'db' | 'clock'>, actor: Actor): Promise<ShareLink[]> {
  requireSharing(actor)
  const owner = may(actor, 'admin') ? undefined : actor.user.id
  return (await listedShares(db, clock.unixSeconds(), owner)).map(({ link }) => link)
}

/** Administrators also see shares of others to the same entry, whatever its path is in the others' scopes. */
export async function sharesOf(
  deps: Pick<ShareDeps, 'db' | 'clock' | 'storageAt'>,
  actor: Actor,
  path: VirtualPath,
): Promise<ShareLink[]> {
  const shown = await listShares(deps, actor)
  if (!may(actor, 'admin')) return shown.filter((link) => link.path === path)
  const there = await sharesAt(deps, actor, path)
  return shown.filter(({ hash }) => there.has(hash))
}

/** The names in a folder that the actor has shared, for a mark in its listing. */
export async function sharedIn(
  { db, clock }: Pick<ShareDeps, 'db' | 'clock'>,
  actor: Actor,
  folder: VirtualPath,
): Promise<string[]> {
  requireSharing(actor)
  const { id, scope } = actor.user
  return sharedNames(db, { userId: id, scope: scopeFolder(scope), folder, now: clock.unixSeconds() })
}

export async function dropShare(
  { db, clock }: Pick<ShareDeps, 'db' | 'clock'>,
  actor: Actor,
  hash: string,
): Promise<void> {
  requireSharing(actor)
  if (hash === '') throw new Failure('invalid', 'the link is missing')
  const { link } = await requireShare(db, hash)
  if (isExpired(link, clock)) throw noSuchLink()
  if (!isOwnOrAdmin(actor, link)) throw new Failure('forbidden', 'The link belongs to another user')
  await deleteShare(db, hash)
}

export async function requireShare(db: Kysely<Database>, hash: string): Promise<Share> {
  const share = await shareWithHash(db, hash)
  if (share === undefined) throw noSuchLink()
  return share
}

export const noSuchLink = () => new Failure('not-found', 'There is no such link')

/** The row of an expired share is kept for a while, because the clock may be wrong: see expire.ts. */
export const isExpired = ({ expire }: ShareLink, clock: Clock): boolean => expire > 0 && expire <= clock.unixSeconds()

/** A share gives others the bytes, so sharing needs the permission to download as well. */
export function requireSharing(actor: Actor): void {
  if (!may(actor, 'share') || !may(actor, 'download')) throw new Failure('forbidden', 'Sharing is not allowed')
}

const isOwnOrAdmin = (actor: Actor, { userID }: ShareLink): boolean => userID === actor.user.id || may(actor, 'admin')
