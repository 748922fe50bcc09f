import { hasRight, nameOf, type Right, type RightSet } from '@filestead/contract'
import { Failure, isFailure } from '../failure.ts'
import { parseLocation } from '../mounts/location.ts'
import { marked, readable, replacementMark } from '../storage/exact-names.ts'
import { inFolder, parentOf, rootPath, type VirtualPath } from '../storage/path.ts'
import { type Entry, LeadsElsewhere, LinkInTheWay, type Storage } from '../storage/port.ts'
import type { View } from './sight.ts'

/** A kept draft: for the file at `path`, which was found to lie at `place` when the draft was begun. */
export interface DraftPlace {
  readonly id: string
  readonly path: VirtualPath
  readonly place: VirtualPath
}

/** Finds what a path stands for, and asks for the right to it: where it was asked for, and where symlinks lead to. */
export interface Lookup {
  readonly storage: Storage
  readonly view: View
  /** Refuses without the right; what is hidden is refused before anything is looked up. Answers with the path. */
  look(path: VirtualPath, ...rights: readonly Right[]): VirtualPath
  /** Runs strict verbs, again when a symlink turned up after the path was resolved. */
  persistently<T>(work: (tries: number) => Promise<T>): Promise<T>
  /** Follows symlinks only when one is met. */
  through<T>(asked: VirtualPath, rights: readonly Right[], work: (path: VirtualPath) => Promise<T>): Promise<T>
  /** Works with a draft where it was begun; symlinks that have changed since then lead to other drafts or to none. */
  inPlace<T>(draft: DraftPlace, require: (path: VirtualPath) => void, work: (at: VirtualPath) => Promise<T>): Promise<T>
  /** Where a name really lies, for verbs that treat a symlink itself and not what it points to. */
  placeOf(asked: VirtualPath, ...rights: readonly Right[]): Promise<VirtualPath>
  /** The same place without symlinks. */
  resolve(path: VirtualPath): Promise<VirtualPath>
  /** Names that are not UTF-8 are shown with marks, and asked for with them. */
  meant(path: VirtualPath): Promise<VirtualPath>
  /** A symlink as what it leads to; nothing where the actor has no right to that. */
  followed(link: Entry, path: VirtualPath, right?: Right): Promise<Entry | undefined>
  stat(path: VirtualPath): Promise<Entry>
  /** What grants allow, without a look at the disk. */
  rightsAt(path: VirtualPath): RightSet
}

export function lookupIn(storage: Storage, view: View, everything: RightSet): Lookup {
  const { tree, visibility, rights } = view

  function look(path: VirtualPath, ...needed: readonly Right[]): VirtualPath {
    const shown = asShown(path)
    // Refused before anything is looked up, so the answer does not tell whether the path exists.
    if (rights === undefined) {
      if (!visibility.sees(shown)) throw notAllowed()
      return path
    }
    if (tree.isNamed && tree.locate(shown) === undefined) requireTop(shown, needed)
    else if (needed.length === 0 && !visibility.sees(shown)) throw notAllowed()
    else for (const right of needed) if (!isAllowed(shown, right)) throw notAllowed()
    return path
  }

  const isAllowed = (path: VirtualPath, right: Right): boolean =>
    right === 'see' ? visibility.sees(path) : rights === undefined || rights.allows(path, right)

  async function persistently<T>(work: (tries: number) => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await work(tries)
      } catch (error) {
        if (!(error instanceof LinkInTheWay || (error instanceof LeadsElsewhere && tries === 0))) throw error
        if (tries === 3) throw new Failure('not-found', 'The links keep changing')
      }
    }
  }

  const meant = async (path: VirtualPath): Promise<VirtualPath> =>
    path.includes(replacementMark) ? look(await storage.exact(path)) : path

  async function resolve(path: VirtualPath): Promise<VirtualPath> {
    try {
      return await storage.resolve(path)
    } catch (error) {
      const elsewhere = error instanceof LeadsElsewhere ? tree.pathTo(parseLocation(error.location)) : undefined
      if (elsewhere === undefined) throw error
      return elsewhere
    }
  }

  function through<T>(
    asked: VirtualPath,
    needed: readonly Right[],
    work: (path: VirtualPath) => Promise<T>,
  ): Promise<T> {
    look(asked, ...needed)
    return persistently(async (tries) => {
      const path = asked.includes(replacementMark) ? look(await storage.exact(asked), ...needed) : asked
      return work(tries === 0 ? path : look(await resolve(path), ...needed))
    })
  }

  async function inPlace<T>(
    { path, place }: DraftPlace,
    require: (path: VirtualPath) => void,
    work: (at: VirtualPath) => Promise<T>,
  ): Promise<T> {
    require(path)
    require(place)
    try {
      // Noted as text, where a byte that is none is a mark.
      const at = place.includes(replacementMark) ? await storage.exact(place) : place
      require(at)
      return await work(at)
    } catch (error) {
      if (!(error instanceof LinkInTheWay)) throw error
      throw new Failure('not-found', 'A link stands in the way')
    }
  }

  async function placeOf(asked: VirtualPath, ...needed: readonly Right[]): Promise<VirtualPath> {
    look(asked, ...needed)
    if (asked === rootPath) return asked
    const path = asked.includes(replacementMark) ? look(await storage.exact(asked), ...needed) : asked
    return look(inFolder(lookAbove(await resolve(parentOf(path))), nameOf(path)), ...needed)
  }

  /** A folder in which nothing shows may still take what is put into it. */
  function lookAbove(folder: VirtualPath): VirtualPath {
    if (rights?.allows(asShown(folder), 'create')) return folder
    return look(folder)
  }

  async function targetOf(path: VirtualPath, needed: readonly Right[]): Promise<Entry | undefined> {
    try {
      return await storage.stat(look(await resolve(await meant(path)), ...needed))
    } catch (error) {
      if (isFailure(error, 'not-found')) return undefined
      throw error
    }
  }

  async function followed(entry: Entry, path: VirtualPath, right?: Right): Promise<Entry | undefined> {
    try {
      const { name, exact } = entry
      return ((await targetOf(path, right === undefined ? [] : [right])) ?? entry).with({ name, exact, isLink: true })
    } catch (error) {
      if (isFailure(error, 'forbidden')) return undefined
      throw error
    }
  }

  async function stat(path: VirtualPath): Promise<Entry> {
    look(path)
    const found = await persistently(async (tries) =>
      storage.stat(tries > 0 ? await placeOf(path) : path.includes(replacementMark) ? await meant(path) : path),
    )
    const entry = shownAs(path, found)
    if (!entry.isLink) return entry
    const target = await targetOf(path, [])
    return target === undefined ? entry : entry.with({ kind: target.kind, size: target.size, modeKind: 'link' })
  }

  const rightsAt = (path: VirtualPath): RightSet => (rights === undefined ? everything : rights.rightsAt(asShown(path)))

  return { storage, view, look, persistently, through, inPlace, placeOf, resolve, meant, followed, stat, rightsAt }
}

/** The top of a named tree is listed; other names there are no part of what the actor has, whether they exist or not. */
function requireTop(path: VirtualPath, needed: readonly Right[]): void {
  if (path !== rootPath) throw new Failure('not-found', 'There is no such file or folder')
  if (needed.some((right) => right !== 'see'))
    throw new Failure('forbidden', 'Nothing can be changed where the root folders are listed')
}

export const notAllowed = (): Failure => new Failure('forbidden', 'Not allowed')

/** Rules are written about names as they are shown, and know no exact ones. */
export const asShown = (path: VirtualPath): VirtualPath => marked(path) as VirtualPath

/** What was asked for under a name with marks is told under it, too. */
export const shownAs = (path: VirtualPath, entry: Entry): Entry =>
  entry.name.isWellFormed() ? entry : entry.with({ name: readable(nameOf(path)), exact: entry.name })

/** Does a set hold all of these? */
export const hasAll = (set: RightSet, rights: readonly Right[]): boolean =>
  rights.every((right) => hasRight(set, right))
