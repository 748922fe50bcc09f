import { isInside } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import { inFolder, rebase, rootPath, type VirtualPath } from '../path.ts'
import type { Capabilities, Entry, Storage } from '../port.ts'
import type { TransferKind, TransferOptions } from '../transfer-options.ts'
import { beginDraft, completeDraft, openDraft } from './drafts.ts'
import type { RemoteFiles } from './files.ts'
import { cannotBeKept, withKeep } from './keeping.ts'
import { resolve } from './links.ts'
import { asRoot, describe, exact, find, list, names, open, peek, readFiles, visitBelow } from './reading.ts'
import { lookAt, lookAtFolder, type Remote, requireNotRoot, requireShortNames } from './remote.ts'
import { publish, unstage } from './staging.ts'
import { keepPlace, readStores } from './stores.ts'
import { purge, remove, removeToStore, requireEnds, restore, stage, transfer } from './transfers.ts'
import { createFolder, fill, write } from './writing.ts'

const capabilitiesOf = ({ abilities, renameFolder, space }: RemoteFiles): Capabilities => ({
  symlinks: abilities.symlinks,
  atomicRename: renameFolder !== undefined,
  atomicReplace: abilities.atomicReplace,
  localFile: false,
  foldsCase: abilities.foldsCase,
  space: space !== undefined,
  sparse: false,
  keeps: true,
  lastingIds: false,
})

/** The storage of what lies below `base` on a server elsewhere. */
export function remoteStorage(remote: Remote, base: VirtualPath = rootPath): Storage {
  const { files } = remote

  /** From the root of the mount. */
  function at(path: VirtualPath): VirtualPath {
    requireShortNames(path)
    return rebase(base, path)
  }

  /** The same of something that is not the root. */
  function below(path: VirtualPath): VirtualPath {
    requireNotRoot(path)
    return at(path)
  }

  const shown = (path: VirtualPath, entry: Entry): Entry => (path === '/' ? asRoot(entry, path) : entry)

  async function move(kind: TransferKind, from: VirtualPath, to: VirtualPath, options: TransferOptions): Promise<void> {
    requireEnds(from, to)
    const ends = { from: at(from), to: at(to), base }
    await withKeep(remote, options.keep, (keeper) => transfer(remote, kind, ends, options, keeper))
  }

  return {
    /** Asked for anew: a server may have told more since. */
    get capabilities() {
      return capabilitiesOf(files)
    },

    stat: async (path) => shown(path, await lookAt(remote, at(path))),
    async list(path, signal, { hold } = {}) {
      const { folder, entries } = await list(remote, at(path), signal, hold)
      return { folder: shown(path, folder), entries }
    },
    names: async (path, signal, options) => names(remote, at(path), signal, options),
    describe: async (path, named, signal) => describe(remote, at(path), named, signal),
    visitBelow: async (path, visit) => visitBelow(remote, at(path), (found) => visit(inBase(found))),
    peek: async (path, names, signal) => peek(remote, at(path), names, signal),
    readFiles: async (path, names, room) => readFiles(remote, at(path), names, room),
    open: async (path) => open(remote, at(path)),
    async readHead(path) {
      const { entry, head } = await open(remote, at(path))
      return { entry, head: await head() }
    },
    async find(path, options) {
      const found = await find(remote, at(path), options)
      return { ...found, entry: shown(path, found.entry) }
    },

    async write(path, bytes, options) {
      const file = below(path)
      return withKeep(remote, options.keep, (keeper) => write(remote, file, base, bytes, options, keeper))
    },
    beginDraft: async (path, id, options) => beginDraft(remote, below(path), base, id, options),
    openDraft: async (path, id, access) => openDraft(remote, below(path), id, access),
    completeDraft: async (path, id, last, options) => completeDraft(remote, below(path), id, last, options),
    dropDraft: async (path, id) => files.dropDraft(below(path), id),

    fill: async (folder, entries) => fill(remote, at(folder), entries),
    // What a server has answered is safe there.
    secure: async (folder) => void (await lookAtFolder(remote, at(folder))),
    async createFolder(path, { keep } = {}) {
      const folder = at(path)
      if (path !== '/') await withKeep(remote, keep, (keeper) => createFolder(remote, folder, base, keeper))
    },

    rename: (from, to, options) => move('move', from, to, options),
    copy: (from, to, options) => move('copy', from, to, options),
    async stage(kind, from, to, options) {
      requireEnds(from, to)
      await stage(remote, kind, { from: at(from), to: at(to), base }, options)
    },
    async publish(path, id, options) {
      const to = options.inside ? at(path) : below(path)
      await withKeep(remote, options.keep, (keeper) => publish(remote, to, base, id, options, keeper))
    },
    unstage: async (path, id, options = {}) => unstage(remote, options.inside ? at(path) : below(path), id, options),

    async remove(path, options = {}) {
      const place = below(path)
      const { keptAt } = options
      await withKeep(remote, options.keep, (keeper) => {
        if (keptAt === undefined) return remove(remote, place, options, keeper)
        if (keeper === undefined) throw new Error('Nothing is kept here')
        return removeToStore(remote, place, keptAt, options, keeper)
      })
    },
    async keepPlace(path, keep) {
      await lookAt(remote, below(path))
      try {
        return await keepPlace(remote, at(path), keep)
      } catch (error) {
        throw cannotBeKept(error)
      }
    },
    kept: (take, signal) => readStores(remote, take, signal),
    async restore(place, path, options) {
      const to = below(path)
      await withKeep(remote, options.keep, (keeper) => restore(remote, place, { to, base }, options, keeper))
    },
    purge: async (place, options = {}) => purge(remote, place, options),

    exact: async (path) => exact(remote, at(path)).then((found) => inBase(found)),
    async resolve(path) {
      if (base !== '/') await lookAtFolder(remote, base)
      return inBase(await resolve(remote, base, at(path)))
    },
    async usage(path) {
      await lookAtFolder(remote, at(path))
      return (await files.space?.()) ?? { total: 0, used: 0 }
    },
    beneath: (folder) => remoteStorage(remote, at(folder)),
  }

  function inBase(path: VirtualPath): VirtualPath {
    if (!isInside(path, base)) throw new Failure('forbidden', 'The path leads out of the folder')
    return base === '/' ? path : path === base ? rootPath : inFolder(rootPath, path.slice(base.length + 1))
  }
}
