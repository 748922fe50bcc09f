import type { KeepCause } from '@filestead/contract'
import type { Change, ChangeKind } from '../../changes/change.ts'
import type { FreshFile } from '../../changes/operations.ts'
import { isInStore, itemPlaceIn, type Location, locationIn } from '../../mounts/location.ts'
import type { Effect } from '../../storage/keeping.ts'
import type { VirtualPath } from '../../storage/path.ts'
import type { Entry } from '../../storage/port.ts'
import type { Merging } from './merging.ts'

/** What tells whether the thing at a place is the one that an operation left there. */
export interface Mark {
  /** Of the entry, as long as its disk keeps its number. */
  readonly id?: string | undefined
  readonly version: string
  /** When it was changed last, exactly, and its size: what stays when a thing goes to another disk and back. */
  readonly state: string
  readonly isFolder: boolean
}

/** What an operation did, as it is stored: places are locations, and what came to them is marked. */
export type Done =
  | {
      readonly kind: 'kept'
      readonly id: string
      readonly place: Location
      readonly at: Location
      readonly isFolder: boolean
      /** It was restored to another place, and that was taken back: only this place is right. */
      readonly isFixed?: boolean
      /** It had to go before its time, because the disk was nearly full. */
      readonly hadNoRoom?: boolean
    }
  | { readonly kind: 'lost'; readonly at: Location }
  /** `content`: of a folder that came from another disk, as below: it has another id whenever it goes back and forth. */
  | ({
      readonly kind: 'moved'
      readonly from: Location
      readonly to: Location
      readonly content?: string | undefined
    } & Partial<Mark>)
  /** `content`: of a folder, what it held then; undefined where that is too much. `was`: where it was kept before. */
  | ({
      readonly kind: 'made'
      readonly at: Location
      readonly was?: Location | undefined
      readonly content?: string | undefined
    } & Partial<Mark>)
  /** Of a move: the same file is at another place already, so this one went. It comes back as a copy of that. */
  | ({ readonly kind: 'alike'; readonly from: Location; readonly at: Location } & Partial<Mark>)
  /** `place`: where it was kept, of a folder that was. */
  | { readonly kind: 'emptied'; readonly at: Location; readonly place?: Location }
  | { readonly kind: 'parent'; readonly at: Location }

/** Why an operation has no effects that could be taken back; stored instead of them. */
export type Irreversible = 'not-kept' | 'too-much' | 'unfinished'

/** Of one operation; more are not remembered. */
export const mostEffects = 50_000

/** Above it the thing that was told first is taken for all that was told: enough to know that it is unclear. */
export const mostToldStored = 100

export const markOf = (entry: Entry): Mark => ({
  id: entry.id,
  version: entry.version,
  state: stateOf(entry),
  isFolder: entry.kind === 'folder',
})

/** The size of a folder is a matter of its disk. */
export const stateOf = ({ kind, seconds, nanoseconds, size }: Entry): string =>
  kind === 'folder' ? `${seconds}.${nanoseconds}` : `${seconds}.${nanoseconds} ${size}`

/** Is it the thing that was marked, as it was then? Of a folder nothing is said about what it holds. */
export const isUnchanged = (mark: Partial<Mark>, entry: Entry): boolean =>
  mark.isFolder === (entry.kind === 'folder') &&
  (mark.version === entry.version || mark.state === stateOf(entry) || (mark.isFolder && mark.id === entry.id))

/** Is it the thing that was marked, whatever became of its content? */
export const isSameThing = (mark: Partial<Mark>, entry: Entry): boolean =>
  (mark.id !== undefined && mark.id === entry.id) || isUnchanged(mark, entry)

/** As it is told by the storage of a mount, without the marks. `source`: the mount that things come from. */
export function doneOf(mount: number, effect: Effect, source: number): Done {
  const at = (path: VirtualPath) => locationIn(mount, path)
  switch (effect.kind) {
    case 'kept': {
      const { id, place, at: was, kind } = effect.kept
      return { kind: 'kept', id, place: at(place), at: at(was), isFolder: kind === 'folder' }
    }
    case 'placed': {
      const from = effect.from === undefined ? undefined : locationIn(source, effect.from)
      // Nothing goes back into a store but by being kept again.
      if (from === undefined || isInStore(from)) return { kind: 'made', at: at(effect.at), was: from }
      return { kind: 'moved', from, to: at(effect.at) }
    }
    default:
      return { kind: effect.kind, at: at(effect.at) }
  }
}

/** What is known before the work, for a crash during it. */
export interface Beginning {
  readonly fresh?: FreshFile | undefined
  /** The id of what is moved or copied, and its state. */
  readonly source?: string | undefined
  readonly sourceState?: string | undefined
  /** What is at the target before the work: a folder there is merged with the one that comes. */
  readonly target?: 'none' | 'folder' | 'other' | undefined
  readonly targetId?: string | undefined
  readonly targetVersion?: string | undefined
  /** Where it goes if both are to stay: the first name with a number that is free. */
  readonly beside?: Location | undefined
  /** Of two folders: what is merged. `too-much`: more than is remembered. */
  readonly merging?: Merging | 'too-much' | undefined
  readonly told?: readonly Done[] | undefined
}

/** Is it what was at the target before the work? Servers elsewhere give files no id. */
export const wasThere = ({ targetId, targetVersion }: Beginning, { id, version }: Entry): boolean =>
  id === undefined && targetId === undefined ? version === targetVersion : id === targetId

export const causeOf = (kind: ChangeKind): KeepCause => (kind === 'create-folder' ? 'create' : kind)

/** Its ends are looked at before the work, because names may be taken and folders may be merged. */
export const isTransfer = ({ kind }: Pick<Change, 'kind'>): boolean =>
  kind === 'move' || kind === 'copy' || kind === 'extract' || kind === 'restore'

export const parseDone = (text: string): readonly Done[] | Irreversible =>
  text.startsWith('[') ? JSON.parse(text) : text === 'not-kept' || text === 'too-much' ? text : 'unfinished'

/** The kept items that it takes to take this back. */
export const itemsOf = (done: readonly Done[]): readonly Location[] => [
  ...new Set(
    done.flatMap((each) =>
      (each.kind === 'kept' || each.kind === 'emptied') && each.place !== undefined ? [itemPlaceIn(each.place)] : [],
    ),
  ),
]

export const itemsIn = (effects: string): readonly Location[] => {
  const done = parseDone(effects)
  return typeof done === 'string' ? [] : itemsOf(done)
}

export type KeptDone = Extract<Done, { kind: 'kept' }>

export const parseBeginning = (text: string): Beginning => (text.startsWith('{') ? JSON.parse(text) : {})
