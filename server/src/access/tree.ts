import { posix } from 'node:path'
import { noRights } from '@filestead/contract'
import { below, firstMount, isWithin, type Location, locationIn, mountOf, relativeTo } from '../mounts/location.ts'
import { homeName } from '../mounts/names.ts'
import type { MountFacts } from '../mounts/store.ts'
import { inFolder, parsePath, rebase, restOf, rootPath, type VirtualPath } from '../storage/path.ts'
import type { ActorGrant } from './granted.ts'

/** A folder that an actor finds at the top of its tree, or the whole tree. */
export interface Part {
  /** The first segment of paths in it, where the tree is named. */
  readonly name: string
  readonly base: Location
  /** The folder of an account's scope. */
  readonly isHome: boolean
}

/** A path below a part. */
export interface InPart {
  readonly part: Part
  readonly path: VirtualPath
}

/**
 * What an actor sees at '/'. An unnamed tree is one part; in a named one the first segment of a path is the name of its
 * part, and '/' holds nothing else.
 */
export class Tree {
  readonly isNamed: boolean
  readonly parts: readonly Part[]
  readonly #byName: ReadonlyMap<string, Part>

  constructor(parts: readonly Part[], isNamed: boolean) {
    this.parts = parts
    this.isNamed = isNamed
    this.#byName = new Map(parts.map((part) => [part.name, part]))
  }

  /** Undefined at the top of a named tree, and for a name that is no part. */
  find(path: VirtualPath): InPart | undefined {
    if (!this.isNamed) {
      const [part] = this.parts
      return part && { part, path }
    }
    const end = path.indexOf('/', 1)
    const part = this.#byName.get(end === -1 ? path.slice(1) : path.slice(1, end))
    return part && { part, path: end === -1 ? rootPath : restOf(path, end) }
  }

  /** Where a path lies; undefined as for `find`. */
  locate(path: VirtualPath): Location | undefined {
    const found = this.find(path)
    return found && below(found.part.base, found.path)
  }

  /** The path that leads to a location: by the home where it is in it. Undefined outside of the tree. */
  pathTo(location: Location): VirtualPath | undefined {
    const part = this.parts.find(({ base }) => isWithin(location, base))
    return part && this.pathIn(part, relativeTo(part.base, location))
  }

  /** The path of this tree for one that begins in a part. */
  pathIn({ name }: Part, path: VirtualPath): VirtualPath {
    return this.isNamed ? rebase(inFolder(rootPath, name), path) : path
  }
}

/** The folder of a scope, which may be written as '.', 'home' or '/home/'. */
export const homeOf = (scope: string): Location => locationIn(firstMount, parsePath(posix.join('/', scope)))

/** A tree that is one folder. */
export const treeAt = (base: Location, { isHome = false } = {}): Tree => new Tree([{ name: '', base, isHome }], false)

/**
 * The home of an account, and each mount in which grants lead on outside of it. Without names where that is one part of
 * the only mount: the addresses of an installation that never had a second one stay.
 */
export function treeOf(home: Location | undefined, mounts: readonly MountFacts[], grants: readonly ActorGrant[]): Tree {
  const leading = new Set<number>()
  for (const { location, rights } of grants)
    if (rights !== noRights && (home === undefined || !isWithin(location, home))) leading.add(mountOf(location))
  const parts = mounts.flatMap(({ id, name }): Part[] => {
    const base = locationIn(id, rootPath)
    return base === home || leading.has(id) ? [{ name, base, isHome: base === home }] : []
  })
  parts.sort((one, two) => (one.name < two.name ? -1 : 1))
  if (home !== undefined && !parts.some(({ isHome }) => isHome))
    parts.unshift({ name: homeName, base: home, isHome: true })
  return new Tree(parts, mounts.length > 1 || parts.length !== 1)
}
