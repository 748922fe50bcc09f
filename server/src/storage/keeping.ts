import type { KeepCause, KeepStore } from '@filestead/contract'
import { isInside } from '@filestead/contract/paths'
import { Failure, ignoring } from '../failure.ts'
import type { EntryKind } from './entry.ts'
import { keptPath, rootPath, type VirtualPath } from './path.ts'

/** Who displaces something, and how: what is needed to keep it and to find it again. */
export interface Keep {
  /** All that it displaces belongs together, and what it does is told under this id. Letters, digits and '-'. */
  readonly operation: string
  readonly user: { readonly id: number; readonly name: string }
  readonly door: string
  readonly cause: KeepCause
}

/** Which stores of a mount take something in. */
export interface KeepStores {
  readonly trash: boolean
  readonly versions: boolean
}

/** Which store takes a thing: undefined where it is let go. */
export function storeFor(
  cause: KeepCause,
  displacement: 'removed' | 'replaced' | 'overwritten',
  { trash, versions }: KeepStores,
): KeepStore | undefined {
  if (displacement === 'removed') return trash ? 'trash' : undefined
  if (asVersion.has(cause)) return versions ? 'versions' : trash && cause !== 'save' ? 'trash' : undefined
  return trash ? 'trash' : versions ? 'versions' : undefined
}

/** The name stands for the same document as before, with another content. */
const asVersion: ReadonlySet<KeepCause> = new Set(['save', 'upload', 'create', 'restore'])

/** Where stores may be: the root of a mount, and the points below it at which something is mounted. */
export function topsAmong(points: readonly string[], root: string): VirtualPath[] {
  const below = points.filter((point) => point !== root && isInside(point, root))
  return [rootPath, ...new Set(below.map((point) => keptPath(root === '/' ? point : point.slice(root.length))))]
}

/** A thing in a store. */
export interface Kept {
  readonly id: string
  readonly store: KeepStore
  /** Where it lies now: a path of the storage, which no request can name. */
  readonly place: VirtualPath
  /** Where it was. */
  readonly at: VirtualPath
  readonly kind: EntryKind
  /** In bytes; of a folder undefined. */
  readonly size: number | undefined
  /** In milliseconds since 1970, as all times here. */
  readonly modified: number
  readonly keptAt: number
}

/** A thing that was found in a store, with what its info file tells. */
export interface KeptFound extends Kept {
  /** Undefined where another program has put it there. */
  readonly keep: Keep | undefined
}

/** The verbs of a storage that keeps nothing. */
export const keepsNothing = {
  keepPlace: async (): Promise<undefined> => undefined,
  kept: async (): Promise<void> => {},
  restore: async (): Promise<void> => {
    throw new Failure('not-found', 'It is not kept any more')
  },
  purge: async (): Promise<void> => {},
}

/** What a change has done, told while it works, in order: what has to be done the other way round to take it back. */
export type Effect =
  /** Something lost its place, and is kept. */
  | { readonly kind: 'kept'; readonly kept: Kept }
  /** Something lost its place, and could not be kept. */
  | { readonly kind: 'lost'; readonly at: VirtualPath }
  /** Of a folder that is merged: an entry has come to this name, which was free or whose thing was kept. */
  | { readonly kind: 'placed'; readonly from: VirtualPath | undefined; readonly at: VirtualPath }
  /** Of a folder that is merged by a move: it was emptied, and is gone. */
  | { readonly kind: 'emptied'; readonly at: VirtualPath }
  /** A folder that had to be made for what comes into it. */
  | { readonly kind: 'parent'; readonly at: VirtualPath }

/** Hears of effects, as they happen and before the verb answers. */
export type TellEffects = (operation: string, effects: readonly Effect[]) => void

/** Trouble that passes is no reason to let something go. */
export async function unlessRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    return ignoring('no-space', 'forbidden', 'invalid')(error)
  }
}
