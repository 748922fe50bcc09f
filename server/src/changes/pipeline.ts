import { hasRight, type Permission, type Right } from '@filestead/contract'
import { requirePermission } from '../access/actor.ts'
import type { Scope } from '../access/scope.ts'
import { Failure, isFailure } from '../failure.ts'
import type { Location } from '../mounts/location.ts'
import { rootPath, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import type { Change, Door } from './change.ts'
import { type HookFacts, type Hooks, hookEvents } from './hooks.ts'
import type { Journal } from './journal.ts'

/** What every change of a storage needs around it. */
export interface Changes {
  readonly door: Door
  readonly journal: Journal
  /** None where programs are switched off, which is how the product is delivered. */
  readonly hooks: Hooks | undefined
  /** Where something lies on this machine; for hooks. */
  realPath(location: Location): Promise<string>
}

/** A change that is asked for. */
interface Wanted extends Pick<Change, 'kind' | 'size'> {
  readonly from?: VirtualPath
  readonly to?: VirtualPath
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

/** Runs the work as a recorded step; `to` where another name than the one that was asked for is tried. */
export type Recorder = <T>(work: () => Promise<T>, to?: VirtualPath) => Promise<T>

/**
 * The one way in which anything in a storage changes: authorise, precondition, before-hooks, intent, work, outcome with
 * the followers, after-hooks. Intent and outcome are rows only where a follower is concerned; see changes/journal.ts.
 */
export async function perform<T>(
  changes: Changes,
  scope: Scope,
  wanted: Wanted,
  work: (record: Recorder) => Promise<T>,
): Promise<T> {
  const { kind, from, to, size } = wanted
  requireAllowed(scope, wanted)
  const { user } = scope.actor
  const change: Change = {
    kind,
    actor: { id: user.id, name: user.username },
    door: changes.door,
    ...(from !== undefined && { from: scope.locate(from) }),
    ...(to !== undefined && { to: scope.locate(to) }),
    size,
  }
  const record: Recorder = (step, other = to) =>
    changes.journal.record(other === to || other === undefined ? change : { ...change, to: scope.locate(other) }, step)

  const { hooks } = changes
  if (hooks === undefined) return work(record)
  const facts = await factsFor(changes, scope, wanted)
  await hooks.before(hookEvents[kind], facts)
  const result = await work(record)
  await hooks.after(hookEvents[kind], facts)
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
  if (!hasRight(scope.rightsAt(path), right)) throw new Failure('forbidden', 'Not allowed')
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
