import { type Grant, type Group, isInside, type Right, type Subject, type User } from '@filestead/contract'
import { depthOf, type Place, plainFolder } from './places.ts'
import { allRights, inOrder } from './presets.ts'

/** What the rights of people are made of, as far as the client knows it. */
export interface People {
  users: readonly Pick<User, 'id' | 'username' | 'scope'>[]
  groups: readonly Group[]
}

type Person = People['users'][number]

/** What a grant says, whether it is stored or not. */
export type GrantTerms = Pick<Grant, 'subject' | 'mount' | 'folder' | 'rights'>

/** Users whose home is one and the same folder, at the place or above it. */
export interface Homes {
  folder: string
  users: Person[]
}

interface Holders {
  /** The grants that decide about the place for those they name. Those for the place itself come first. */
  grants: Grant[]
  homes: Homes[]
}

/**
 * Who has rights at a place, or is kept out of it: the grants for the place, and those of folders above that no deeper
 * folder overrules for all that they name. `grants` may hold others, too.
 */
export function holdersOf(place: Place, grants: readonly Grant[], people: People): Holders {
  const deciding = new Deciding(place, grants, people.groups)
  const homes = new Map<string, Person[]>()
  for (const user of people.users) {
    if (!deciding.isByHome(user)) continue
    const home = plainFolder(user.scope)
    homes.set(home, [...(homes.get(home) ?? []), user])
  }
  const users = new Map(people.users.map((user) => [`user:${user.id}`, user]))
  const counting = leadingTo(place, grants).filter(({ subject, folder }) => {
    const user = users.get(subject)
    return depthOf(folder) === (user === undefined ? deciding.depthOf(subject) : deciding.depthOfUser(user))
  })
  return {
    grants: counting.sort((a, b) => depthOf(b.folder) - depthOf(a.folder) || bySubject(a, b)),
    homes: [...homes]
      .map(([folder, users]) => ({ folder, users }))
      .sort((a, b) => depthOf(b.folder) - depthOf(a.folder)),
  }
}

/** What grants and home allow a user at a place. */
export const rightsOf = (
  user: Person,
  place: Place,
  grants: readonly GrantTerms[],
  groups: readonly Group[],
): Right[] => new Deciding(place, grants, groups).rightsOfUser(user)

/** The accounts and groups that can do less at a place after a change of its grants. */
export function losersOf(
  place: Place,
  { before, after }: { before: readonly GrantTerms[]; after: readonly GrantTerms[] },
  { users, groups }: People,
): Person[] {
  const [old, next] = [new Deciding(place, before, groups), new Deciding(place, after, groups)]
  return users.filter((user) => {
    const left = next.rightsOfUser(user)
    return old.rightsOfUser(user).some((right) => !left.includes(right))
  })
}

/** All subjects that a user is. */
export const subjectsOf = ({ id }: Pick<User, 'id'>, groups: readonly Group[]): Set<Subject> =>
  new Set([
    `user:${id}`,
    'everybody',
    ...groups.filter(({ members }) => members.includes(id)).map((group) => `group:${group.id}`),
  ])

const leadingTo = <Terms extends GrantTerms>({ mount, folder }: Place, grants: readonly Terms[]): Terms[] =>
  grants.filter((grant) => grant.mount === mount && isInside(folder, grant.folder))

/** Homes lie in the first mount. */
const isHomeOver = ({ mount, folder }: Place, home: string): boolean => mount === 1 && isInside(folder, home)

/** Which folder decides about a place: the deepest one with a grant. Depths are -1 where there is none. */
class Deciding {
  readonly #place: Place
  readonly #grants = new Map<Subject, { depth: number; rights: readonly Right[] }>()
  /** Of each user, the groups that have grants leading to the place. */
  readonly #groups = new Map<number, Subject[]>()

  constructor(place: Place, grants: readonly GrantTerms[], groups: readonly Group[]) {
    this.#place = place
    for (const { subject, folder, rights } of leadingTo(place, grants)) {
      const depth = depthOf(folder)
      if (depth > this.#ownDepth(subject)) this.#grants.set(subject, { depth, rights })
    }
    for (const { id, members } of groups) {
      const subject = `group:${id}`
      if (!this.#grants.has(subject)) continue
      for (const member of members) this.#groups.set(member, [...(this.#groups.get(member) ?? []), subject])
    }
  }

  #ownDepth(subject: Subject): number {
    return this.#grants.get(subject)?.depth ?? -1
  }

  #subjectsOf({ id }: Person): Subject[] {
    return [`user:${id}`, 'everybody', ...(this.#groups.get(id) ?? [])]
  }

  #homeDepth({ scope }: Person): number {
    const home = plainFolder(scope)
    return isHomeOver(this.#place, home) ? depthOf(home) : -1
  }

  /** Members of a group are overruled together by everybody alone. */
  depthOf(subject: Subject): number {
    const own = this.#ownDepth(subject)
    return subject === 'guest' ? own : Math.max(own, this.#ownDepth('everybody'))
  }

  depthOfUser(user: Person): number {
    return this.#subjectsOf(user).reduce(
      (deepest, subject) => Math.max(deepest, this.#ownDepth(subject)),
      this.#homeDepth(user),
    )
  }

  /** Does the home decide? */
  isByHome(user: Person): boolean {
    const depth = this.#homeDepth(user)
    return depth !== -1 && depth === this.depthOfUser(user)
  }

  rightsOfUser(user: Person): Right[] {
    if (this.isByHome(user)) return [...allRights]
    const depth = this.depthOfUser(user)
    const deciding = this.#subjectsOf(user).flatMap((subject) => this.#grants.get(subject) ?? [])
    return inOrder(deciding.filter((grant) => grant.depth === depth).flatMap(({ rights }) => rights))
  }
}

const kinds = ['everybody', 'guest', 'group', 'user']
const kindOf = (subject: Subject): number => kinds.indexOf(subject.split(':')[0] ?? '')

/** Everybody, guests, groups, people; each by name. */
export const bySubject = (a: Pick<Grant, 'subject' | 'name'>, b: Pick<Grant, 'subject' | 'name'>): number =>
  kindOf(a.subject) - kindOf(b.subject) || a.name.localeCompare(b.name)
