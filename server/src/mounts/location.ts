import { isInside } from '@filestead/contract/paths'
import { Failure } from '../failure.ts'
import { keptPath, parentOf, rebase, rootPath, type VirtualPath } from '../storage/path.ts'
import { isStoreName } from '../storage/store-names.ts'

declare const located: unique symbol

/**
 * Where something lies, the same for all accounts: a path in the first mount as it is ('/a'), in every other one behind the number of
 * the mount ('2:/a'). One text, so that rows, keys and comparisons need no second column; rows of installations that never
 * had a second mount are locations already.
 */
export type Location = string & { readonly [located]: 'Location' }

/** The mount of `--root`. */
export const firstMount = 1

export const locationIn = (mount: number, path: VirtualPath): Location =>
  (mount === firstMount ? path : `${mount}:${path}`) as string as Location

/** From a row or a command. */
export function parseLocation(text: string): Location {
  const [, mount, path = ''] = /^(?:([1-9]\d*):)?(\/.*)$/s.exec(text) ?? []
  if (path === '') throw new Failure('invalid', `${JSON.stringify(text)} is no location`)
  return locationIn(mount === undefined ? firstMount : Number(mount), keptPath(path))
}

export const mountOf = (location: Location): number =>
  location.startsWith('/') ? firstMount : Number(location.slice(0, location.indexOf(':')))

/** The first mount takes a folder as it is written in the row of an account, which may be a path of any form. */
export function baseOf(base: string): { id: number; folder: string } {
  const [, mount, folder = rootPath] = /^([1-9]\d*):(\/.*)$/s.exec(base) ?? []
  return mount === undefined ? { id: firstMount, folder: base } : { id: Number(mount), folder }
}

/** The path in its mount. */
export const pathIn = (location: Location): VirtualPath =>
  (location.startsWith('/') ? location : location.slice(location.indexOf(':') + 1)) as string as VirtualPath

/** The place of a path that begins in this folder. */
export const below = (folder: Location, path: VirtualPath): Location =>
  locationIn(mountOf(folder), rebase(pathIn(folder), path))

/** The folder in which it lies; of a root that itself. */
export const parentLocation = (location: Location): Location =>
  locationIn(mountOf(location), parentOf(pathIn(location)))

/** The root of the mount in which it lies. */
export const mountRootOf = (location: Location): Location => locationIn(mountOf(location), rootPath)

/** The place at or below `source` as it is called when that has become `target`, in whichever mount. */
export const movedAlong = (location: Location, source: Location, target: Location): Location =>
  below(target, relativeTo(source, location))

/** Is it the folder itself, or in it? */
export const isWithin = (location: Location, folder: Location): boolean =>
  mountOf(location) === mountOf(folder) && isInside(pathIn(location), pathIn(folder))

/** Is it in a store, and so of no tree? Rows of what is kept lead there. */
export const isInStore = (location: Location): boolean => pathIn(location).split('/').some(isStoreName)

/** The place of the kept item that something in a store is a part of: what follows the folder `files`. */
export function itemPlaceIn(location: Location): Location {
  const [, place = '/'] = /^(.*?\/\.[^/]+\/files\/[^/]+)/s.exec(pathIn(location)) ?? []
  return locationIn(mountOf(location), keptPath(place))
}

/** The location and all folders above it. */
export function wayTo(location: Location): Location[] {
  const mount = mountOf(location)
  const way: Location[] = []
  for (let path = pathIn(location); ; path = parentOf(path)) {
    way.push(locationIn(mount, path))
    if (path === rootPath) return way
  }
}

/** The path that leads from a folder to what is within it. */
export const relativeTo = (folder: Location, location: Location): VirtualPath => {
  const [start, path] = [pathIn(folder), pathIn(location)]
  return (start === '/' ? path : path.slice(start.length) || '/') as VirtualPath
}

/** The texts of all that lies below a folder, in the order in which a database compares texts: from the first to before the second. */
export const textsBelow = (folder: Location): readonly [from: string, before: string] => {
  const start = pathIn(folder) === '/' ? folder.slice(0, -1) : folder
  // '0' is the character after '/'.
  return [`${start}/`, `${start}0`]
}
