import { nameOf } from '@filestead/contract'
import type { Actor } from '../access/actor.ts'
import { type Visibility, visibilityOf } from '../access/rules.ts'
import { type Scope, scopeOf } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import { inFolder, parentOf, rootPath, type VirtualPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { visibilityBelow, visibilityOfOne } from './visibility.ts'

/** What a share shows. */
export interface SharedView {
  /** The owner's files from the share downwards, and nothing beside it. */
  readonly scope: Scope
  /** The shared thing in that scope. */
  readonly root: VirtualPath
  readonly isFolder: boolean
  /** Where the path of the share leads in the owner's files. */
  readonly real: VirtualPath
}

/**
 * Ends where the share ends: links cannot leave it. The owner's rules and the wish to hide dotfiles are asked about the
 * owner's whole path, as it is written and as it really is.
 */
export async function viewOf(owner: Actor, storage: Storage, path: VirtualPath): Promise<SharedView> {
  // At the same time, because each of them is a message to a thread.
  const [{ kind }, resolved] = await Promise.all([
    scopeOf(owner, storage).stat(path),
    storage.resolve(path).catch((error: unknown) => ({ error })),
  ])
  if (kind === 'link') throw new Failure('not-found', 'The link leads nowhere')
  if (typeof resolved === 'object') throw resolved.error
  const real = resolved
  const visibility = visibilityOf(owner.rules, owner.user.hideDotfiles, storage.capabilities)
  const show = (folder: VirtualPath, seen: Visibility) => scopeOf(visitorOf(owner), storage.beneath(folder), seen)

  if (kind === 'folder')
    return { scope: show(real, visibilityBelow(visibility, [path, real])), root: rootPath, isFolder: true, real }
  const file = inFolder(rootPath, nameOf(real))
  const seen = visibilityOfOne(visibilityBelow(visibility, [parentOf(real)]), file)
  return { scope: show(parentOf(real), seen), root: file, isFolder: false, real }
}

/** Sees what the owner sees, in the order of names, and may download: no right of the owner comes along. */
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
