import { numbered } from '@filestead/contract'
import { someAtOnce } from '../../concurrency/ahead.ts'
import { below, type Location, locationIn, mountOf, pathIn } from '../../mounts/location.ts'
import { checkedPath, inFolder, parentOf, rootPath, type VirtualPath } from '../../storage/path.ts'
import type { Entry } from '../../storage/port.ts'
import { type Done, markOf, mostEffects, stateOf } from './effects.ts'
import type { Look } from './look.ts'

/**
 * What a folder held before it was merged into another one. The storage tells what it does as it goes, but not what it was
 * about to tell when the process died, and not what an earlier try had done. Both are seen by comparing with this.
 */
export interface Merging extends Ends {
  readonly entries: readonly Entered[]
}

/** Without symlinks, as the storage tells what it does. */
interface Ends {
  /** Of a move. A copy leaves its source where it is, and what was hidden is of no interest where it was. */
  readonly from?: Location | undefined
  readonly to: Location
}

/** One entry: of a folder that the target has as well, what is in it follows. */
type Entered = readonly [
  inside: VirtualPath,
  kind: 'file' | 'link' | 'folder' | 'merged',
  id: string | null,
  state: string,
  /** The id of what had its name in the target. */
  there: string | null,
  /** Where its name is taken: the one that it gets if both are to stay. */
  aside: string | null,
]

/** What is about to be merged. */
interface Merge {
  /** Where the folder may lie that comes. Where it lies at none, all of it was merged before. */
  readonly sources: readonly Location[]
  readonly to: Location
  readonly isMove: boolean
}

/** Undefined where it is more than is remembered. */
export async function mergingOf(look: Look, merge: Merge): Promise<Merging | undefined> {
  const entries: Entered[] = []
  const from = await firstThere(look, merge.sources)
  const to = await look.followed(merge.to)
  const merging = { ...(merge.isMove && { from }), to, entries }
  if (from === undefined) return merging
  for (const folders: VirtualPath[] = [rootPath]; folders.length > 0; ) {
    const folder = folders.pop() ?? rootPath
    const [comes, there] = await Promise.all([look.list(below(from, folder)), look.list(below(to, folder))])
    const taken = new Map(there.map((entry) => [nameIn(entry), entry]))
    if (entries.length + comes.length > mostEffects) return undefined
    for (const listed of comes) {
      const inside = inFolder(folder, nameIn(listed))
      // A listing tells of links what they lead to.
      const entry = listed.isLink ? await look.at(below(from, inside)) : listed
      if (entry === undefined) continue
      const other = taken.get(nameIn(listed))
      const isMerged = isFolder(entry) && other !== undefined && isFolder(other)
      if (isMerged) folders.push(inside)
      const kind = isMerged ? 'merged' : isFolder(entry) ? 'folder' : entry.isLink ? 'link' : 'file'
      const aside = other === undefined || isMerged ? null : freeName(nameIn(listed), taken)
      entries.push([inside, kind, entry.id ?? null, stateOf(entry), other?.id ?? null, aside])
    }
  }
  return merging
}

async function firstThere(look: Look, places: readonly Location[]): Promise<Location | undefined> {
  for (const place of places) if ((await look.at(place)) !== undefined) return look.followed(place)
  return undefined
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  for (let number = 1; ; number += 1) {
    const free = numbered(name, number)
    if (!taken.has(free)) return free
  }
}

const nameIn = ({ name, exact }: Entry): string => exact ?? name
const isFolder = ({ kind, isLink }: Entry): boolean => kind === 'folder' && !isLink

export interface FoundEffects {
  readonly done: readonly Done[]
  /** Something of it is neither where it was nor where it should be. */
  readonly isUnclear: boolean
}

/** What has happened to the entries since then, but for what is known already. */
export async function effectsFound(look: Look, merging: Merging, known: readonly Done[]): Promise<FoundEffects> {
  const { entries, from, to } = merging
  const [sources, targets] = [new Set<Location>(), new Set<Location>()]
  const kept = new Set(known.flatMap((each) => (each.kind === 'kept' ? [each.at] : [])))
  for (const each of known)
    if (each.kind === 'moved' || each.kind === 'alike') sources.add(each.from)
    else if (each.kind === 'made') targets.add(each.at)
    else sources.add(each.at)
  const left = entries.filter(
    ([inside]) => !(from !== undefined && sources.has(below(from, inside))) && !targets.has(below(to, inside)),
  )
  const found = await someAtOnce(left, (entry) => effectOf(look, entry, merging, { kept, targets }))
  const done = found.flatMap((each) => (each === 'unclear' ? [] : each))
  const isEmptied = from !== undefined && !sources.has(from) && (await look.at(from)) === undefined
  return {
    done: isEmptied ? [...done, { kind: 'emptied', at: from }] : done,
    isUnclear: found.includes('unclear'),
  }
}

interface Known {
  readonly kept: ReadonlySet<Location>
  readonly targets: ReadonlySet<Location>
}

async function effectOf(
  look: Look,
  entry: Entered,
  { from, to }: Ends,
  { kept, targets }: Known,
): Promise<readonly Done[] | 'unclear'> {
  const [inside, kind, id, state, before] = entry
  const [source, target] = [from && below(from, inside), below(to, inside)]
  const stays = source && (await look.at(source))
  if (kind === 'merged') return source !== undefined && stays === undefined ? [{ kind: 'emptied', at: source }] : []
  const isStill = stays !== undefined && (id === null ? stateOf(stays) === state : stays.id === id)
  const there = await look.at(target)
  const isNew = there !== undefined && (there.id ?? null) !== before
  if (there !== undefined && isNew && isThing(entry, there)) {
    // What it replaced is gone for good.
    const lost: Done[] = before === null || kept.has(target) ? [] : [{ kind: 'lost', at: target }]
    // The copy is there, and the original has yet to go: to another disk that takes two steps.
    if (source === undefined || isStill) return [...lost, await madeAt(look, target, there)]
    return [...lost, { kind: 'moved', from: source, to: target, ...markOf(there) }]
  }
  if (source === undefined) return isNew ? 'unclear' : madeAside(look, entry, target, targets)
  if (isStill) return []
  // Another thing has come to the name since.
  if (stays !== undefined) return 'unclear'
  if (there !== undefined && !isNew && kind === 'file' && stateOf(there) === state)
    return [{ kind: 'alike', from: source, at: target, ...markOf(there) }]
  return besideIt(look, entry, { source, target })
}

const madeAt = async (look: Look, at: Location, there: Entry): Promise<Done> => ({
  kind: 'made',
  at,
  ...markOf(there),
  ...(isFolder(there) && { content: await look.contentOf(at) }),
})

/** Both were kept: what came got the number that was free before. */
async function madeAside(
  look: Look,
  entry: Entered,
  target: Location,
  known: ReadonlySet<Location>,
): Promise<readonly Done[]> {
  const [, , , , , aside] = entry
  if (!aside) return []
  const place = locationIn(mountOf(target), inFolder(parentOf(pathIn(target)), aside))
  const there = known.has(place) ? undefined : await look.at(place)
  return there !== undefined && isThing(entry, there) ? [await madeAt(look, place, there)] : []
}

/** Both were kept: it got a number. */
async function besideIt(
  look: Look,
  entry: Entered,
  { source, target }: { source: Location; target: Location },
): Promise<readonly Done[] | 'unclear'> {
  for (const place of numberedPlaces(target)) {
    const there = await look.at(place)
    if (there === undefined) break
    if (isThing(entry, there)) return [{ kind: 'moved', from: source, to: place, ...markOf(there) }]
  }
  return 'unclear'
}

/** The very thing, or a copy of it, which has its time and size; a link that is copied has neither. */
const isThing = ([, kind, id, state]: Entered, there: Entry): boolean =>
  (id !== null && there.id === id) ||
  (kind === 'link' ? there.isLink : isFolder(there) === (kind === 'folder') && stateOf(there) === state)

/** Names that are tried for what did not get the one that was asked for. */
const mostNumbers = 50

export function* numberedPlaces(to: Location): Generator<Location> {
  for (let number = 1; number <= mostNumbers; number += 1)
    yield locationIn(mountOf(to), checkedPath(numbered(pathIn(to), number)))
}

/** Of a restore, what left its store is made, and remembers where it was kept. */
export const asRestored = (done: readonly Done[]): Done[] =>
  done.map((each) => {
    if (each.kind !== 'moved') return each
    const { from, to, kind: _, ...mark } = each
    return { kind: 'made', at: to, was: from, ...mark }
  })
