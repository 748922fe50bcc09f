import { type Location, wayTo } from '../mounts/location.ts'
import type { ActorGrant } from './granted.ts'

/** One that has left its place with its folder. */
export interface FormerGrant extends ActorGrant {
  /** In milliseconds since 1970; of all that left with one folder the same. */
  readonly endedAt: number
}

/** Makes one of all spellings that a mount takes for the same. */
type Spell = (location: Location) => Location

/** Grants that have left their places with one folder, or with several that lie apart. */
class Departure {
  readonly grants: FormerGrant[] = []
  readonly #spell: Spell
  /** Where they stood. */
  readonly #places = new Set<Location>()
  /** The same, and all folders above. */
  readonly #ways = new Set<Location>()

  constructor(spell: Spell) {
    this.#spell = spell
  }

  add(grants: readonly FormerGrant[]): void {
    for (const grant of grants) {
      const way = wayTo(this.#spell(grant.location))
      this.grants.push(grant)
      this.#places.add(way[0] ?? grant.location)
      for (const each of way) this.#ways.add(each)
    }
  }

  /** Did one of them stand at this location, or above it? */
  covers(location: Location): boolean {
    return wayTo(this.#spell(location)).some((each) => this.#places.has(each))
  }

  /** The same, or below it? */
  meets(location: Location): boolean {
    return this.#ways.has(this.#spell(location)) || this.covers(location)
  }
}

/**
 * Grants of one folder belong together, and those of several that stood at one place after another do not: each of them
 * counts by itself, or a folder that is moved there and away again would open what was there before. Folders that lie apart
 * are taken together. A grant costs a few looks, however many there are: none of them is ever forgotten.
 */
export function departuresOf(former: readonly FormerGrant[], spell: Spell): Departure[] {
  const departures: Departure[] = []
  const known = new Set<string>()
  for (const folder of Map.groupBy(former, ({ endedAt }) => endedAt).values()) {
    // A folder that leaves its place again and again counts once.
    const grants = JSON.stringify(folder.map(({ location, rights }) => [location, rights]).toSorted())
    if (known.has(grants)) continue
    known.add(grants)
    let apart = departures.find((other) => !folder.some(({ location }) => other.meets(location)))
    if (apart === undefined) {
      apart = new Departure(spell)
      departures.push(apart)
    }
    apart.add(folder)
  }
  return departures
}
