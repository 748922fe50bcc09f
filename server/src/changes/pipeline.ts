import { hasRight, type Permission, type Right } from '@filestead/contract'
import { requirePermission } from '../access/actor.ts'
import { notAllowed } from '../access/lookup.ts'
import type { Scope } from '../access/scope.ts'
import { isFailure } from '../failure.ts'
import type { Location } from '../mounts/location.ts'
import { Entry } from '../storage/entry.ts'
import { rootPath, type VirtualPath } from '../storage/path.ts'
import type { Keep } from '../storage/port.ts'
import type { Change, Door } from './change.ts'
import { type HookFacts, type Hooks, hookEvents } from './hooks.ts'
import type { Journal } from './journal.ts'
import type { BeginOptions, Operations } from './operations.ts'

/** What every change of a storage needs around it. */
export interface Changes {
  readonly door: Door
  readonly journal: Journal
  /** None where nothing is remembered. */
  readonly operations?: Operations | undefined
  /** Changes of one act belong together. */
  readonly batch?: string | undefined
  /** The batch that these changes take back. */
  readonly undoes?: string | undefined
  /** Refuses where the sender has lost since its request what it was allowed then. None where the work asks for itself. */
  readonly stillAllowed?: ((scope: Scope, path: VirtualPath) => Promise<void>) | undefined
  /** None where programs are switched off, which is how the product is delivered. */
  readonly hooks: Hooks | undefined
  /** Where something lies on this machine; for hooks. */
  realPath(location: Location): Promise<string>
}

/** A change that is asked for. */
interface Wanted extends Pick<Change, 'kind' | 'size'> {
  readonly from?: VirtualPath
  readonly to?: VirtualPath
  /** Of a restore: where the thing is kept, which no path leads to. */
  readonly kept?: Location
  /** What is known of that which comes, besides. */
  readonly begin?: BeginOptions
  readonly permission: Permission
  /**
   * What grants must allow, where it was asked for. The scope asks again in the work, where symlinks lead to and below, but
   * by then followers have prepared for the change and hooks have run.
   */
  readonly needs: readonly Need[]
  /** Refuses paths that make no sense, before anything is looked up. */
  readonly check?: () => void
  /** Refuses what stands at the path, or that nothing does. Asked before hooks run; the storage asks again in the work. */
  readonly accept: (current: Entry | undefined) => void
}

export type Need = readonly [right: Right, path: VirtualPath]

/** Runs the work as a recorded step. */
export type Recorder = <T>(work: () => Promise<T>, ends?: OtherEnds) => Promise<T>

export interface OtherEnds {
  /** Where another name than the one that was asked for is tried. */
  readonly to?: VirtualPath
  /** Where that which is removed is kept. */
  readonly keptAt?: Location | undefined
}

/**
 * The one way in which anything in a storage changes: authorise, precondition, before-hooks, intent, work, outcome with
 * the followers, after-hooks. Intent and outcome are rows only where a follower is concerned; see changes/journal.ts.
 */
export async function perform<T>(
  changes: Changes,
  scope: Scope,
  wanted: Wanted,
  work: (record: Recorder, keep: Keep | undefined) => Promise<T>,
): Promise<T> {
  const { kind, from, to, kept, size } = wanted
  requireAllowed(scope, wanted)
  const { user } = scope.actor
  const change: Change = {
    kind,
    actor: { id: user.id, name: user.username },
    door: changes.door,
    ...(from !== undefined && { from: scope.locate(from) }),
    ...(kept !== undefined && { from: kept }),
    ...(to !== undefined && { to: scope.locate(to) }),
    size,
    batch: changes.batch,
    undoes: changes.undoes,
  }
  let latest = change
  const record: Recorder = (step, { to: other, keptAt } = {}) => {
    if (other !== undefined && other !== to) latest = { ...change, to: scope.locate(other) }
    if (keptAt !== undefined) latest = { ...latest, to: keptAt }
    return changes.journal.record(latest, step)
  }

  const { hooks } = changes
  const facts = hooks === undefined ? undefined : await factsFor(changes, scope, wanted)
  if (facts !== undefined) await hooks?.before(hookEvents[kind], facts)
  const operation = await changes.operations?.begin(change, wanted.begin)
  let result: T
  try {
    result = await work(record, operation?.keep)
  } catch (error) {
    await operation?.end(latest, 'failed')
    throw error
  }
  await operation?.end(latest, 'done', result instanceof Entry ? result : undefined)
  if (facts !== undefined) await hooks?.after(hookEvents[kind], facts)
  return result
}

/** What is known without a look at the disk. */
export function requireAllowed(
  scope: Scope,
  { permission, check, needs }: Pick<Wanted, 'permission' | 'check' | 'needs'>,
): void {
  requirePermission(scope.actor, permission)
  check?.()
  for (const [right, path] of needs) requireGrant(scope, right, path)
}

/** The permissions of the account are asked for besides, and are not always those of the same name. */
function requireGrant(scope: Scope, right: Right, path: VirtualPath): void {
  scope.locate(path)
  if (!hasRight(scope.rightsAt(path), right)) throw notAllowed()
}

/** A hook hears only of changes that are allowed and that could work. */
async function factsFor({ realPath }: Changes, scope: Scope, { from, to, accept }: Wanted): Promise<HookFacts> {
  const path = from ?? to ?? rootPath
  accept(
    await scope.stat(path).catch((error) => {
      // Where things can be put that do not show afterwards, nothing is known to be there.
      const isUnseen = isFailure(error, 'forbidden') && from === undefined && !hasRight(scope.rightsAt(path), 'see')
      if (!isFailure(error, 'not-found') && !isUnseen) throw error
      return undefined
    }),
  )
  const location = scope.locate(path)
  return {
    user: scope.actor.user,
    file: await realPath(location),
    // Of a change with one end it is the folder in which the paths of the account begin.
    destination: await realPath(
      from === undefined || to === undefined ? (scope.tree.find(path)?.part.base ?? location) : scope.locate(to),
    ),
  }
}
