import { hasRight, noRights, type RightSet, rightSet } from '@filestead/contract'
import type { Location } from '../mounts/location.ts'
import { rebase, rootPath, type VirtualPath } from '../storage/path.ts'
import type { FolderGrants } from './granted.ts'
import type { NameTest, Visibility } from './rules.ts'
import type { PathRights, View } from './sight.ts'
import { treeAt } from './tree.ts'

/** Of the rights of an owner, a visitor gets these. */
const visitorRights = rightSet('see', 'download')

/**
 * What a visitor sees below a folder that has several paths for its owner: an entry must be visible by each of them, and
 * the owner may download it.
 */
export function viewBelow({ visibility, rights }: View, folders: readonly VirtualPath[], base: Location): View {
  const rules = visibilityBelow(visibility, folders)
  if (rights === undefined) return { tree: treeAt(base), visibility: rules, rights: undefined }
  const allowed = new RightsBelow(rights, folders)
  return { tree: treeAt(base), visibility: new DownloadableOnly(rules, allowed), rights: allowed }
}

/** At most one file; its neighbours are not visible. */
export function viewOfOne({ tree, visibility: whole, rights }: View, file: VirtualPath): View {
  const visibility: Visibility = {
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
  return { tree, visibility, rights }
}

function visibilityBelow(whole: Visibility, folders: readonly VirtualPath[]): Visibility {
  const inAll = (ask: (path: VirtualPath) => boolean) => (path: VirtualPath) =>
    folders.every((folder) => ask(rebase(folder, path)))
  const inSome = (ask: (path: VirtualPath) => boolean) => (path: VirtualPath) =>
    folders.some((folder) => ask(rebase(folder, path)))
  return {
    sees: inAll((path) => whole.sees(path)),
    permits: inAll((path) => whole.permits(path)),
    denies: inSome((path) => whole.denies(path)),
    inFolder: (path) => whereAll([...new Set(folders)].map((folder) => whole.inFolder(rebase(folder, path)))),
    maySeeBelow: inAll((path) => whole.maySeeBelow(path)),
    mayDenyBelow: inSome((path) => whole.mayDenyBelow(path)),
  }
}

function whereAll(tests: readonly NameTest[]): NameTest {
  const [first] = tests
  return first !== undefined && tests.every((test) => test === first)
    ? first
    : (name) => tests.every((isVisible) => isVisible(name))
}

class RightsBelow implements PathRights {
  readonly #whole: PathRights
  readonly #folders: readonly VirtualPath[]

  constructor(whole: PathRights, folders: readonly VirtualPath[]) {
    this.#whole = whole
    this.#folders = [...new Set(folders)]
  }

  allows(path: VirtualPath, right?: Parameters<PathRights['allows']>[1]): boolean {
    return (
      (right === undefined || hasRight(visitorRights, right)) &&
      this.#folders.every((folder) => this.#whole.allows(rebase(folder, path), right))
    )
  }

  rightsAt(path: VirtualPath): RightSet {
    return this.#all((folder) => this.#whole.rightsAt(rebase(folder, path)))
  }

  rightsThroughout(path: VirtualPath): RightSet {
    return this.#all((folder) => this.#whole.rightsThroughout(rebase(folder, path)))
  }

  rightsIn(folder: VirtualPath): FolderGrants {
    const grants = this.#folders.map((above) => this.#whole.rightsIn(rebase(above, folder)))
    const all = (set: (each: FolderGrants) => RightSet) =>
      grants.reduce((common, each) => common & set(each), visitorRights)
    return {
      rights: all(({ rights }) => rights),
      varies: grants.some(({ varies }) => varies),
      rightsOf: (name) => all(({ rightsOf }) => rightsOf(name)),
      // What the owner may not download is no part of a share, nor is what lies behind it.
      leadsOn: () => false,
    }
  }

  #all(set: (folder: VirtualPath) => RightSet): RightSet {
    return this.#folders.reduce((common, folder) => common & set(folder), visitorRights)
  }
}

class DownloadableOnly implements Visibility {
  readonly #rules: Visibility
  readonly #rights: PathRights

  constructor(rules: Visibility, rights: PathRights) {
    this.#rules = rules
    this.#rights = rights
  }

  sees(path: VirtualPath): boolean {
    return this.#rules.sees(path) && hasRight(this.#rights.rightsAt(path), 'download')
  }

  inFolder(folder: VirtualPath): NameTest {
    const isVisible = this.#rules.inFolder(folder)
    const { rights, varies, rightsOf } = this.#rights.rightsIn(folder)
    if (!varies) return hasRight(rights, 'download') ? isVisible : () => false
    return (name) => hasRight(rightsOf(name), 'download') && isVisible(name)
  }

  maySeeBelow(folder: VirtualPath): boolean {
    return this.#rules.maySeeBelow(folder) && this.#rights.rightsAt(folder) !== noRights
  }

  mayDenyBelow(folder: VirtualPath): boolean {
    return this.#rules.mayDenyBelow(folder)
  }

  permits(path: VirtualPath): boolean {
    return this.#rules.permits(path)
  }

  denies(path: VirtualPath): boolean {
    return this.#rules.denies(path)
  }
}
