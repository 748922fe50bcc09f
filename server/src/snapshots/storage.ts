import { posix } from 'node:path'
import { isInside } from '@filestead/contract'
import { Failure } from '../failure.ts'
import type { OwnPaths } from '../storage/disk/own-files.ts'
import { parentOf, rebase, rootPath, type VirtualPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'
import { refusingChanges } from '../storage/refusing.ts'
import { type NameTest, namesKept } from '../storage/reserved-names.ts'

/** Which names in a folder of a mount belong to the product. None in most folders. */
export type OwnNames = (folder: VirtualPath) => NameTest | undefined

/**
 * In a snapshot the product's own files are not known by their identity, which is that of other copies. A snapshot of a
 * folder with the database holds password hashes and the signing key.
 */
export function ownNamesIn(root: string, { paths, families }: Pick<OwnPaths, 'paths' | 'families'>): OwnNames {
  const byFolder = new Map<string, { exact: string[]; families: string[] }>()
  const add = (path: string, isFamily: boolean) => {
    if (path === root || !isInside(path, root)) return
    const inMount = root === '/' ? path : path.slice(root.length)
    const folder = posix.dirname(inMount)
    const names = byFolder.get(folder) ?? { exact: [], families: [] }
    byFolder.set(folder, names)
    names[isFamily ? 'families' : 'exact'].push(posix.basename(inMount))
  }
  for (const path of paths) add(path, false)
  for (const path of families) add(path, true)
  const tests = new Map([...byFolder].map(([folder, names]) => [folder, namesKept(names.exact, names.families)]))
  return (folder) => tests.get(folder)
}

const notThere = () => new Failure('not-found', 'There is no such file or folder')

/**
 * The files of a snapshot, which can only be read. `opened` gives the storage of the whole snapshot for each call, because
 * its threads end when nothing was read for a while. `base` is where this one begins in the snapshot.
 */
export function snapshotStorage(opened: () => Storage, own: OwnNames, base: VirtualPath = rootPath): Storage {
  /** The part that begins at the base; it is cheap to make. */
  const here = (): Storage => (base === rootPath ? opened() : opened().beneath(base))
  const namesOf = (folder: VirtualPath) => own(rebase(base, folder))

  function isOwn(path: VirtualPath): boolean {
    for (let at = rebase(base, path); at !== rootPath; at = parentOf(at))
      if (own(parentOf(at))?.(at.slice(at.lastIndexOf('/') + 1))) return true
    return false
  }
  const look = (path: VirtualPath): VirtualPath => {
    if (isOwn(path)) throw notThere()
    return path
  }
  function shown<T extends { readonly name: string }>(folder: VirtualPath, named: readonly T[]): readonly T[] {
    const test = namesOf(folder)
    return test === undefined ? named : named.filter(({ name }) => !test(name))
  }
  const isNamed = (folder: VirtualPath) => {
    const test = namesOf(folder)
    return (name: string) => test?.(name) !== true
  }

  return {
    ...refusingChanges('A snapshot cannot be changed'),
    get capabilities() {
      return { ...opened().capabilities, keeps: false }
    },
    stat: async (path) => here().stat(look(path)),
    async list(folder, signal, options) {
      const listing = await here().list(look(folder), signal, options)
      return { ...listing, entries: shown(folder, listing.entries) }
    },
    names: async (folder, signal, options) => [...shown(folder, await here().names(look(folder), signal, options))],
    describe: async (folder, named, signal) => here().describe(look(folder), shown(folder, named), signal),
    visitBelow: async (folder, visit) =>
      here().visitBelow(look(folder), (path) => {
        if (!isOwn(path)) visit(path)
      }),
    peek: async (folder, names, signal) => here().peek(look(folder), names.filter(isNamed(folder)), signal),
    async readFiles(folder, names, room) {
      const isShown = isNamed(folder)
      return names.every(isShown) ? here().readFiles(look(folder), names, room) : names.map(() => undefined)
    },
    open: async (file) => here().open(look(file)),
    readHead: async (file) => here().readHead(look(file)),
    async find(path, options) {
      const found = await here().find(look(path), options)
      return found.entries === undefined ? found : { ...found, entries: shown(path, found.entries) }
    },
    exact: async (path) => look(await here().exact(path)),
    resolve: async (path) => look(await here().resolve(path)),
    usage: async (folder) => here().usage(look(folder)),
    beneath: (folder) => snapshotStorage(opened, own, rebase(base, folder)),
  }
}
