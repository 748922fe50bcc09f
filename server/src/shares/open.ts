import { nameOf } from '@filestead/contract'
import { type Actor, actorOf, may } from '../access/actor.ts'
import type { Throttle } from '../access/throttle.ts'
import type { Visit } from '../access/visit.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { Failure } from '../failure.ts'
import { networkOf, type Source } from '../http/networks.ts'
import type { ReadSettings } from '../settings/settings.ts'
import { parsePath, rebase, type VirtualPath } from '../storage/path.ts'
import { verifyPassword } from '../users/passwords.ts'
import { accountWithId } from '../users/store.ts'
import type { Grants } from './grants.ts'
import { isInheritedToken } from './inherited.ts'
import { folderOf } from './places.ts'
import { isOver, noSuchLink, requireShare, requireSharing, type ShareDeps } from './shares.ts'
import { noteLinks, type Share } from './store.ts'
import { viewOf } from './view.ts'

export interface OpenDeps extends ShareDeps {
  settings: ReadSettings
  throttle: Throttle
  grants: Grants
}

/** What somebody with a link brings along, as it came. */
export interface Visitor extends Source {
  /** Percent-encoded. */
  password: string
  grant: string
  cancellation: Cancellation
  /** Behind a link to a single file stands a name of the visitor's choice. */
  takesAnyName: boolean
}

/** The only way into a share: the link, its password, its owner's rights and rules, in this order. */
export async function openShare(deps: OpenDeps, hash: string, asked: VirtualPath, visitor: Visitor): Promise<Visit> {
  const share = await requireLive(deps, hash)
  const grant = share.link.hasPassword ? await requirePassword(deps, share, visitor) : undefined
  const owner = await requireOwner(deps, share)
  const path = parsePath(share.link.path)
  const { scope, root, isFolder, real } = await viewOf(owner, deps.storageAt(owner.user.scope), path)
  // A link that has come into the way: from now on it is looked up where this share lies.
  if (real !== path && !share.isThroughLink) await noteLinks(deps.db, [hash], true).catch(() => {})
  const name = nameOf(path)
  // A file has nothing below it. Links that are already out carry its name behind them, or its owner's whole path.
  const isFitting = isFolder || visitor.takesAnyName || asked === '/' || nameOf(asked) === name
  if (!isFitting) throw new Failure('not-found', 'Only one file is shared')
  const isChangeable = may(owner, 'modify')
  return { scope, path: isFolder ? rebase(root, asked) : root, name, isFolder, isChangeable, grant }
}

async function requireLive({ db, clock, isShut }: OpenDeps, hash: string): Promise<Share> {
  const share = await requireShare(db, hash)
  if (isOver(share.link, clock) || share.isShut || isShut(hash)) throw noSuchLink()
  return share
}

/** Whoever came with a grant keeps it: it is not prolonged, or a stolen one would live for ever. */
async function requirePassword(
  { db, clock, throttle, grants }: OpenDeps,
  share: Share,
  visitor: Visitor,
): Promise<string> {
  const { password, grant, cancellation } = visitor
  const now = clock.unixSeconds()
  if (grants.isValid(grant, share, now) || (await isInheritedToken(db, share, grant))) return grant
  const given = decoded(password)
  if (given === '') throw new Failure('unauthenticated', 'This link needs a password')
  await throttle.guard({ kind: 'share', of: share.link.hash, from: visitor }, async () => {
    if (!(await verifyPassword(given, share.passwordHash, { cancellation, network: networkOf(visitor.address) })))
      throw new Failure('unauthenticated', 'Wrong password')
  })
  return grants.issue(share, now)
}

/** In another scope than the one the link was made in, its path would show something nobody shared. */
async function requireOwner({ db, settings }: OpenDeps, { link, scope }: Share): Promise<Actor> {
  const account = await accountWithId(db, link.userID)
  if (account === undefined || folderOf(account.user.scope) !== scope) throw noSuchLink()
  const owner = actorOf(account.user, (await settings()).rules)
  requireSharing(owner)
  return owner
}

/** What cannot be decoded is no password of anybody. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return ''
  }
}
