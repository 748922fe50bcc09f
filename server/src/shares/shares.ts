import { randomBytes } from 'node:crypto'
import type { ShareLink, ShareTerms } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { type Actor, may } from '../access/actor.ts'
import type { Scope } from '../access/scope.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { rebase, type VirtualPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { hashPassword } from '../users/passwords.ts'
import { sharesAt } from './affected.ts'
import { folderOf, placeFinder } from './places.ts'
import { isThroughLink } from './review.ts'
import { countShares, deleteShare, insertShare, listedShares, type Share, shareWithHash } from './store.ts'
import type { Watch } from './tracking.ts'

export interface ShareDeps {
  db: Kysely<Database>
  clock: Clock
  storageAt(scope: string): Storage
  /** Is its file being moved or removed by this process, or could the outcome not be stored yet? */
  isShut(hash: string): boolean
  watchChanges(places: readonly VirtualPath[]): Watch
}

/** More than anybody makes by hand. Each is looked at when what it shows is moved or removed. */
const mostShares = 10_000

export async function createShare(
  { db, clock, storageAt, watchChanges }: Omit<ShareDeps, 'isShut'>,
  scope: Scope,
  path: VirtualPath,
  { password, seconds }: ShareTerms,
  most = mostShares,
): Promise<ShareLink> {
  requireSharing(scope.actor)
  scope.requireVisible(path)
  const { user } = scope.actor
  const places = await placeFinder(storageAt)(user.scope)
  const { name, target } = await places.of(path)
  using watch = watchChanges([name, target, rebase(folderOf(user.scope), path)])
  const { kind } = await scope.stat(path)
  if (kind === 'link') throw new Failure('not-found', 'The link leads nowhere')
  if (kind !== 'file' && kind !== 'folder') throw new Failure('invalid', 'only files and folders can be shared')

  if ((await countShares(db, user.id, clock.unixSeconds())) >= most)
    throw new Failure('invalid', `you have ${most} links already; delete some that are no longer needed`)

  const link: ShareLink = {
    hash: randomBytes(16).toString('base64url'),
    path,
    userID: user.id,
    expire: seconds === 0 ? 0 : clock.unixSeconds() + seconds,
    hasPassword: password !== '',
  }
  const passwordHash = link.hasPassword ? await hashPassword(password) : ''
  await insertShare(db, {
    link,
    scope: folderOf(user.scope),
    passwordHash,
    isThroughLink: await isThroughLink(places, user.scope, path),
  })
  // A change that began before the row was there does not know the share, which would show what comes next.
  if (watch.isTouched) {
    await deleteShare(db, link.hash)
    throw new Failure('not-found', 'It was moved or removed meanwhile')
  }
  return link
}

/** Everything the actor has a say about: their own, and all for administrators. What is over is not told. */
export async function listShares({ db, clock }: Pick<ShareDeps, 'db' | 'clock'>, actor: Actor): Promise<ShareLink[]> {
  requireSharing(actor)
  const owner = may(actor, 'admin') ? undefined : actor.user.id
  return (await listedShares(db, clock.unixSeconds(), owner)).map(({ link }) => link)
}

/** Administrators also see links of others to the same place, whatever path leads there in the others' scopes. */
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

export async function dropShare(
  { db, clock }: Pick<ShareDeps, 'db' | 'clock'>,
  actor: Actor,
  hash: string,
): Promise<void> {
  requireSharing(actor)
  if (hash === '') throw new Failure('invalid', 'the link is missing')
  const { link } = await requireShare(db, hash)
  if (isOver(link, clock)) throw noSuchLink()
  if (!isTheirs(actor, link)) throw new Failure('forbidden', 'The link belongs to somebody else')
  await deleteShare(db, hash)
}

export async function requireShare(db: Kysely<Database>, hash: string): Promise<Share> {
  const share = await shareWithHash(db, hash)
  if (share === undefined) throw noSuchLink()
  return share
}

export const noSuchLink = () => new Failure('not-found', 'There is no such link')

/** One that is over stays where it is: the clock may be wrong. It is cleared away when it has long been over. */
export const isOver = ({ expire }: ShareLink, clock: Clock): boolean => expire > 0 && expire <= clock.unixSeconds()

/** A link hands out the bytes; whoever makes one must be allowed to have them. */
export function requireSharing(actor: Actor): void {
  if (!may(actor, 'share') || !may(actor, 'download')) throw new Failure('forbidden', 'Sharing is not allowed')
}

const isTheirs = (actor: Actor, { userID }: ShareLink): boolean => userID === actor.user.id || may(actor, 'admin')
