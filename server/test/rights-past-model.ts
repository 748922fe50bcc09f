import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isInside, type Right } from '@filestead/contract'
import { Evaluator, joined, type ModelActor, type ModelGrant, type ModelMount, type Place } from './rights-evaluator.ts'

/** What a removed thing held, by the path from it: the text of a file, or undefined for a folder. Symlinks are left out. */
type Contents = ReadonlyMap<string, string | undefined>

/** A removed thing. */
export interface ModelItem {
  id: string
  readonly store: 'trash' | 'versions'
  /** Where it was: in the present, or in another removed thing, whose paths begin with '/'. */
  within: ModelItem | undefined
  at: Place
  /** Those that it had, by the path from it. */
  grants: readonly ModelGrant[]
  readonly contents: Contents
}

const isWithin = (place: Place, folder: Place): boolean =>
  place.mount === folder.mount && isInside(place.path, folder.path)

const isStrictlyWithin = (place: Place, folder: Place): boolean => isWithin(place, folder) && place.path !== folder.path

const placeOf = ({ mount, folder }: ModelGrant): Place => ({ mount, path: folder })

/** A place at or below a folder, as it is called when that is elsewhere. */
function moved({ path }: Place, from: Place, to: Place): Place {
  const rest = from.path === '/' ? path : path.slice(from.path.length) || '/'
  return { mount: to.mount, path: joined(to.path, rest) }
}

const movedGrant = (grant: ModelGrant, from: Place, to: Place): ModelGrant => {
  const { mount, path } = moved(placeOf(grant), from, to)
  return { ...grant, mount, folder: path }
}

/**
 * Who sees removed things and older contents, slowly and straight from the description: grants go with their folder and come
 * back with it, and a thing that is kept is judged where it was. No place of a store occurs here.
 */
export class PastModel {
  grants: readonly ModelGrant[]
  items: ModelItem[] = []
  readonly mounts: readonly ModelMount[]

  constructor(grants: readonly ModelGrant[], mounts: readonly ModelMount[]) {
    this.grants = grants
    this.mounts = mounts
  }

  /** Before it is removed from the disk. */
  remove(at: Place): ModelItem {
    const gone = this.grants.filter((grant) => isWithin(placeOf(grant), at))
    const item: ModelItem = {
      id: '',
      store: 'trash',
      within: undefined,
      at,
      grants: gone.map((grant) => movedGrant(grant, at, { mount: at.mount, path: '/' })),
      contents: contentsOf(this.#diskPath(at)),
    }
    this.grants = this.grants.filter((grant) => !gone.includes(grant))
    for (const other of this.#followers(undefined, at)) {
      other.at = moved(other.at, at, { mount: at.mount, path: '/' })
      other.within = item
    }
    this.items.push(item)
    return item
  }

  /** Before it gets another content. */
  replace(at: Place): ModelItem {
    const contents = contentsOf(this.#diskPath(at))
    const item: ModelItem = { id: '', store: 'versions', within: undefined, at, grants: [], contents }
    this.items.push(item)
    return item
  }

  /** Instead of what the subject had for the folder. */
  give(grant: ModelGrant): void {
    const isOther = ({ subject, mount, folder }: ModelGrant) =>
      subject !== grant.subject || mount !== grant.mount || folder !== grant.folder
    this.grants = [...this.grants.filter(isOther), grant]
  }

  move(from: Place, to: Place): void {
    this.grants = this.grants.map((grant) => (isWithin(placeOf(grant), from) ? movedGrant(grant, from, to) : grant))
    for (const item of this.#followers(undefined, from)) item.at = moved(item.at, from, to)
  }

  restore(item: ModelItem): void {
    const root = { mount: item.at.mount, path: '/' }
    this.grants = [...this.grants, ...item.grants.map((grant) => movedGrant(grant, root, item.at))]
    this.items = this.items.filter((other) => other !== item)
    for (const other of this.items.filter(({ within }) => within === item)) {
      other.at = moved(other.at, root, item.at)
      other.within = item.within
    }
  }

  /** Those whose place follows what is moved or removed: other things that were removed from its very name do not. */
  #followers(within: ModelItem | undefined, at: Place): ModelItem[] {
    return this.items.filter(
      (item) =>
        item.within === within && (item.store === 'versions' ? isWithin(item.at, at) : isStrictlyWithin(item.at, at)),
    )
  }

  present(actor: ModelActor): Evaluator {
    return new Evaluator(actor, this.mounts, this.grants)
  }

  /** Where it was in the present. */
  origin({ at, within }: ModelItem): Place {
    return within === undefined ? at : moved(at, { mount: at.mount, path: '/' }, this.origin(within))
  }

  /** Each of these has to allow it: as it was, and as it is where other rights stand there by now. */
  judges(actor: ModelActor, item: ModelItem): Evaluator[] {
    const others = item.within === undefined ? [this.present(actor)] : this.judges(actor, item.within)
    const before = others.at(-1) as Evaluator
    const origin = this.origin(item)
    const left = before.grants.filter((grant) => grant.subject === '' || !isWithin(placeOf(grant), origin))
    const own = item.grants.map((grant) => movedGrant(grant, { mount: grant.mount, path: '/' }, origin))
    const then = new Evaluator(actor, this.mounts, [...left.filter(({ subject }) => subject !== ''), ...own])
    return [...(left.length < before.grants.length ? others : others.slice(0, -1)), then]
  }

  isVisible(actor: ModelActor, item: ModelItem, path = '/'): boolean {
    const place = moved({ mount: 0, path }, { mount: 0, path: '/' }, this.origin(item))
    return this.judges(actor, item).every((judge) => judge.isVisible(place))
  }

  may(actor: ModelActor, right: Right, item: ModelItem, path = '/'): boolean {
    const place = moved({ mount: 0, path }, { mount: 0, path: '/' }, this.origin(item))
    return this.judges(actor, item).every((judge) => judge.may(right, place))
  }

  #diskPath({ mount, path }: Place): string {
    return join(this.mounts.find(({ id }) => id === mount)?.folder ?? '', path)
  }
}

function contentsOf(root: string): Contents {
  const found = new Map<string, string | undefined>()
  const visit = (path: string): void => {
    const full = path === '/' ? root : join(root, path)
    const facts = lstatSync(full)
    if (facts.isFile()) found.set(path, readFileSync(full, 'utf8'))
    if (!facts.isDirectory()) return
    found.set(path, undefined)
    for (const name of readdirSync(full)) visit(joined(path, `/${name}`))
  }
  visit('/')
  return found
}
