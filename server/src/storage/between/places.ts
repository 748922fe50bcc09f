import { Failure, isFailure } from '../../failure.ts'
import type { Entry } from '../entry.ts'
import type { TellEffects } from '../keeping.ts'
import { exactOf, hiddenBeside, hiddenIn, type VirtualPath } from '../path.ts'
import type { Storage } from '../port.ts'

/** A path in one storage and the path in another one where it shall be copied or moved to. */
export interface Ends {
  readonly from: Storage
  readonly source: VirtualPath
  readonly to: Storage
  readonly target: VirtualPath
  /** Hear what is done in the mounts of both, beside what their storages tell by themselves. */
  readonly tell?: TellEffects | undefined
  readonly tellSource?: TellEffects | undefined
}

/** A thing at its place. */
export interface At {
  readonly path: VirtualPath
  readonly entry: Entry
}

export async function entryAt(storage: Storage, path: VirtualPath): Promise<Entry | undefined> {
  try {
    return await storage.stat(path)
  } catch (error) {
    if (isFailure(error, 'not-found')) return undefined
    throw error
  }
}

/** By name; nothing where there is no such folder. */
export async function childrenOf(storage: Storage, folder: VirtualPath): Promise<Map<string, Entry>> {
  try {
    const { entries } = await storage.list(folder, undefined, { isOnce: true })
    return new Map(entries.map((entry) => [exactOf(entry), entry]))
  } catch (error) {
    if (isFailure(error, 'not-found')) return new Map()
    throw error
  }
}

/** What a port can make elsewhere. */
export const isPortable = ({ kind }: Entry): boolean => kind === 'file' || kind === 'folder'

/** Where what is staged under an id lies, or what is remembered of a transfer that is visible. */
export function stagedAt(target: VirtualPath, id: string) {
  const folder = hiddenBeside(target, id)
  // Hidden themselves, so that they show nowhere, whatever becomes of the folder.
  return { folder, begun: hiddenIn(folder, 'begun'), done: hiddenIn(folder, 'done') }
}

export const taken = (): Failure => new Failure('already-exists', 'This name is taken')

export function requireSameKind(one: Entry, two: Entry): void {
  if ((one.kind === 'folder') !== (two.kind === 'folder'))
    throw new Failure('already-exists', 'A file and a folder cannot replace each other')
}
