import { requirePermission } from '../access/actor.ts'
import type { Scope } from '../access/scope.ts'
import type { VirtualPath } from '../storage/path.ts'
import { pathOf, patiently } from './items.ts'
import type { Kind, Run } from './kind.ts'
import { requireReading, withLiveScope } from './live-scope.ts'
import { clearResult, makeResult, type Result, type ResultPlan } from './result-file.ts'

interface ResultWork<Plan, State> extends Pick<Kind<Plan>, 'plan'> {
  write(run: Run<Plan>, result: Result<State>, scope: Scope, signal: AbortSignal): Promise<void>
  hasSide?(plan: Plan): boolean
}

/** Jobs that make one file of entries that they read, with the rights that the owner has meanwhile. */
export const resultKind = <Plan extends ResultPlan, State>({
  plan,
  write,
  hasSide,
}: ResultWork<Plan, State>): Kind<Plan> => ({
  plan,
  require(scope, { to }) {
    requireReading(scope)
    requireTarget(scope, pathOf(scope, to))
  },
  run: (run) =>
    patiently(run, () =>
      withLiveScope(run, (scope, signal) =>
        makeResult<State>(run, (result) => write(run, result, scope, signal), { hasSide: hasSide?.(run.plan) }),
      ),
    ),
  clear: clearResult,
})

/** Which of both it is, a new file or a new version of one, is asked when it gets its name. */
export function requireTarget(scope: Scope, path: VirtualPath): void {
  requirePermission(scope.actor, 'create')
  if (!scope.may('change', path)) scope.require('create', path)
}
