import { nameOf } from '@filestead/contract'
import { type Access, scopeIn } from '../access/access.ts'
import type { Actor } from '../access/actor.ts'
import { type Scope, scopeOf } from '../access/scope.ts'
import { viewBelow, viewOfOne } from '../access/view-below.ts'
import { Failure } from '../failure.ts'
import { inFolder, parentOf, rootPath, type VirtualPath } from '../storage/path.ts'
import { requireToShare } from './shares.ts'

/** What a share gives its visitors access to. */
export interface SharedView {
  /** The owner's files from the shared entry downwards, and nothing beside it. */
  readonly scope: Scope
  /** The shared entry in that scope. */
  readonly root: VirtualPath
  readonly isFolder: boolean
  /** The path of the share in the owner's scope, symlinks resolved. */
  readonly real: VirtualPath
}

/**
 * Symlinks cannot lead out of the share. The owner's rules, hidden dotfiles and grants apply to the owner's whole path,
 * both as it is written and with its symlinks resolved: a visitor gets what the owner may share and download now.
 */
export async function viewOf(owner: Actor, access: Access, path: VirtualPath): Promise<SharedView> {
  const { storage } = access
  const scope = scopeIn(access, owner)
  requireToShare(scope, path)
  // At the same time, because each of them is a message to a thread.
  const [{ kind }, resolved] = await Promise.all([
    scope.stat(path),
    storage.resolve(path).catch((error: unknown) => ({ error })),
  ])
  if (kind === 'link') throw new Failure('not-found', 'The link leads nowhere')
  if (typeof resolved === 'object') throw resolved.error
  const real = resolved
  requireToShare(scope, real)
  const view = access.viewOf(owner)
  const visitor = visitorOf(owner)

  if (kind === 'folder') {
    const seen = viewBelow(view, [path, real], scope.locate(real))
    return { scope: scopeOf(visitor, storage.beneath(real), seen), root: rootPath, isFolder: true, real }
  }
  const [folder, file] = [parentOf(real), inFolder(rootPath, nameOf(real))]
  const seen = viewOfOne(viewBelow(view, [folder], scope.locate(folder)), file)
  return { scope: scopeOf(visitor, storage.beneath(folder), seen), root: file, isFolder: false, real }
}

/** Sees what the owner sees, in the order of names, and may download; the owner's other permissions are not passed on. */
const visitorOf = ({ user, rules }: Actor): Actor => ({
  rules,
  user: {
    ...user,
    sorting: { by: 'name', asc: false },
    perm: {
      admin: false,
      execute: false,
      create: false,
      rename: false,
      modify: false,
      delete: false,
      share: false,
      download: true,
    },
  },
})
