import { nameOf } from '@filestead/contract'
import type { Access } from '../access/access.ts'
import { type Actor, actorOf, may } from '../access/actor.ts'
import type { Throttle } from '../access/throttle.ts'
import type { Visit } from '../access/visit.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { Failure } from '../failure.ts'
import { networkOf, type Source } from '../http/networks.ts'
import { rebase, type VirtualPath } from '../storage/path.ts'
import { verifyPassword } from '../users/passwords.ts'
import { accountWithId } from '../users/store.ts'
import { isInheritedToken, type Passes } from './passes.ts'
import { isExpired, noSuchLink, requireShare, requireSharing, type ShareDeps } from './shares.ts'
import { type Share, setThroughSymlink } from './store.ts'
import { viewOf } from './view.ts'

export interface OpenDeps extends ShareDeps {
  throttle: Throttle
  passes: Passes
}

/** What a request with a link carries, as it came. */
export interface Visitor extends Source {
  /** Percent-encoded. */
  password: string
  pass: string
  cancellation: Cancellation
  /** A link to a single file may be followed by any name. */
  takesAnyName: boolean
}

/** The only way into a share: the link, its password, its owner's rights and rules, in this order. */
export async function openShare(deps: OpenDeps, hash: string, asked: VirtualPath, visitor: Visitor): Promise<Visit> {
  const found = await requireLive(deps, hash)
  const pass = found.link.hasPassword ? await requirePassword(deps, found, visitor) : undefined
  // Passwords are verified in a queue. Meanwhile the share may have ended, or its file been moved and replaced.
  const share = found.link.hasPassword ? await requireLive(deps, hash) : found
  const { owner, access, path } = await requireOwner(deps, share)
  const { scope, root, isFolder, real } = await viewOf(owner, access, path)
  // A symlink that is new on the path: from now on the share is resolved when files are moved.
  if (real !== path && !share.isThroughSymlink) await setThroughSymlink(deps.db, [hash], true).catch(() => {})
  const name = nameOf(path)
  // A file has nothing below it. Links of older versions end with its name, or with its owner's whole path.
  const isFitting = isFolder || visitor.takesAnyName || asked === '/' || nameOf(asked) === name
  if (!isFitting) throw new Failure('not-found', 'Only one file is shared')
  const isChangeable = may(owner, 'modify')
  return {
    scope,
    path: isFolder ? rebase(root, asked) : root,
    name,
    isFolder,
    isChangeable,
    pass,
    expire: share.link.expire,
  }
}

async function requireLive({ db, clock, isShut }: OpenDeps, hash: string): Promise<Share> {
  const share = await requireShare(db, hash)
  if (isExpired(share.link, clock) || share.isShut || isShut(hash)) throw noSuchLink()
  return share
}

/** A valid pass is returned as it is, not prolonged: a stolen one would never end. */
async function requirePassword(
  { db, clock, throttle, passes }: OpenDeps,
  share: Share,
  visitor: Visitor,
): Promise<string> {
  const { password, pass, cancellation } = visitor
  const now = clock.unixSeconds()
  if (passes.isValid(pass, share, now) || (await isInheritedToken(db, share, pass))) return pass
  const given = decoded(password)
  if (given === '') throw new Failure('unauthenticated', 'This link needs a password')
  await throttle.guard({ kind: 'share', of: share.link.hash, from: visitor }, async () => {
    if (!(await verifyPassword(given, share.passwordHash, { cancellation, network: networkOf(visitor.address) })))
      throw new Failure('unauthenticated', 'Wrong password')
  })
  return passes.issue(share, now)
}

/** A share shows only what its owner still reaches. */
async function requireOwner(
  { db, settings, access }: OpenDeps,
  { link, location }: Share,
): Promise<{ owner: Actor; access: Access; path: VirtualPath }> {
  const account = await accountWithId(db, link.userID)
  if (account === undefined) throw noSuchLink()
  const own = await access.ofUser(account.user)
  const path = own.tree.pathTo(location)
  if (path === undefined) throw noSuchLink()
  const owner = actorOf(account.user, (await settings()).rules)
  requireSharing(owner)
  return { owner, access: own, path }
}

/** No password consists of bytes that cannot be decoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return ''
  }
}
