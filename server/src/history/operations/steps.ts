import { nameOf, type UndoObstacle } from '@filestead/contract'
import { notAllowed } from '../../access/lookup.ts'
import { someAtOnce } from '../../concurrency/ahead.ts'
import { flatMapInSlices } from '../../concurrency/time-slices.ts'
import { Failure } from '../../failure.ts'
import { isInStore, type Location, parentLocation, pathIn, wayTo } from '../../mounts/location.ts'
import type { Entry } from '../../storage/port.ts'
import type { KeptItem } from '../store.ts'
import { type Done, isSameThing, isUnchanged, type Mark, parseDone } from './effects.ts'
import type { Look } from './look.ts'
import type { StoredOperation } from './store.ts'

/** One change that takes back a part of an operation. */
export type Step = {
  readonly operation: string
  /** Where the thing was kept that goes again now: operations before it know it by that place. */
  readonly was?: Location | undefined
} & (
  | ({
      readonly do: 'move'
      readonly from: Location
      readonly to: Location
      readonly content?: string | undefined
    } & Partial<Mark>)
  | ({ readonly do: 'remove'; readonly at: Location; readonly content?: string | undefined } & Partial<Mark>)
  /** `follows`: to where the place is now that the kept thing had, and not where it was then. */
  | ({ readonly do: 'restore'; readonly kept: string; readonly at: Location; readonly follows: boolean } & {
      readonly over?: Partial<Mark> | undefined
    })
  /** From where the same file is. */
  | ({ readonly do: 'copy'; readonly from: Location; readonly to: Location } & Partial<Mark>)
  | { readonly do: 'make-folder'; readonly at: Location }
  /** A folder that was made for what came into it goes with that, unless it holds something else. */
  | { readonly do: 'remove-empty'; readonly at: Location }
)

/** The last operation first. Folders that had to be made are tried again at the end, when all that was put there is gone. */
export async function stepsFor(operations: readonly StoredOperation[]): Promise<Step[]> {
  const steps = await flatMapInSlices(operations.toReversed(), invert)
  const parents = steps.filter((step) => step.do === 'remove-empty')
  return operations.length > 1 ? [...steps, ...parents] : steps
}

/**
 * What lost its folder needs that first, what left a name comes before what had it, and what was put aside comes back over
 * what replaced it in one step, so that the name is never free.
 */
function invert({ id: operation, kind, effects }: StoredOperation): Step[] {
  const done = parseDone(effects ?? '')
  if (typeof done === 'string') return []
  const last = done.toReversed()
  const kept = new Map(last.flatMap((each) => (each.kind === 'kept' && !each.isFolder ? [[each.at, each]] : [])))
  const swapped = new Set<Done>()
  const leaving = last.flatMap((each): Step[] => {
    if (each.kind === 'moved') {
      const { kind: _, from, to, ...mark } = each
      return [{ operation, do: 'move', from: to, to: from, ...mark }]
    }
    if (each.kind === 'alike') {
      const { kind: _, from, at, ...mark } = each
      return [{ operation, do: 'copy', from: at, to: from, ...mark }]
    }
    if (each.kind !== 'made') return []
    const { kind: _, at, was, content, ...mark } = each
    const before = each.isFolder ? undefined : kept.get(at)
    if (before === undefined) return [{ operation, was, do: 'remove', at, content, ...mark }]
    swapped.add(before)
    return [{ operation, was, do: 'restore', kept: before.id, at, follows: follows(kind, before), over: mark }]
  })
  const restored = last.flatMap((each): (Step & { do: 'restore'; isFolder: boolean })[] =>
    each.kind === 'kept' && !swapped.has(each)
      ? [
          {
            ...{ operation, do: 'restore', kept: each.id, at: each.at },
            ...{ follows: follows(kind, each), isFolder: each.isFolder },
          },
        ]
      : [],
  )
  const folders = [
    ...last.flatMap((each): Step[] =>
      each.kind === 'emptied' && !isInStore(each.at) ? [{ operation, do: 'make-folder', at: each.at }] : [],
    ),
    ...restored.filter(({ isFolder }) => isFolder),
  ]
  return [
    ...folders.toSorted((one, other) => depthOf(one) - depthOf(other)),
    ...leaving,
    ...restored.filter(({ isFolder }) => !isFolder),
    ...last.flatMap((each): Step[] => (each.kind === 'parent' ? [{ operation, do: 'remove-empty', at: each.at }] : [])),
  ]
}

const depthOf = (step: Step): number => pathIn(placeOf(step)).split('/').length

/** What a move or copy replaced comes back to the very name, which the thing has left by then that was moved there. */
const follows = (kind: StoredOperation['kind'], { isFixed = false }: { readonly isFixed?: boolean }): boolean =>
  !isFixed && kind !== 'move' && kind !== 'copy' && kind !== 'extract'

export const placeOf = (step: Step): Location => ('from' in step ? step.from : step.at)

/** All that it changes, as far as it is known before. */
export const placesOf = (step: Step): Location[] => ('from' in step ? [step.from, step.to] : [step.at])

/** All that they tell is of places that the account sees. */
export interface Guards {
  readonly look: Look
  keptWith(id: string): KeptItem | undefined
  seesKept(item: KeptItem): Promise<boolean>
}

/** What was written by the name of a symlink is where that leads. */
export async function settled(step: Step, look: Look): Promise<Step> {
  if (step.do !== 'remove' || step.isFolder) return step
  const there = await look.at(step.at)
  return there?.isLink && !isUnchanged(step, there) ? { ...step, at: await look.followed(step.at) } : step
}

/** Why a step is not possible, as a sentence; undefined where it is. Tells of the thing at its place what is needed. */
export async function refusal(step: Step, guards: Guards): Promise<Failure | undefined> {
  const { look } = guards
  if (step.do === 'make-folder' || step.do === 'remove-empty') return undefined
  if (step.do === 'restore') {
    const item = guards.keptWith(step.kept)
    if (item === undefined) return purged(step.at)
    const to = await targetOf(step, item, look)
    if (isInStore(to)) return (await guards.seesKept(item)) ? inTrash(step.at) : notAllowed()
    // Told by the name that the account knows.
    const there = await look.at(to)
    if (step.over === undefined) return there === undefined ? undefined : taken(step.at)
    return there === undefined ? gone(step.at) : isUnchanged(step.over, there) ? undefined : changed(step.at)
  }
  const at = placeOf(step)
  const there = await look.at(at)
  if (there === undefined) return gone(at)
  if (step.do === 'move' || step.do === 'copy') {
    const isIt = step.do === 'move' ? isSameThing(step, there) : isUnchanged(step, there)
    if (!isIt && !(await holdsTheSame(step, there, look))) return changed(at)
    return (await look.at(step.to)) === undefined ? undefined : taken(step.to)
  }
  return removalRefusal(step, there, look)
}

const holdsTheSame = async (step: Step, { kind }: Entry, look: Look): Promise<boolean> =>
  step.do === 'move' &&
  step.content !== undefined &&
  kind === 'folder' &&
  (await look.contentOf(step.from)) === step.content

async function removalRefusal(
  step: Extract<Step, { do: 'remove' }>,
  there: Entry,
  look: Look,
): Promise<Failure | undefined> {
  if (there.kind !== 'folder' || !step.isFolder) return isUnchanged(step, there) ? undefined : changed(step.at)
  const isAsItWas = step.content !== undefined && (await look.contentOf(step.at)) === step.content
  return isAsItWas ? undefined : changedInside(step.at)
}

/**
 * The place that a kept thing had goes along with its folder, with a folder that this was merged with, and with another file
 * that had its name meanwhile. So the place that it was taken from comes first, while what belongs there is there: the version
 * that is to be replaced, or the folder.
 */
export async function targetOf(
  { at, follows, over }: Extract<Step, { do: 'restore' }>,
  { location }: Pick<KeptItem, 'location'>,
  look: Look,
): Promise<Location> {
  if (!follows || location === at) return at
  if (over === undefined) {
    const folder = await look.at(parentLocation(at))
    return folder?.kind === 'folder' ? at : location
  }
  const there = await look.at(at)
  return there !== undefined && isUnchanged(over, there) ? at : location
}

/**
 * The first step that is not possible, of those of which it is known before the first one is done: not of places that steps
 * before them have changed by then.
 */
export async function foreseenRefusal(steps: readonly Step[], guards: Guards): Promise<Failure | undefined> {
  const [touched, changedInside] = [new Set<Location>(), new Set<Location>()]
  const isTouched = (location: Location) =>
    changedInside.has(location) || wayTo(location).some((each) => touched.has(each))
  const checked = await flatMapInSlices(steps, (step) => {
    const ends = endsOf(step, guards)
    const isFirst = !ends.some(isTouched)
    for (const end of ends) {
      touched.add(end)
      for (const folder of wayTo(end)) changedInside.add(folder)
    }
    return isFirst ? [step] : []
  })
  const refusals = await someAtOnce(checked, async (step) => refusal(await settled(step, guards.look), guards))
  return refusals.find((each) => each !== undefined)
}

function endsOf(step: Step, { keptWith }: Guards): Location[] {
  if ('from' in step) return [step.from, step.to]
  if (step.do !== 'restore') return [step.at]
  const item = keptWith(step.kept)
  return item === undefined ? [step.at] : [step.at, item.location]
}

const sentences: Readonly<Record<UndoObstacle, (name: string) => string>> = {
  changed: (name) => `${name} was changed since, so it stays as it is`,
  'changed-inside': (name) => `In ${name} something was changed or added since, so it stays`,
  gone: (name) => `${name} is no longer where this has left it`,
  taken: (name) => `Something else is called ${name} now`,
  purged: (name) => `${name} is not kept any more`,
  'folder-in-trash': (name) => `The folder that ${name} was in is in the trash: restore that first`,
}

const obstacle =
  (reason: UndoObstacle) =>
  (at: Location): Failure =>
    new Failure('changed-meanwhile', sentences[reason](nameOf(at)), { reason, about: nameOf(at) })

const [changed, changedInside, gone] = [obstacle('changed'), obstacle('changed-inside'), obstacle('gone')]
const [taken, purged, inTrash] = [obstacle('taken'), obstacle('purged'), obstacle('folder-in-trash')]
