import { allRights, hasRight, type Right } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { may } from '../access/actor.ts'
import type { KeptPlace, KeptView } from '../access/kept.ts'
import { asShown } from '../access/lookup.ts'
import type { Scope } from '../access/scope.ts'
import type { Database } from '../database/schema.ts'
import { isInStore, itemPlaceIn, type Location, locationIn, mountOf, pathIn } from '../mounts/location.ts'
import type { VirtualPath } from '../storage/path.ts'
import { type KeptItem, keptAtPlace } from './store.ts'

/** What an actor may do with a kept item, by the rights at the place that it had. */
export interface KeptSight {
  /** Where it was, also where its folder was removed since. */
  readonly location: Location
  /** The same, as the actor sees paths. */
  readonly path: VirtualPath
  readonly canRead: boolean
  /** To where it was. */
  readonly canRestore: boolean
  readonly canPurge: boolean
  /** To any other place. */
  readonly canMove: boolean
}

/** Undefined where the actor does not see it. */
export type SeeKept = (item: KeptItem) => Promise<KeptSight | undefined>

/** Asks for no disk, and for rows only about what was in a folder that is kept itself. */
export function keptSights(db: Kysely<Database>, scope: Scope): SeeKept {
  const view = keptViews(db, scope)
  return async (item) => {
    const seen = await view(item)
    return seen && sightOf(scope, item, seen)
  }
}

/** What an actor sees of kept items, each at the path that it had; undefined of those that it does not see. */
export function keptViews(db: Kysely<Database>, scope: Scope): (item: KeptItem) => Promise<KeptView | undefined> {
  /** Kept folders that others have been in, by their places. */
  const folders = new Map<Location, Promise<KeptItem | undefined>>()

  function folderAt(place: Location): Promise<KeptItem | undefined> {
    const found = folders.get(place) ?? keptAtPlace(db, mountOf(place), pathIn(place))
    folders.set(place, found)
    return found
  }

  /** With the folders around it that are kept. Undefined where one of them is unknown, and so are its rights. */
  async function placeOf(item: KeptItem, depth = 0): Promise<KeptPlace | undefined> {
    const { mount, place, location } = item
    const kept = { place: locationIn(mount, place), location }
    if (!isInStore(location)) return kept
    const folder = depth < mostNested ? await folderAt(itemPlaceIn(location)) : undefined
    if (folder === undefined || !isOpenTo(scope, folder)) return undefined
    const within = await placeOf(folder, depth + 1)
    return within && { ...kept, within }
  }

  return async (item) => {
    if (!isOpenTo(scope, item)) return undefined
    const place = await placeOf(item)
    const seen = place && scope.viewOfKept(place)
    return seen?.view.visibility.sees(asShown(seen.path)) ? seen : undefined
  }
}

/** More is no honest row. */
const mostNested = 100

/** One whose grants are not known is for administrators, and for the account that displaced it where there is one. */
const isOpenTo = ({ actor: { user } }: Scope, item: KeptItem): boolean =>
  !item.isRestricted || user.perm.admin || item.user?.id === user.id

/** The kept folders that an item was in, the nearest first, where these were removed after it. */
export async function foldersRemovedAfter(db: Kysely<Database>, item: KeptItem): Promise<KeptItem[]> {
  const folders: KeptItem[] = []
  for (let { location } = item; isInStore(location) && folders.length < mostNested; ) {
    const folder = await keptAtPlace(db, mountOf(location), pathIn(itemPlaceIn(location)))
    if (folder === undefined) break
    folders.push(folder)
    location = folder.location
  }
  return folders
}

function sightOf(scope: Scope, item: KeptItem, { location, path, view }: KeptView): KeptSight {
  const { actor } = scope
  const shown = asShown(path)
  const { rights, visibility } = view
  const allows = (right: Right) => rights === undefined || rights.allows(shown, right)
  const throughout = rights?.rightsThroughout(shown) ?? allRights
  // What the account removed itself was looked through then.
  const mayHoldDenied = item.kind === 'folder' && item.user?.id !== actor.user.id && visibility.mayDenyBelow(shown)
  const canRead = may(actor, 'download') && allows('download')
  const canPurge = may(actor, 'delete') && allows('delete') && hasRight(throughout, 'delete') && !mayHoldDenied
  return {
    location,
    path,
    canRead,
    canRestore: item.store === 'versions' ? scope.may('change', path) : scope.may('create', path),
    canPurge,
    canMove: canRead && canPurge && hasRight(throughout, 'download'),
  }
}
