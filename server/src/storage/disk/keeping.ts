import { type Effect, type Keep, type KeepStores, type Kept, storeFor } from '../keeping.ts'
import { keptName } from '../kept-names.ts'
import { codeOf, noLinks, succeeds, translated } from '../linux/errno.ts'
import type { Kernel } from '../linux/kernel.ts'
import { inFolder, rootPath, type VirtualPath } from '../path.ts'
import type { Disk } from './disk.ts'
import { type Displaced, dropName } from './displace.ts'
import { entryOf } from './entry.ts'
import type { Rooted } from './in-target.ts'
import { renameToFree } from './renaming.ts'
import {
  dropInfo,
  type OpenStore,
  openOrMakeStore,
  pathBetween,
  syncStore,
  textOfName,
  topOf,
  writeInfo,
} from './stores.ts'
import { sync } from './sync.ts'
import type { NameAt } from './target.ts'

/** What keeps the things that one call of a verb displaces, and notes what the call does. */
export interface Keeping {
  readonly keep: Keep
  /** The open root of the mount. */
  root(): number
  /** From the root of the mount; undefined for what lies elsewhere. */
  pathOf(at: NameAt): VirtualPath | undefined
  tell(effect: Effect): void
  lost(at: NameAt): void
  /** Of a folder that is merged: what has come to a name, and from where, if it was moved. */
  placed(at: NameAt, from: VirtualPath | undefined): void
  /** A folder that was missing. */
  made(at: NameAt): void
  /** A name in a store for something that is about to be displaced; undefined where nothing takes it. */
  claim(target: Displaced): Claim | undefined
  /** Of a name that goes because the same file is elsewhere: it goes into a store. False where none takes it. */
  takeAway(target: Displaced): boolean
}

/** A name in a store, and an info file that tells what will have it. */
export interface Claim {
  readonly at: NameAt
  /** It has come there. */
  done(): void
  /** It has not. */
  drop(): void
}

/** Runs work with a disk that keeps what it displaces, and tells the effects before it ends, also where it fails. */
export async function withKeep<T>(
  { disk, begin }: Rooted,
  keep: Keep | undefined,
  work: (disk: Disk) => Promise<T>,
): Promise<T> {
  if (keep === undefined || disk.tell === undefined || disk.keeping !== undefined) return work(disk)
  const keeper = keeperOn({ disk, begin }, keep, disk.stores?.() ?? noStores)
  return translated(async () => {
    try {
      return await work({ ...disk, displacing: keeper.displacing, keeping: keeper.keeping })
    } finally {
      await keeper.end()
    }
  })
}

const noStores: KeepStores = { trash: false, versions: false }

/** So many effects are told at once. */
const mostHeld = 500

function keeperOn({ disk, begin }: Rooted, keep: Keep, stores: KeepStores) {
  const { kernel } = disk
  const opened = new Map<string, OpenStore>()
  const tag = Math.floor(Math.random() * 36 ** 4).toString(36)
  let effects: Effect[] = []
  let count = 0
  let rootFd: number | undefined

  const root = (): number => {
    rootFd ??= begin.openRoot()
    return rootFd
  }
  const tellAll = () => {
    if (effects.length > 0) disk.tell?.(keep.operation, effects)
    effects = []
  }
  const pathOf = ({ folder, name }: NameAt) => {
    const path = pathBetween(root(), folder)
    return path && inFolder(path, textOfName(name))
  }

  function storeAt(folder: number, kind: OpenStore['store']): OpenStore | undefined {
    const top = topOf(kernel, root(), folder)
    if (top === undefined) return undefined
    try {
      const key = `${kind} ${top.path}`
      const known = opened.get(key) ?? openOrMakeStore(disk, top, kind)
      opened.set(key, known)
      return known
    } finally {
      top.close()
    }
  }

  const keeping: Keeping = {
    keep,
    root,
    pathOf,
    tell(effect) {
      effects.push(effect)
      if (effects.length >= mostHeld) tellAll()
    },
    lost: (at) => keeping.tell({ kind: 'lost', at: pathOf(at) ?? rootPath }),
    placed(at, from) {
      const path = pathOf(at)
      if (path !== undefined) keeping.tell({ kind: 'placed', from, at: path })
    },
    made(at) {
      const path = pathOf(at)
      if (path !== undefined) keeping.tell({ kind: 'parent', at: path })
    },
    claim(target) {
      const kind = storeFor(keep.cause, target.by, stores)
      if (kind === undefined) return undefined
      return unlessRefused(() => {
        const store = storeAt(target.folder, kind)
        const at = pathOf(target)
        if (store === undefined || at === undefined) return undefined
        count += 1
        const id = `${keep.operation}-${tag}${count}`
        return claimIn(kernel, store, { target, at, id, keep, tell: keeping.tell })
      })
    },
    takeAway(target) {
      const claim = keeping.claim(target)
      if (claim === undefined || !movedTo(kernel, target, claim)) return false
      claim.done()
      return true
    },
  }

  /** The old thing gets a second name in the store, and loses the first one to the new thing in one step. */
  function displacing<T>(target: Displaced, step: () => T): T {
    const claim = target.by === 'replaced' ? keeping.claim(target) : undefined
    const how = claim && taken(kernel, target, claim)
    if (claim === undefined || how === undefined) {
      const result = step()
      // What is overwritten was copied before, or is known to be lost.
      if (target.by !== 'overwritten') keeping.lost(target)
      return result
    }
    try {
      // A name that is free for a moment may be taken by another program, whose file must not be replaced.
      const { from } = target
      const result = how === 'moved' && from !== undefined ? (renameToFree(kernel, from, target) as T) : step()
      claim.done()
      return result
    } catch (error) {
      if (how === 'linked') {
        dropName(kernel, claim.at)
        claim.drop()
      } else if (isMovedBack(kernel, claim.at, target)) claim.drop()
      else claim.done()
      throw error
    }
  }

  return {
    keeping,
    displacing,
    async end() {
      try {
        tellAll()
        for (const store of opened.values()) {
          if (!kernel.keepsOrder(store.files)) await sync(kernel, store.files)
          if (store.isNew) await syncStore(kernel, store)
        }
      } finally {
        for (const store of opened.values()) store.close()
        if (rootFd !== undefined) kernel.close(rootFd)
      }
    },
  }
}

interface Claimed {
  readonly target: Displaced
  readonly at: VirtualPath
  readonly id: string
  readonly keep: Keep
  tell(effect: Effect): void
}

/** Writes the info file, without which a full disk has to do: the row knows, or the thing is shown at the top. */
export function claimIn(
  kernel: Kernel,
  store: OpenStore,
  { target: { name: original, stat }, at, id, keep, tell }: Claimed,
  name = keptName(original, id),
): Claim {
  const keptAt = Date.now()
  const path = at.slice(store.top === '/' ? 1 : store.top.length + 1)
  succeeds(['ENOSPC', 'EDQUOT'], () => writeInfo(kernel, store, name, { path, keptAt, id, keep }))
  const { kind, size } = entryOf(name, stat)
  const kept: Kept = {
    id,
    store: store.store,
    place: inFolder(store.place, name),
    at,
    kind,
    size: kind === 'folder' ? undefined : size,
    modified: Math.floor(stat.seconds * 1000 + stat.nanoseconds / 1_000_000),
    keptAt,
  }
  return {
    at: { folder: store.files, name },
    done: () => tell({ kind: 'kept', kept }),
    drop: () => dropInfo(kernel, store, name),
  }
}

/** Trouble that passes is no reason to let something go. */
const refusals =
  'EACCES EPERM EROFS ENOSPC EDQUOT ENAMETOOLONG EINVAL EILSEQ ENOTDIR ELOOP EEXIST EMLINK ENOENT ENOSYS EXDEV'.split(
    ' ',
  )

function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (!refusals.includes(codeOf(error) ?? '')) throw error
    return undefined
  }
}

/** Gives what is displaced its name in the store. Undefined where it cannot have one. */
function taken(kernel: Kernel, target: NameAt, claim: Claim): 'linked' | 'moved' | undefined {
  const { folder, name } = claim.at
  try {
    if (succeeds(noLinks, () => kernel.link(target.folder, target.name, folder, name))) return 'linked'
  } catch (error) {
    claim.drop()
    if (refusals.includes(codeOf(error) ?? '')) return undefined
    throw error
  }
  return movedTo(kernel, target, claim) ? 'moved' : undefined
}

/** False where that is refused; then nothing has changed. */
function movedTo(kernel: Kernel, target: NameAt, claim: Claim): boolean {
  try {
    renameToFree(kernel, target, claim.at)
    return true
  } catch (error) {
    claim.drop()
    if (refusals.includes(codeOf(error) ?? '') || codeOf(error) === 'EBUSY') return false
    throw error
  }
}

/** False where another thing has its name by now. */
const isMovedBack = (kernel: Kernel, from: NameAt, to: NameAt): boolean => {
  try {
    renameToFree(kernel, from, to)
    return true
  } catch {
    return false
  }
}
