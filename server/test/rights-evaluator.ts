import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isInside, type Permission, parentOf, type Right, rightNames, segmentsOf } from '@filestead/contract'

/**
 * Rights per folder once more, slowly and straight from their description: no index, no cache, nothing of the server's own
 * code. It looks at the disk with every question, so that it also knows what became of a change.
 */
export interface ModelMount {
  readonly id: number
  readonly name: string
  /** On the disk. */
  readonly folder: string
  readonly readOnly: boolean
}

export interface ModelGrant {
  readonly subject: string
  readonly mount: number
  readonly folder: string
  readonly rights: readonly Right[]
}

export interface ModelActor {
  readonly name: string
  readonly subjects: readonly string[]
  /** In the first mount. A guest has none. */
  readonly home: string | undefined
  readonly lacks: readonly Permission[]
  readonly rules: readonly { readonly path: string; readonly allow: boolean }[]
}

export interface Place {
  readonly mount: number
  readonly path: string
}

interface Part {
  readonly name: string
  readonly base: Place
}

type Kind = 'file' | 'folder' | 'missing' | 'out'

/** What a path of the actor's tree leads to. */
export interface Target {
  /** Where the text of the path leads, and where the symlinks on the way lead. */
  readonly literal: Place
  readonly real: Place
  readonly kind: Kind
  /** How many symlinks were followed. */
  readonly links: number
}

const child = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`)
const flagOf = { download: 'download', create: 'create', change: 'modify', delete: 'delete', share: 'share' } as const

/** What storing adds to the rights of a grant. */
export function completed(rights: readonly Right[]): Right[] {
  const all = new Set(rights)
  if (all.has('share')) all.add('download')
  if (['download', 'change', 'delete', 'share'].some((right) => all.has(right as Right))) all.add('see')
  return rightNames.filter((right) => all.has(right))
}

export class Evaluator {
  readonly actor: ModelActor
  readonly mounts: readonly ModelMount[]
  readonly grants: readonly ModelGrant[]

  constructor(actor: ModelActor, mounts: readonly ModelMount[], stored: readonly ModelGrant[]) {
    const home = { subject: '', mount: 1, folder: actor.home ?? '/', rights: rightNames }
    const own = stored.filter(({ subject }) => actor.subjects.includes(subject))
    this.grants = [
      ...own.map((grant) => ({ ...grant, rights: completed(grant.rights) })),
      ...(actor.home === undefined ? [] : [home]),
    ]
    this.actor = actor
    this.mounts = mounts
  }

  has(permission: Permission): boolean {
    return !this.actor.lacks.includes(permission)
  }

  flagFor(right: Right): boolean {
    return right === 'see' || this.has(flagOf[right])
  }

  rightsAt({ mount, path }: Place): Right[] {
    const onTheWay = this.grants.filter((grant) => grant.mount === mount && isInside(path, grant.folder))
    const deepest = Math.max(...onTheWay.map(({ folder }) => segmentsOf(folder).length))
    const rights = onTheWay
      .filter(({ folder }) => segmentsOf(folder).length === deepest)
      .flatMap((grant) => grant.rights)
    const taken: Right[] = this.mountOf(mount).readOnly ? ['create', 'change', 'delete'] : []
    return rightNames.filter((right) => rights.includes(right) && !taken.includes(right))
  }

  grantsAllow(right: Right, place: Place): boolean {
    return this.rightsAt(place).includes(right)
  }

  /** A grant with a right lies at or below the place. */
  leadsOn({ mount, path }: Place): boolean {
    return this.grants.some((grant) => grant.mount === mount && isInside(grant.folder, path) && grant.rights.length > 0)
  }

  /** Grants say something else about it, or about what is below it, than about the folder that it is in. */
  hasRightsOfItsOwn(place: Place): boolean {
    const above = this.rightsAt({ ...place, path: parentOf(place.path) })
    return this.leadsOn(place) || String(this.rightsAt(place)) !== String(above)
  }

  /** The last rule that matches decides. */
  rulesAllow({ mount, path }: Place): boolean {
    const { home, rules } = this.actor
    const isHome = mount === 1 && home !== undefined && isInside(path, home)
    const matched = isHome && home !== '/' ? path.slice(home.length) || '/' : path
    return rules.findLast((rule) => isInside(matched, rule.path))?.allow ?? true
  }

  isVisible(place: Place): boolean {
    return this.rulesAllow(place) && (this.grantsAllow('see', place) || this.leadsOn(place))
  }

  /** The rights that count: nothing where a rule hides the place. */
  may(right: Right, place: Place): boolean {
    return this.rulesAllow(place) && this.grantsAllow(right, place)
  }

  get parts(): Part[] {
    const { home } = this.actor
    const isInHome = (place: Place) => home !== undefined && place.mount === 1 && isInside(place.path, home)
    const mounts = this.mounts
      .filter(({ id }) =>
        this.grants.some(
          ({ mount, folder, rights }) => mount === id && rights.length > 0 && !isInHome({ mount, path: folder }),
        ),
      )
      .map(({ id, name }) => ({ name, base: { mount: id, path: '/' } }))
      .sort((one, other) => (one.name < other.name ? -1 : 1))
    if (home === undefined) return mounts
    if (home !== '/') return [{ name: 'Home', base: { mount: 1, path: home } }, ...mounts]
    const first = { name: this.mountOf(1).name, base: { mount: 1, path: '/' } }
    return [...mounts, first].sort((one, other) => (one.name < other.name ? -1 : 1))
  }

  /** With one mount row and one part there are no names at the top. */
  get isNamed(): boolean {
    return this.mounts.length > 1 || this.parts.length > 1
  }

  /** 'top' for the folder that has the parts, undefined for no part of the tree. */
  locate(path: string): Place | 'top' | undefined {
    const [onlyPart] = this.parts
    if (!this.isNamed) {
      const base = onlyPart?.base ?? { mount: 1, path: '/' }
      return { mount: base.mount, path: joined(base.path, path) }
    }
    const [name, ...rest] = segmentsOf(path)
    if (name === undefined) return 'top'
    const part = this.parts.find((candidate) => candidate.name === name)
    return part && { mount: part.base.mount, path: joined(part.base.path, `/${rest.join('/')}`) }
  }

  /** Every path of the tree that leads to a place. */
  pathsTo({ mount, path }: Place): string[] {
    if (!this.isNamed) {
      const base = this.parts[0]?.base.path ?? '/'
      return mount === 1 && isInside(path, base) ? [base === '/' ? path : path.slice(base.length) || '/'] : []
    }
    return this.parts
      .filter(({ base }) => base.mount === mount && isInside(path, base.path))
      .map(({ name, base }) => joined(`/${name}`, base.path === '/' ? path : path.slice(base.path.length) || '/'))
  }

  diskPath({ mount, path }: Place): string {
    return join(this.mountOf(mount).folder, path)
  }

  /** Follows the symlinks of a place as far as they stay in its mount. */
  follow(literal: Place): Target {
    let [real, links, kind] = [{ mount: literal.mount, path: '/' }, 0, 'folder' as Kind]
    for (const name of segmentsOf(literal.path)) {
      if (kind !== 'folder') return { literal, real, kind: kind === 'out' ? 'out' : 'missing', links }
      real = { mount: real.mount, path: child(real.path, name) }
      kind = this.kindAt(real)
      const target = this.linkAt(real)
      if (target === undefined) continue
      links += 1
      if (target.mount !== literal.mount) return { literal, real, kind: 'out', links }
      real = target
      kind = this.kindAt(real)
    }
    return { literal, real, kind, links }
  }

  /** Everything below a folder that is no symlink, the folder itself first; without what `isOpen` does not open. */
  below(folder: Place, isOpen: (place: Place) => boolean = () => true): Place[] {
    const found: Place[] = []
    const visit = (place: Place): void => {
      found.push(place)
      if (this.kindAt(place) !== 'folder') return
      for (const name of readdirSync(this.diskPath(place)).sort()) {
        const inside = { mount: place.mount, path: child(place.path, name) }
        if (this.linkAt(inside) === undefined && isOpen(inside)) visit(inside)
      }
    }
    visit(folder)
    return found
  }

  /** Does the right hold for the folder and all that is in it, or would be in it at `at`? */
  throughout(right: Right, folder: Place, at = folder): 'yes' | 'no' | 'undecided' {
    const entries = this.withLinks(folder).map(({ mount, path }) => ({
      mount: at.mount === folder.mount ? mount : at.mount,
      path: joined(at.path, path === folder.path ? '/' : path.slice(folder.path === '/' ? 0 : folder.path.length)),
    }))
    if (!entries.every((place) => this.may(right, place))) return 'no'
    const granted = this.grants.filter(({ mount, folder: granted }) => mount === at.mount && isInside(granted, at.path))
    const isSafe =
      granted.every(({ mount, folder: granted }) => this.may(right, { mount, path: granted })) &&
      this.actor.rules.every(({ allow }) => allow)
    return isSafe ? 'yes' : 'undecided'
  }

  names(folder: Place): string[] {
    return readdirSync(this.diskPath(folder)).sort()
  }

  /** The names that a listing must show, and those that it may show besides. */
  listed({ literal, real }: Target): { must: string[]; may: string[] } {
    const [must, may]: [string[], string[]] = [[], []]
    for (const name of this.names(real)) {
      const [asked, there] = [literal, real].map(({ mount, path }) => ({ mount, path: child(path, name) })) as [
        Place,
        Place,
      ]
      if (!this.isVisible(asked) || !this.isVisible(there)) continue
      const target = this.linkAt(there)
      if (target === undefined) must.push(name)
      else if (target.mount !== there.mount || !this.isVisible(target)) continue
      else if (this.grantsAllow('see', target)) must.push(name)
      else may.push(name)
    }
    return { must, may }
  }

  kindAt(place: Place): Kind {
    try {
      const found = lstatSync(this.diskPath(place))
      return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'missing'
    } catch {
      return 'missing'
    }
  }

  linkAt(place: Place): Place | undefined {
    const path = this.diskPath(place)
    try {
      if (!lstatSync(path).isSymbolicLink()) return undefined
    } catch {
      return undefined
    }
    const target = resolve(dirname(path), readlinkSync(path))
    const mount = this.mounts.find(({ folder }) => isInside(target, folder))
    return mount ? { mount: mount.id, path: target.slice(mount.folder.length) || '/' } : { mount: 0, path: target }
  }

  private withLinks(folder: Place): Place[] {
    return this.below(folder).flatMap((place) => [
      place,
      ...(this.kindAt(place) === 'folder' ? this.names(place) : [])
        .map((name) => ({ mount: place.mount, path: child(place.path, name) }))
        .filter((inside) => this.linkAt(inside) !== undefined),
    ])
  }

  private mountOf(id: number): ModelMount {
    const mount = this.mounts.find((candidate) => candidate.id === id)
    if (mount === undefined) throw new Error(`There is no mount ${id} in the model`)
    return mount
  }
}

export const joined = (folder: string, path: string): string =>
  folder === '/' ? path : path === '/' ? folder : `${folder}${path}`

/** Are both in one folder? */
export const areSiblings = (one: Place, other: Place): boolean =>
  one.mount === other.mount && parentOf(one.path) === parentOf(other.path)
