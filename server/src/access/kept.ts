import type { RightSet } from '@filestead/contract'
import { isWithin, type Location, movedAlong } from '../mounts/location.ts'
import { marked } from '../storage/exact-names.ts'
import type { VirtualPath } from '../storage/path.ts'
import { type ActorGrant, bothOf, type FolderGrants } from './granted.ts'
import type { NameTest, Visibility } from './rules.ts'
import type { PathRights, View } from './sight.ts'

/** A thing that lost its place and is kept, as far as it matters to rights. */
export interface KeptPlace {
  /** Where it lies, in a store. */
  readonly place: Location
  /** Where it was; below the place of `within`, if its folder is kept by now. */
  readonly location: Location
  /** The kept folder that it was removed from before that one was. */
  readonly within?: KeptPlace | undefined
}

/** A kept thing as an actor sees it, or not. */
export interface KeptView {
  /** Where it was, also where its folder was removed since. */
  readonly location: Location
  /** The path that led there, and all of them: the home may be reached by the name of its mount as well. */
  readonly path: VirtualPath
  readonly paths: readonly VirtualPath[]
  /** What the actor sees and may do at that path and below it, by the rights of that place. */
  readonly view: View
}

/** Where it was when nothing around it had been removed yet. */
export function originOf({ location, within }: KeptPlace): Location {
  return within === undefined ? location : movedAlong(location, within.place, originOf(within))
}

export interface GrantsAround {
  readonly present: readonly ActorGrant[]
  /** Those of folders that are kept: they lie where these lie. */
  readonly inStores: readonly ActorGrant[]
  /** Where it was, and where grants for that place are. */
  originOf(kept: KeptPlace): Location
  /** As `isWithin`, also where the mount takes other spellings of a name. */
  isWithin(location: Location, folder: Location): boolean
}

/**
 * The grants by which a kept thing is judged, at the place that it had: those on the way there, and its own, which went along
 * with it. Where other grants stand at that place now, these count as well: a set of grants for each, and what all of them
 * allow is allowed. The thing is judged where it was and below, and nowhere else.
 */
export function grantsOfKept(kept: KeptPlace, around: GrantsAround): (readonly ActorGrant[])[] {
  const chain: KeptPlace[] = []
  for (let each: KeptPlace | undefined = kept; each !== undefined; each = each.within) chain.unshift(each)
  let grants = around.present
  const sets: (readonly ActorGrant[])[] = []
  for (const each of chain) {
    const at = around.originOf(each)
    const left = grants.filter(({ location }) => !around.isWithin(location, at))
    const own = around.inStores
      .filter(({ location }) => isWithin(shownIn(location), shownIn(each.place)))
      .map(({ location, rights }) => ({ location: movedAlong(shownIn(location), shownIn(each.place), at), rights }))
    if (left.length < grants.length) sets.push(grants)
    grants = [...left, ...own]
  }
  const origin = around.originOf(kept)
  const matters = ({ location }: ActorGrant) => around.isWithin(origin, location) || around.isWithin(location, origin)
  return [...sets, grants].map((set) => set.filter(matters))
}

/** Names that are not UTF-8 have marks in rows of grants, and none in those of what is kept. */
export const shownIn = (location: Location): Location => marked(location) as Location

/** What all of these views show and allow, of one tree. */
export function viewOfAll(views: readonly View[]): View {
  const [first] = views
  if (first === undefined) throw new Error('There is no view')
  if (views.length === 1) return first
  return {
    tree: first.tree,
    visibility: new SeenByAll(views.map(({ visibility }) => visibility)),
    rights: new AllowedByAll(views.flatMap(({ rights }) => rights ?? [])),
  }
}

class SeenByAll implements Visibility {
  readonly #all: readonly Visibility[]

  constructor(all: readonly Visibility[]) {
    this.#all = all
  }

  sees(path: VirtualPath): boolean {
    return this.#all.every((each) => each.sees(path))
  }

  inFolder(folder: VirtualPath): NameTest {
    const tests = this.#all.map((each) => each.inFolder(folder))
    return (name) => tests.every((isVisible) => isVisible(name))
  }

  mayDenyBelow(folder: VirtualPath): boolean {
    return this.#all.some((each) => each.mayDenyBelow(folder))
  }

  maySeeBelow(folder: VirtualPath): boolean {
    return this.#all.every((each) => each.maySeeBelow(folder))
  }

  permits(path: VirtualPath): boolean {
    return this.#all.every((each) => each.permits(path))
  }

  denies(path: VirtualPath): boolean {
    return this.#all.some((each) => each.denies(path))
  }
}

class AllowedByAll implements PathRights {
  readonly #all: readonly PathRights[]

  constructor(all: readonly PathRights[]) {
    this.#all = all
  }

  allows(...asked: Parameters<PathRights['allows']>): boolean {
    return this.#all.every((each) => each.allows(...asked))
  }

  rightsAt(path: VirtualPath): RightSet {
    return this.#common((each) => each.rightsAt(path))
  }

  rightsThroughout(path: VirtualPath): RightSet {
    return this.#common((each) => each.rightsThroughout(path))
  }

  rightsIn(folder: VirtualPath): FolderGrants {
    return this.#all.map((each) => each.rightsIn(folder)).reduce(bothOf)
  }

  #common(set: (each: PathRights) => RightSet): RightSet {
    return this.#all.map(set).reduce((one, two) => one & two)
  }
}
