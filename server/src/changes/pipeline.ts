import type { Permission } from '@filestead/contract'
import { requirePermission } from '../access/actor.ts'
import type { Scope } from '../access/scope.ts'
import { isFailure } from '../failure.ts'
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
  /** Where a path of an account's scope lies on this machine; for hooks. */
  realPath(scope: string, path: VirtualPath): Promise<string>
}

/** A change that is asked for. */
interface Wanted extends Pick<Change, 'kind' | 'from' | 'to' | 'size'> {
  readonly permission: Permission
  /** Refuses paths that make no sense, before anything is looked up. */
  readonly check?: () => void
  /** Refuses what stands at the path, or that nothing does. Asked before hooks run; the storage asks again in the work. */
  readonly accept: (current: Entry | undefined) => void
}

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
  const { kind, from, to, size, permission } = wanted
  requirePermission(scope.actor, permission)
  wanted.check?.()
  const { user } = scope.actor
  const change: Change = {
    kind,
    actor: { id: user.id, name: user.username },
    door: changes.door,
    scope: user.scope,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    size,
  }
  const record: Recorder = (step, other = to) =>
    changes.journal.record(other === to || other === undefined ? change : { ...change, to: other }, step)

  const { hooks } = changes
  if (hooks === undefined) return work(record)
  const facts = await factsFor(changes, scope, wanted)
  await hooks.before(hookEvents[kind], facts)
  const result = await work(record)
  await hooks.after(hookEvents[kind], facts)
  return result
}

/** A hook hears only of changes that are allowed and that could work. */
async function factsFor({ realPath }: Changes, scope: Scope, { from, to, accept }: Wanted): Promise<HookFacts> {
  const path = from ?? to ?? rootPath
  accept(
    await scope.stat(path).catch((error) => {
      if (!isFailure(error, 'not-found')) throw error
      return undefined
    }),
  )
  const destination = from === undefined || to === undefined ? rootPath : to
  const { user } = scope.actor
  return {
    user,
    file: await realPath(user.scope, path),
    destination: await realPath(user.scope, destination),
  }
}
