import { randomBytes } from 'node:crypto'
import type { ShareLink, ShareTerms } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import { bestEffort } from '../database/refusals.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import type { VirtualPath } from '../files/path.ts'
import type { Scope } from '../files/scope.ts'
import type { Storage } from '../storage/storage.ts'
import { type Actor, may } from '../users/actor.ts'
import { hashPassword } from '../users/passwords.ts'
import { folderOf, placeFinder } from './places.ts'
import { allShares, deleteExpiredShares, deleteShare, insertShare, type Share, shareWithHash } from './store.ts'

export interface ShareDeps {
  db: Kysely<Database>
  clock: Clock
  storageAt(scope: string): Storage
}

export async function createShare(
  { db, clock }: Pick<ShareDeps, 'db' | 'clock'>,
  scope: Scope,
  path: VirtualPath,
  { password, seconds }: ShareTerms,
): Promise<ShareLink> {
  requireSharing(scope.actor)
  const { kind } = await scope.stat(path)
  if (kind === 'link') throw new Failure('not-found', 'The link leads nowhere')
  if (kind !== 'file' && kind !== 'folder') throw new Failure('invalid', 'only files and folders can be shared')

  const link: ShareLink = {
    hash: randomBytes(16).toString('base64url'),
    path,
    userID: scope.actor.user.id,
    expire: seconds === 0 ? 0 : clock.unixSeconds() + seconds,
    hasPassword: password !== '',
  }
  const passwordHash = link.hasPassword ? await hashPassword(password) : ''
  await insertShare(db, { link, scope: folderOf(scope.actor.user.scope), passwordHash, isInDoubt: false })
  return link
}

/** Everything the actor has a say about: their own, and all for administrators. */
export async function listShares({ db, clock }: Pick<ShareDeps, 'db' | 'clock'>, actor: Actor): Promise<ShareLink[]> {
  requireSharing(actor)
  const now = clock.unixSeconds()
  bestEffort(deleteExpiredShares(db, now))
  return (await allShares(db)).map(({ link }) => link).filter((link) => isLive(link, now) && isTheirs(actor, link))
}

/** Administrators also see links of others to the same place, whatever path leads there in the others' scopes. */
export async function sharesOf(deps: ShareDeps, actor: Actor, path: VirtualPath): Promise<ShareLink[]> {
  const shown = await listShares(deps, actor)
  if (!may(actor, 'admin')) return shown.filter((link) => link.path === path)
  const places = placeFinder(deps.storageAt)
  const { target: wanted } = await (await places(actor.user.scope)).of(path)
  const found: ShareLink[] = []
  for (const { link, scope } of await allShares(deps.db)) {
    const { target } = await (await places(scope)).of(link.path as VirtualPath)
    if (target === wanted && isLive(link, deps.clock.unixSeconds())) found.push(link)
  }
  return found
}

export async function dropShare({ db }: Pick<ShareDeps, 'db'>, actor: Actor, hash: string): Promise<void> {
  requireSharing(actor)
  if (hash === '') throw new Failure('invalid', 'the link is missing')
  const { link } = await requireShare(db, hash)
  if (!isTheirs(actor, link)) throw new Failure('forbidden', 'The link belongs to somebody else')
  await deleteShare(db, hash)
}

export async function requireShare(db: Kysely<Database>, hash: string): Promise<Share> {
  const share = await shareWithHash(db, hash)
  if (share === undefined) throw new Failure('not-found', 'There is no such link')
  return share
}

export const isLive = ({ expire }: ShareLink, now: number): boolean => expire === 0 || expire > now

/** A link hands out the bytes; whoever makes one must be allowed to have them. */
export function requireSharing(actor: Actor): void {
  if (!may(actor, 'share') || !may(actor, 'download')) throw new Failure('forbidden', 'Sharing is not allowed')
}

const isTheirs = (actor: Actor, { userID }: ShareLink): boolean => userID === actor.user.id || may(actor, 'admin')
