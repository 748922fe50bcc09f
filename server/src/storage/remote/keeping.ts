import { nameOf } from '@filestead/contract/paths'
import { Failure, isFailure } from '../../failure.ts'
import { timeOf } from '../alike.ts'
import { inOnePiece } from '../byte-stream.ts'
import { type Effect, type Keep, type Kept, storeFor, unlessRefused } from '../keeping.ts'
import { keptName } from '../kept-names.ts'
import type { VirtualPath } from '../path.ts'
import type { Entry } from '../port.ts'
import { infoText } from '../store-info.ts'
import type { Remote } from './remote.ts'
import { dropInfo, infoPlace, makeStore, placeIn, type Store } from './stores.ts'

/** What keeps the things that one call of a verb displaces, and tells what the call does. */
export interface Keeper {
  readonly keep: Keep
  tell(effect: Effect): void
  lost(at: VirtualPath): void
  /** Of a folder that is merged: what has come to a name, and from where, if it was moved. */
  placed(at: VirtualPath, from: VirtualPath | undefined): void
  made(folder: VirtualPath): void
  /** A name in a store for what is about to be displaced; undefined where no store takes it. */
  claim(at: VirtualPath, entry: Entry, by: 'removed' | 'replaced'): Promise<Claim | undefined>
  /** A second one of a file that is about to be replaced. Where there is none it will be lost, which is told then. */
  keepReplaced(at: VirtualPath, entry: Entry): Promise<Claim>
}

/** A place in a store, and an info file that tells what will have it. */
export interface Claim {
  readonly place: VirtualPath | undefined
  /** It has come there, and nowhere else it is. */
  done(): void
  /** It is where it was. */
  drop(): Promise<void>
}

/** So many effects are told at once. */
const mostHeld = 500

/** Runs work with what keeps, and tells the effects before it ends, also where it fails. */
export async function withKeep<T>(
  remote: Remote,
  keep: Keep | undefined,
  work: (keeper: Keeper | undefined) => Promise<T>,
): Promise<T> {
  const { tell } = remote
  if (keep === undefined || tell === undefined) return work(undefined)
  let effects: Effect[] = []
  const tellAll = () => {
    if (effects.length > 0) tell(keep.operation, effects)
    effects = []
  }
  const take = (effect: Effect) => {
    effects.push(effect)
    if (effects.length >= mostHeld) tellAll()
  }
  try {
    return await work(keeperOf(remote, keep, take))
  } finally {
    tellAll()
  }
}

function keeperOf(remote: Remote, keep: Keep, tell: (effect: Effect) => void): Keeper {
  const tag = Math.floor(Math.random() * 36 ** 4).toString(36)
  let count = 0
  const lost = (at: VirtualPath) => tell({ kind: 'lost', at })
  const keeper: Keeper = {
    keep,
    tell,
    lost,
    placed: (at, from) => tell({ kind: 'placed', from, at }),
    made: (at) => tell({ kind: 'parent', at }),
    async claim(at, entry, by) {
      const kind = storeFor(keep.cause, by, remote.stores())
      if (kind === undefined) return undefined
      count += 1
      const id = `${keep.operation}-${tag}${count}`
      return unlessRefused(async () => {
        const store = await makeStore(remote, kind)
        return claimIn(remote, store, keptName(nameOf(at), id), { at, entry, id, keep, tell })
      })
    },
    async keepReplaced(at, entry) {
      const claim = await keeper.claim(at, entry, 'replaced')
      const { place } = claim ?? {}
      const isKept = place !== undefined && (await unlessRefused(() => copyTo(remote, at, entry, place))) !== undefined
      if (claim !== undefined && place !== undefined && isKept)
        return {
          ...claim,
          async drop() {
            await remote.files.removeFile(place)
            await claim.drop()
          },
        }
      await claim?.drop()
      return { place: undefined, done: () => lost(at), async drop() {} }
    },
  }
  return keeper
}

async function copyTo({ files }: Remote, at: VirtualPath, { version }: Entry, place: VirtualPath): Promise<true> {
  if (files.linkFile !== undefined) await files.linkFile(at, place)
  else await files.copyFile(at, place, { precondition: 'absent', version })
  return true
}

interface Claimed {
  readonly at: VirtualPath
  readonly entry: Entry
  readonly id: string
  readonly keep: Keep
  tell(effect: Effect): void
}

/** The info file comes first: what lies in a store without one is shown at the top of the mount. */
export async function claimIn(
  remote: Remote,
  store: Store,
  name: string,
  { at, entry, id, keep, tell }: Claimed,
): Promise<Claim & { readonly place: VirtualPath }> {
  const [place, keptAt] = [placeIn(store, name), Date.now()]
  const info = infoText({ path: at.slice(1), keptAt, id, keep })
  await remote.files.write(infoPlace(store, name), inOnePiece(Buffer.from(info)), {
    precondition: 'any',
    length: Buffer.byteLength(info),
  })
  const { kind, size } = entry
  const kept: Kept = {
    id,
    store: store.kind,
    place,
    at,
    kind,
    size: kind === 'folder' ? undefined : size,
    modified: timeOf(entry),
    keptAt,
  }
  return {
    place,
    done: () => tell({ kind: 'kept', kept }),
    drop: () => dropInfo(remote, store, name),
  }
}

/** What is gone or does not answer is so for every way to remove it; the rest can go for good. */
export function cannotBeKept(error: unknown): unknown {
  if (!isFailure(error, 'no-space', 'forbidden', 'invalid')) return error
  const text = 'It cannot be moved into the trash. It can only be deleted for good'
  return new Failure(isFailure(error, 'no-space') ? 'no-space' : 'forbidden', text, { cause: error })
}
