import { allRights, type Subject, type User } from '@filestead/contract'
import { isFailure } from '../failure.ts'
import {
  below,
  firstMount,
  isInStore,
  isWithin,
  type Location,
  locationIn,
  mountOf,
  pathIn,
  relativeTo,
} from '../mounts/location.ts'
import type { MountFacts } from '../mounts/store.ts'
import { rootPath, type VirtualPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import type { Actor } from './actor.ts'
import { departuresOf, type FormerGrant } from './departures.ts'
import { type ActorGrant, Granted } from './granted.ts'
import { grantsOfKept, type KeptPlace, type KeptView, originOf, shownIn, viewOfAll } from './kept.ts'
import { folded, isShortened, type Visibility, visibilityOf } from './rules.ts'
import { type Scope, scopeOf } from './scope.ts'
import { Sight, type View } from './sight.ts'
import { homeOf, type Tree, treeOf } from './tree.ts'
import { TreeStorage } from './tree-storage.ts'
import type { TreeMounts } from './tree-top.ts'

/** What a request knows about one actor: its tree and what grants allow in it. */
export interface Access {
  readonly tree: Tree
  readonly granted: Granted
  readonly storage: Storage
  /** What an actor with this access sees, with its rules and its wish to hide dotfiles. */
  viewOf(actor: Actor): View
  /** The same for a kept thing, at the path that it had. Undefined where no path of the tree led there. */
  viewOfKept(actor: Actor, kept: KeptPlace): KeptView | undefined
  /** The same for what was there at a time, in milliseconds since 1970: also by grants that have left their places since. */
  viewBefore(actor: Actor, since: number): Promise<View>
}

export interface AccessReader {
  /** `version` is of mounts, groups, members and grants, where the request has read it already. */
  ofUser(user: User, version?: number): Promise<Access>
  /** Of a visitor without a session. */
  ofGuest(version?: number): Promise<Access>
  /** Does a grant let visitors in who have not signed in? */
  hasGuests(version?: number): Promise<boolean>
}

export interface AccessDeps {
  /** Counts up with every change of mounts, groups, members and grants. */
  version(): Promise<number>
  readonly mounts: TreeMounts & { all(): Promise<readonly MountFacts[]> }
  groupIdsOf(userId: number): Promise<readonly number[]>
  grantsFor(subjects: readonly Subject[]): Promise<readonly ActorGrant[]>
  /** Those that have left their places since a time. */
  formerGrantsFor(subjects: readonly Subject[], since: number): Promise<readonly FormerGrant[]>
}

/** By access, which is made anew when anything changes that it was made of. */
const lastScopes = new WeakMap<Access, { readonly actor: Actor; readonly storage: Storage; readonly scope: Scope }>()

/** A scope knows nothing of the request it is for, and making its verbs is a tenth of a small listing: it is used again. */
export function scopeIn(access: Access, actor: Actor): Scope {
  const { storage } = access
  const last = lastScopes.get(access)
  if (last?.actor === actor && last.storage === storage) return last.scope
  const scope = scopeOf(actor, storage, access.viewOf(actor), {
    viewOfKept: (kept) => access.viewOfKept(actor, kept),
    viewBefore: (since) => access.viewBefore(actor, since),
  })
  lastScopes.set(access, { actor, storage, scope })
  return scope
}

/** LRU cache: an entry ends when so many others were asked for since, or when what it was made of has changed. */
const mostKept = 1000
/** Of all entries together: each holds its own copy of the grants for everybody and for groups. */
const mostGrantsKept = 200_000

interface Kept {
  readonly version: number
  readonly scope: string | undefined
  readonly access: ActorAccess
}

export function accessReader(deps: AccessDeps): AccessReader {
  const kept = new Map<number, Kept>()
  let grantsKept = 0

  function drop(id: number): void {
    grantsKept -= kept.get(id)?.access.grantCount ?? 0
    kept.delete(id)
  }

  /** Dropped and kept again, so that the first key is always the one that was not asked for longest. */
  function keep(id: number, entry: Kept): void {
    drop(id)
    for (const oldest of kept.keys()) {
      if (kept.size < mostKept && grantsKept + entry.access.grantCount <= mostGrantsKept) break
      drop(oldest)
    }
    kept.set(id, entry)
    grantsKept += entry.access.grantCount
  }

  async function read(id: number, scope: string | undefined, known: number | undefined): Promise<Access> {
    const version = known ?? (await deps.version())
    let found = kept.get(id)
    if (found?.version !== version || found.scope !== scope || !found.access.isCurrent())
      found = { version, scope, access: await make(id, scope) }
    keep(id, found)
    return found.access.mayBeElsewhere ? found.access.withRealHome() : found.access
  }

  async function make(id: number, scope: string | undefined): Promise<ActorAccess> {
    const mounts = await deps.mounts.all()
    const subjects: Subject[] =
      scope === undefined
        ? ['guest']
        : ['everybody', `user:${id}`, ...(await deps.groupIdsOf(id)).map((group) => `group:${group}`)]
    const grants = await deps.grantsFor(subjects)
    const home = scope === undefined ? undefined : homeOf(scope)
    const former = (since: number) => deps.formerGrantsFor(subjects, since)
    return new ActorAccess({ home, mounts, grants, former }, deps.mounts)
  }

  const ofGuest = (version?: number) => read(guestId, undefined, version)
  return {
    ofUser: ({ id, scope }, version) => read(id, scope, version),
    ofGuest,
    hasGuests: async (version) => (await ofGuest(version)).tree.parts.length > 0,
  }
}

/** No account has it. */
const guestId = 0

export interface AccessFacts {
  readonly home: Location | undefined
  readonly mounts: readonly MountFacts[]
  readonly grants: readonly ActorGrant[]
  /** Those that have left their places since a time. */
  former?(since: number): Promise<readonly FormerGrant[]>
  /** Where a symlink in place of the home leads to. */
  readonly realHome?: Location
}

/** The access of an actor with these grants, and with this home if it has one. */
export const accessOf = (facts: AccessFacts, mounts: TreeMounts): Access => new ActorAccess(facts, mounts)

class ActorAccess implements Access {
  readonly tree: Tree
  readonly granted: Granted
  /** Those of folders that are kept go with them into their stores, and count for nothing else. */
  readonly #inStores: readonly ActorGrant[]
  /** The same, to be found by the place of a kept thing. */
  readonly #stores: Granted
  readonly #present: readonly ActorGrant[]
  /** Grants lie in the mount of the home: which of them are in it depends on where the home really is. */
  readonly #needsRealHome: boolean
  /** It was found to be no symlink. Should it become one, the storage refuses it, and it is looked for again. */
  #isHomePlain = false
  readonly #facts: AccessFacts
  readonly #mounts: TreeMounts
  readonly #folding: ReadonlyMap<number, boolean>
  readonly #foldsAny: boolean
  readonly #readOnly: ReadonlySet<number>
  /** All rights, in a tree that is the home. */
  readonly #isWhole: boolean
  readonly #treeStorage: TreeStorage
  #last: { view: View; plain: Visibility; folding: Visibility } | undefined
  #relocated: { realHome: Location; access: ActorAccess } | undefined

  constructor(facts: AccessFacts, mounts: TreeMounts) {
    const { home, realHome, grants } = facts
    this.#facts = facts
    this.#mounts = mounts
    this.#inStores = grants.filter(({ location }) => isInStore(location))
    this.#present = this.#inStores.length === 0 ? grants : grants.filter(({ location }) => !isInStore(location))
    this.#stores = new Granted(this.#inStores.map((grant) => ({ ...grant, location: shownIn(grant.location) })))
    this.#readOnly = new Set(facts.mounts.filter(({ readOnly }) => readOnly).map(({ id }) => id))
    this.tree = treeOf(home, facts.mounts, this.#present)
    const reached = new Set(this.tree.parts.map(({ base }) => mountOf(base)))
    this.#folding = new Map([...reached].map((mount) => [mount, foldsCase(mounts, mount)]))
    this.#foldsAny = [...this.#folding.values()].includes(true)
    this.granted = this.#grantedBy(this.#present)
    this.#needsRealHome =
      home !== undefined &&
      pathIn(home) !== rootPath &&
      grants.some(({ location }) => mountOf(location) === mountOf(home))
    const strictHome = this.#needsRealHome && home !== undefined && { at: realHome ?? home, moved: () => this.#lose() }
    this.#treeStorage = new TreeStorage(this.tree, mounts, strictHome || undefined)
    this.#isWhole =
      !this.tree.isNamed && home !== undefined && this.#present.length === 0 && !this.#readOnly.has(mountOf(home))
  }

  /** With the home, in which all rights hold. */
  #grantedBy(grants: readonly ActorGrant[]): Granted {
    const { home, realHome } = this.#facts
    const homes = [home, realHome].filter((each) => each !== undefined)
    return new Granted([...grants, ...homes.map((location) => ({ location, rights: allRights }))], (mount, name) =>
      this.#foldsCase(mount) ? (isShortened(`/${name}`) ? undefined : folded(name)) : name,
    )
  }

  get grantCount(): number {
    return this.#facts.grants.length
  }

  #lose(): void {
    this.#isHomePlain = false
  }

  /** Is the folder of the home perhaps a symlink, so that it has to be looked for? */
  get mayBeElsewhere(): boolean {
    return this.#needsRealHome && !this.#isHomePlain
  }

  /** Asked for with each request: a mount that was away has another one when it is back. */
  get storage(): Storage {
    const [part] = this.tree.parts
    if (this.tree.isNamed || part === undefined || this.#needsRealHome) return this.#treeStorage
    try {
      return this.#mounts.storageAt(part.base)
    } catch {
      // It refuses the verbs, and not the whole request.
      return this.#treeStorage
    }
  }

  viewOf({ rules, user }: Actor): View {
    const rulesWhere = (foldsCase: boolean) => visibilityOf(rules, user.hideDotfiles, { foldsCase })
    const { tree, granted } = this
    if (this.#isWhole) return { tree, visibility: rulesWhere(this.#foldsCase(firstMount)), rights: undefined }
    const plain = rulesWhere(false)
    const folding = this.#foldsAny ? rulesWhere(true) : plain
    if (this.#last?.plain === plain && this.#last.folding === folding) return this.#last.view
    this.#last = { view: this.#viewBy(granted, plain, folding), plain, folding }
    return this.#last.view
  }

  #viewBy(granted: Granted, plain: Visibility, folding: Visibility): View {
    const { home, realHome } = this.#facts
    const { tree } = this
    const sight = new Sight({
      tree,
      granted,
      home,
      realHome,
      readOnlyMounts: this.#readOnly,
      foldsCase: (mount) => this.#foldsCase(mount),
      visibilityIn: (mount) => (this.#foldsCase(mount) ? folding : plain),
    })
    return { tree, visibility: sight, rights: sight }
  }

  viewOfKept(actor: Actor, kept: KeptPlace): KeptView | undefined {
    const location = originOf(kept)
    const paths = isInStore(location) ? [] : this.#pathsTo(location)
    const [path] = paths
    if (path === undefined) return undefined
    if (!this.#hasGrantsOf(kept)) return { location, path, paths, view: this.viewOf(actor) }
    const sets = grantsOfKept(kept, {
      present: this.#present,
      inStores: this.#inStores,
      originOf: (each) => this.#placeOf(each),
      isWithin: (one, folder) => isWithin(one, folder) || isWithin(this.#spelled(one), this.#spelled(folder)),
    })
    return { location, path, paths, view: this.#viewByAll(actor, sets) }
  }

  async viewBefore(actor: Actor, since: number): Promise<View> {
    const former = (await this.#facts.former?.(since)) ?? []
    if (former.length === 0) return this.viewOf(actor)
    const before = departuresOf(former, (location) => this.#spelled(location)).map((departure) => [
      // What stands now where they stood, or below, has come since.
      ...this.#present.filter(({ location }) => !departure.covers(location)),
      ...departure.grants,
    ])
    return this.#viewByAll(actor, [this.#present, ...before])
  }

  /** What each of these sets of grants shows and allows. */
  #viewByAll({ rules, user }: Actor, sets: readonly (readonly ActorGrant[])[]): View {
    const [plain, folding] = [false, true].map((foldsCase) =>
      visibilityOf(rules, user.hideDotfiles, { foldsCase }),
    ) as [Visibility, Visibility]
    return viewOfAll(sets.map((grants) => this.#viewBy(this.#grantedBy(grants), plain, folding)))
  }

  /** Grants went along with it or with a folder around it, or there are some where one of them was. */
  #hasGrantsOf(kept: KeptPlace): boolean {
    return (
      this.granted.reaches(this.#placeOf(kept)) ||
      this.#stores.reaches(shownIn(kept.place)) ||
      (kept.within !== undefined && this.#hasGrantsOf(kept.within))
    )
  }

  /** All that lead there, the best first; also by the home where it really is. */
  #pathsTo(location: Location): VirtualPath[] {
    const { home, realHome } = this.#facts
    return this.tree.parts.flatMap((part) => {
      const bases = part.base === home && realHome !== undefined ? [part.base, realHome] : [part.base]
      const base = bases.find((each) => isWithin(location, each))
      return base === undefined ? [] : this.tree.pathIn(part, relativeTo(base, location))
    })
  }

  /** Where the grants for the place that it had are: a symlink in place of the home is followed. */
  #placeOf(kept: KeptPlace): Location {
    const { home, realHome } = this.#facts
    const origin = originOf(kept)
    const isInHome = home !== undefined && realHome !== undefined && isWithin(origin, home)
    return shownIn(isInHome ? below(realHome, relativeTo(home, origin)) : origin)
  }

  #spelled(location: Location): Location {
    const mount = mountOf(location)
    return this.#foldsCase(mount) ? (folded(location) as Location) : location
  }

  /** Which names a mount takes for the same can change with what is mounted there. */
  isCurrent(): boolean {
    for (const [mount, folds] of this.#folding) if (foldsCase(this.#mounts, mount) !== folds) return false
    return true
  }

  /** The same for the place where the home really lies, which a symlink may change at any moment. */
  async withRealHome(): Promise<Access> {
    const { home } = this.#facts
    if (home === undefined) return this
    const realHome = await realHomeOf(this.#mounts, home)
    this.#isHomePlain = realHome === home
    if (realHome === home) return this
    if (this.#relocated?.realHome !== realHome)
      this.#relocated = { realHome, access: new ActorAccess({ ...this.#facts, realHome }, this.#mounts) }
    return this.#relocated.access
  }

  #foldsCase(mount: number): boolean {
    return this.#folding.get(mount) ?? false
  }
}

/** One that is away folds nothing, until it is there. */
function foldsCase(mounts: TreeMounts, mount: number): boolean {
  try {
    return mounts.storageAt(locationIn(mount, rootPath)).capabilities.foldsCase
  } catch {
    return false
  }
}

/** A home that leads out of the mount, or whose disk is away, cannot be used: whatever is asked for there fails. */
async function realHomeOf(mounts: TreeMounts, home: Location): Promise<Location> {
  const mount = mountOf(home)
  try {
    return locationIn(mount, await mounts.storageAt(locationIn(mount, rootPath)).resolve(pathIn(home)))
  } catch (error) {
    if (isFailure(error, 'forbidden', 'not-found', 'unavailable')) return home
    throw error
  }
}
