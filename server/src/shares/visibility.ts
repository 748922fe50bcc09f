import type { Visibility } from '../access/rules.ts'
import { rebase, rootPath, type VirtualPath } from '../storage/path.ts'

/** The same as seen from a folder: every path is asked about with each of the folder's own paths in front. */
export function visibilityBelow(whole: Visibility, folders: readonly VirtualPath[]): Visibility {
  const inAll = (ask: (path: VirtualPath) => boolean) => (path: VirtualPath) =>
    folders.every((folder) => ask(rebase(folder, path)))
  const inSome = (ask: (path: VirtualPath) => boolean) => (path: VirtualPath) =>
    folders.some((folder) => ask(rebase(folder, path)))
  return {
    hidesNothing: whole.hidesNothing,
    sees: inAll((path) => whole.sees(path)),
    permits: inAll((path) => whole.permits(path)),
    denies: inSome((path) => whole.denies(path)),
    inFolder(path) {
      const tests = folders.map((folder) => whole.inFolder(rebase(folder, path)))
      return (name) => tests.every((isVisible) => isVisible(name))
    },
    maySeeBelow: inAll((path) => whole.maySeeBelow(path)),
    mayDenyBelow: inSome((path) => whole.mayDenyBelow(path)),
  }
}

/** Only one file, at most; its neighbours are not there. */
export function visibilityOfOne(whole: Visibility, file: VirtualPath): Visibility {
  return {
    hidesNothing: false,
    // The folder around it can be looked into, and holds nothing else.
    sees: (path) => path === rootPath || (path === file && whole.sees(path)),
    permits: (path) => path === file && whole.permits(path),
    denies: (path) => path !== file || whole.denies(path),
    inFolder(folder) {
      const isVisible = whole.inFolder(folder)
      return (name) => folder === rootPath && `/${name}` === file && isVisible(name)
    },
    maySeeBelow: () => false,
    mayDenyBelow: () => true,
  }
}
