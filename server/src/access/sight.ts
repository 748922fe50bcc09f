import { hasRight, noRights, type Right, type RightSet, rightSet, segmentsOf } from '@filestead/contract'
import { below, isWithin, type Location, locationIn, mountOf, pathIn, relativeTo } from '../mounts/location.ts'
import { inFolder, parsePath, rootPath, type VirtualPath } from '../storage/path.ts'
import type { FolderGrants, Granted } from './granted.ts'
import { everyName, folded, type NameTest, type Visibility } from './rules.ts'
import type { Tree } from './tree.ts'

/** What grants allow at the paths of a tree. */
export interface PathRights {
  /** Do the grants give the right there, and the rules hide nothing on the way? Without a right the rules alone. */
  allows(path: VirtualPath, right?: Right): boolean
  rightsAt(path: VirtualPath): RightSet
  /** The rights that hold at a path and everywhere below it. */
  rightsThroughout(path: VirtualPath): RightSet
  /** The same for many names of one folder. */
  rightsIn(folder: VirtualPath): FolderGrants
}

/** What one actor sees of its tree, and what it may do there. */
export interface View {
  readonly tree: Tree
  /** What rules, hidden dotfiles and grants leave visible. */
  readonly visibility: Visibility
  /** Undefined where all rights hold everywhere: then nothing has to be asked. */
  readonly rights: PathRights | undefined
}

export interface SightFacts {
  readonly tree: Tree
  readonly granted: Granted
  /** The home of the account: rules are written about paths that begin there. */
  readonly home: Location | undefined
  /** Where the home really lies, if a symlink leads there: the rights in it are those of that place. */
  readonly realHome: Location | undefined
  readonly readOnlyMounts: ReadonlySet<number>
  foldsCase(mount: number): boolean
  /** What the rules and the wish to hide dotfiles leave visible in a mount. */
  visibilityIn(mount: number): Visibility
}

/** A read-only mount takes these away. */
const changing = rightSet('create', 'change', 'delete')
/** The top of a named tree is listed, and nothing else. */
const rightsAtTop = rightSet('see')
/** A part is neither renamed nor moved nor removed at the top. */
const rightsOverPart = ~rightSet('change', 'delete')

const noName: NameTest = () => false
const nothing: FolderGrants = { rights: noRights, varies: false, rightsOf: () => noRights, leadsOn: () => false }

/**
 * Rules, hidden dotfiles and grants in the paths of a tree. A location that two names lead to is judged alike by both: the
 * rules are asked about its path from the home if it is in there, else about its path in the mount.
 */
export class Sight implements Visibility, PathRights {
  readonly #facts: SightFacts

  constructor(facts: SightFacts) {
    this.#facts = facts
  }

  sees(path: VirtualPath): boolean {
    if (this.#isTop(path)) return true
    const location = this.#facts.tree.locate(path)
    if (location === undefined || !this.#rulesAt(location).sees(this.#rulePath(location))) return false
    const { granted } = this.#facts
    const place = this.#place(location)
    return hasRight(granted.rightsAt(place), 'see') || granted.leadsOn(place)
  }

  allows(path: VirtualPath, right?: Right): boolean {
    const location = this.#facts.tree.locate(path)
    if (location === undefined || !this.#rulesAt(location).sees(this.#rulePath(location))) return false
    return right === undefined || hasRight(this.rightsAt(path), right)
  }

  inFolder(folder: VirtualPath): NameTest {
    const { tree, granted } = this.#facts
    if (this.#isTop(folder)) return (name) => this.sees(inFolder(rootPath, name))
    const location = tree.locate(folder)
    if (location === undefined) return noName
    const isPermitted = this.#rulesIn(location)
    const grants = granted.inFolder(this.#place(location))
    if (!grants.varies) return hasRight(grants.rights, 'see') ? isPermitted : noName
    return (name) => (hasRight(grants.rightsOf(name), 'see') || grants.leadsOn(name)) && isPermitted(name)
  }

  mayDenyBelow(folder: VirtualPath): boolean {
    const location = this.#facts.tree.locate(folder)
    if (location === undefined) return true
    const rules = this.#rulesAt(location)
    return rules.mayDenyBelow(this.#rulePath(location)) || (this.#holdsHome(location) && rules.mayDenyBelow(rootPath))
  }

  maySeeBelow(folder: VirtualPath): boolean {
    const location = this.#facts.tree.locate(folder)
    if (location === undefined) return this.#isTop(folder)
    if (!this.#rulesAt(location).maySeeBelow(this.#rulePath(location)) && !this.#holdsHome(location)) return false
    const place = this.#place(location)
    return hasRight(this.#facts.granted.rightsAt(place), 'see') || this.#facts.granted.leadsOn(place)
  }

  permits(path: VirtualPath): boolean {
    const location = this.#facts.tree.locate(path)
    return location === undefined ? this.#isTop(path) : this.#rulesAt(location).permits(this.#rulePath(location))
  }

  denies(path: VirtualPath): boolean {
    const location = this.#facts.tree.locate(path)
    return location !== undefined && this.#rulesAt(location).denies(this.#rulePath(location))
  }

  rightsAt(path: VirtualPath): RightSet {
    if (this.#isTop(path)) return rightsAtTop
    const location = this.#facts.tree.locate(path)
    if (location === undefined) return noRights
    return this.#facts.granted.rightsAt(this.#place(location)) & this.#leftIn(location)
  }

  rightsThroughout(path: VirtualPath): RightSet {
    const location = this.#facts.tree.locate(path)
    if (location === undefined) return noRights
    return this.#facts.granted.rightsThroughout(this.#place(location)) & this.#leftIn(location)
  }

  rightsIn(folder: VirtualPath): FolderGrants {
    if (this.#isTop(folder)) return this.#rightsAtTop()
    const location = this.#facts.tree.locate(folder)
    if (location === undefined) return nothing
    const grants = this.#facts.granted.inFolder(this.#place(location))
    const left = this.#leftIn(location)
    if (left === everything) return grants
    return {
      ...grants,
      rights: grants.rights & left,
      rightsOf: (name) => grants.rightsOf(name) & left,
    }
  }

  #rightsAtTop(): FolderGrants {
    return {
      rights: rightsAtTop,
      varies: true,
      rightsOf: (name) => this.rightsAt(inFolder(rootPath, name)) & rightsOverPart,
      leadsOn: (name) => this.#facts.tree.locate(inFolder(rootPath, name)) !== undefined,
    }
  }

  #isTop(path: VirtualPath): boolean {
    return path === rootPath && this.#facts.tree.isNamed
  }

  #leftIn(location: Location): RightSet {
    return this.#facts.readOnlyMounts.has(mountOf(location)) ? ~changing : everything
  }

  #rulesAt(location: Location): Visibility {
    return this.#facts.visibilityIn(mountOf(location))
  }

  /** The names in a folder that the rules show. The home begins anew, so its name is not judged by the folder above. */
  #rulesIn(folder: Location): NameTest {
    const rules = this.#rulesAt(folder)
    if (!this.#holdsHome(folder)) return rules.inFolder(this.#rulePath(folder))
    if (rules.inFolder(rootPath) === everyName) return everyName
    return (name) => rules.sees(this.#rulePath(below(folder, inFolder(rootPath, name))))
  }

  #rulePath(location: Location): VirtualPath {
    const { home, realHome } = this.#facts
    const path = this.#from(home, location) ?? this.#from(realHome, location)
    return path ?? pathIn(location)
  }

  /** Where the rights of a location are found. */
  #place(location: Location): Location {
    const { home, realHome } = this.#facts
    if (realHome === undefined) return location
    const path = this.#from(home, location)
    return path === undefined ? location : below(realHome, path)
  }

  /** Is the home somewhere in this folder, below it? */
  #holdsHome(folder: Location): boolean {
    const { home, realHome } = this.#facts
    const isBelow = (other: Location | undefined) =>
      other !== undefined &&
      isWithin(this.#spelled(other), this.#spelled(folder)) &&
      this.#from(other, folder) === undefined
    return isBelow(home) || isBelow(realHome)
  }

  /** The path from a folder to what is within it, also where the mount takes other spellings of its name. */
  #from(folder: Location | undefined, location: Location): VirtualPath | undefined {
    if (folder === undefined) return undefined
    if (isWithin(location, folder)) return relativeTo(folder, location)
    if (!this.#facts.foldsCase(mountOf(location)) || !isWithin(this.#spelled(location), this.#spelled(folder)))
      return undefined
    return parsePath(
      segmentsOf(pathIn(location))
        .slice(segmentsOf(pathIn(folder)).length)
        .join('/'),
    )
  }

  #spelled(location: Location): Location {
    const mount = mountOf(location)
    return this.#facts.foldsCase(mount) ? locationIn(mount, parsePath(folded(pathIn(location)))) : location
  }
}

/** Every bit: what is combined with it stays. */
const everything: RightSet = ~0
