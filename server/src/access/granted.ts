import { noRights, type RightSet, segmentsOf } from '@filestead/contract'
import { type Location, mountOf, pathIn } from '../mounts/location.ts'

/** A grant as far as it matters to one actor: it is for one of the actor's subjects. */
export interface ActorGrant {
  readonly location: Location
  readonly rights: RightSet
}

/** Names that a mount takes for the same are one here, too. Undefined for a name that may stand for any other. */
export type Spelling = (mount: number, name: string) => string | undefined

const asWritten: Spelling = (_mount, name) => name

/** A folder on the way to a grant, or with one. */
interface Place {
  /** Undefined where no grant is for this very folder. */
  rights: RightSet | undefined
  readonly names: Map<string, Place>
  /** A grant at or below this place allows something. */
  leadsOn: boolean
}

const unknownPlace: Place = { rights: noRights, names: new Map(), leadsOn: false }

function entryOf<Key>(places: Map<Key, Place>, key: Key): Place {
  const place = places.get(key) ?? { rights: undefined, names: new Map(), leadsOn: false }
  places.set(key, place)
  return place
}

/**
 * What grants allow one actor, as a pure function of them. The deepest folder with a grant decides for all below it; the
 * grants of that folder add up, and an empty one means nothing from there on down. Answers cost a step for each name of
 * the path, at most as far as grants go.
 */
export class Granted {
  readonly #mounts = new Map<number, Place>()
  readonly #spell: Spelling

  constructor(grants: readonly ActorGrant[], spell: Spelling = asWritten) {
    this.#spell = spell
    for (const { location, rights } of grants) this.#add(location, rights)
  }

  #add(location: Location, rights: RightSet): void {
    const mount = mountOf(location)
    let place = entryOf(this.#mounts, mount)
    place.leadsOn ||= rights !== noRights
    for (const name of segmentsOf(pathIn(location))) {
      place = entryOf(place.names, this.#spell(mount, name) ?? name)
      place.leadsOn ||= rights !== noRights
    }
    place.rights = (place.rights ?? noRights) | rights
  }

  /** The rights at a location, and the place itself if grants go as far as that. */
  #find(location: Location): { rights: RightSet; place: Place | undefined; depth: number } {
    const mount = mountOf(location)
    let place = this.#mounts.get(mount)
    let rights: RightSet = place?.rights ?? noRights
    let [deciding, depth] = [place?.rights === undefined ? -1 : 0, 0]
    if (place === undefined) return { rights, place, depth: deciding }
    for (const name of segmentsOf(pathIn(location))) {
      if (place.names.size === 0) return { rights, place: undefined, depth: deciding }
      const spelled = this.#spell(mount, name)
      // It may lead to any of the places that are known here, so no right is certain.
      if (spelled === undefined) return { rights: noRights, place: undefined, depth: deciding }
      place = place.names.get(spelled)
      if (place === undefined) break
      depth += 1
      if (place.rights !== undefined) {
        rights = place.rights
        deciding = depth
      }
    }
    return { rights, place, depth: deciding }
  }

  rightsAt(location: Location): RightSet {
    return this.#find(location).rights
  }

  /** How many names the path of the deciding folder has; -1 where none decides. */
  decidingDepth(location: Location): number {
    return this.#find(location).depth
  }

  /** The rights that hold at a location and everywhere below it. */
  rightsThroughout(location: Location): RightSet {
    const { rights, place } = this.#find(location)
    return place === undefined ? rights : throughout(place, rights)
  }

  /** Does a grant at this location, or below it, allow anything? Then the names that lead to it are shown. */
  leadsOn(location: Location): boolean {
    return this.#find(location).place?.leadsOn ?? false
  }

  /** Is there a grant below this location? Where there is none, the rights of the folder are those of all entries. */
  variesBelow(location: Location): boolean {
    return (this.#find(location).place?.names.size ?? 0) > 0
  }

  /** The names in a folder for which grants say something else than for the folder, or which lead to such. */
  inFolder(folder: Location): FolderGrants {
    const { rights, place } = this.#find(folder)
    const mount = mountOf(folder)
    const names = place?.names
    if (names === undefined || names.size === 0)
      return { rights, varies: false, rightsOf: () => rights, leadsOn: () => false }
    const placeOf = (name: string): Place | undefined => {
      const spelled = this.#spell(mount, name)
      return spelled === undefined ? unknownPlace : names.get(spelled)
    }
    return {
      rights,
      varies: true,
      rightsOf: (name) => placeOf(name)?.rights ?? rights,
      leadsOn: (name) => placeOf(name)?.leadsOn ?? false,
    }
  }

  /** Is there a grant at this location, or below it? */
  reaches(location: Location): boolean {
    return this.#find(location).place !== undefined
  }

  /** Does any grant lie in this mount? */
  hasGrantsIn(mount: number): boolean {
    return this.#mounts.has(mount)
  }
}

/** Of the entries of one folder. */
export interface FolderGrants {
  readonly rights: RightSet
  /** False: the rights of every entry are those of the folder, and nothing leads on. */
  readonly varies: boolean
  rightsOf(name: string): RightSet
  leadsOn(name: string): boolean
}

/** What two places allow of the entries of a folder. */
export const bothOf = (one: FolderGrants, two: FolderGrants): FolderGrants => ({
  rights: one.rights & two.rights,
  varies: one.varies || two.varies,
  rightsOf: (name) => one.rightsOf(name) & two.rightsOf(name),
  leadsOn: (name) => one.leadsOn(name) && two.leadsOn(name),
})

function throughout(place: Place, rights: RightSet): RightSet {
  let common = place.rights ?? rights
  for (const below of place.names.values()) common &= throughout(below, place.rights ?? rights)
  return common
}
