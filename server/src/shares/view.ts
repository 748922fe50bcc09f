import { nameOf } from '@filestead/contract'
import type { Actor } from '../access/actor.ts'
import { type Visibility, visibilityOf } from '../access/rules.ts'
import { type Scope, scopeOf } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import { inFolder, parentOf, rebase, rootPath, type VirtualPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'

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
 * Symlinks cannot lead out of the share. The owner's rules, and hidden dotfiles, apply to the owner's whole path, both as
 * it is written and with its symlinks resolved.
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

/** Visibility below a folder that has several paths: an entry must be visible by each of them. */
function visibilityBelow(whole: Visibility, folders: readonly VirtualPath[]): Visibility {
  const inAll = (ask: (path: VirtualPath) => boolean) => (path: VirtualPath) =>
    folders.every((folder) => ask(rebase(folder, path)))
  const inSome = (ask: (path: VirtualPath) => boolean) => (path: VirtualPath) =>
    folders.some((folder) => ask(rebase(folder, path)))
  return {
    hidesNothing: whole.hidesNothing,
    sees: inAll((path) => whole.sees(path)),
    permits: inAll((path) => whole.permits(path)),
    denies: inSome((path) => whole.denies(path)),
    inFolder(path) {
      const tests = folders.map((folder) => whole.inFolder(rebase(folder, path)))
      return (name) => tests.every((isVisible) => isVisible(name))
    },
    maySeeBelow: inAll((path) => whole.maySeeBelow(path)),
    mayDenyBelow: inSome((path) => whole.mayDenyBelow(path)),
  }
}

/** At most one file; its neighbours are not visible. */
function visibilityOfOne(whole: Visibility, file: VirtualPath): Visibility {
  return {
    hidesNothing: false,
    // Its folder can be listed, and holds nothing else.
    sees: (path) => path === rootPath || (path === file && whole.sees(path)),
    permits: (path) => path === file && whole.permits(path),
    denies: (path) => path !== file || whole.denies(path),
    inFolder(folder) {
      const isVisible = whole.inFolder(folder)
      return (name) => folder === rootPath && `/${name}` === file && isVisible(name)
    },
    maySeeBelow: () => false,
    mayDenyBelow: () => true,
  }
}
