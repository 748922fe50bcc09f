import { nameOf } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { prefetch } from '../concurrency/prefetch.ts'
import { Failure } from '../failure.ts'
import { firstNames, parsedPaths } from '../jobs/items.ts'
import type { Planned, Run } from '../jobs/kind.ts'
import { requireReading } from '../jobs/live-scope.ts'
import type { ResultPlan } from '../jobs/result-file.ts'
import { requireTarget } from '../jobs/result-kind.ts'
import type { Location } from '../mounts/location.ts'
import { parentOf, parsePath, type VirtualPath } from '../storage/path.ts'
import { leftOut } from './left-out.ts'
import { membersOf } from './members.ts'
import { type Selection, selectionOf } from './selection.ts'
import { stoppable } from './stream.ts'

/** Refuses what is not there or may not be read, and a file that would be made of itself. */
export async function planItems(
  scope: Scope,
  request: { readonly items: readonly string[]; readonly to: string },
): Promise<Planned<ResultPlan>> {
  requireReading(scope)
  const { paths, common } = await selectionBeside(await parsedPaths(request.items))
  const to = parsePath(request.to)
  if (paths.includes(to)) throw new Failure('invalid', 'The file cannot be made of itself')
  const target = scope.locate(to)
  requireTarget(scope, to)
  const items: Location[] = []
  for await (const { item, result } of prefetch(paths, (path) => scope.stat(path), 8)) {
    if (result.kind !== 'folder') scope.require('download', item)
    items.push(scope.locate(item))
  }
  return {
    plan: { items, to: target },
    count: items.length,
    names: firstNames(paths.map(nameOf)),
    from: scope.tree.locate(common),
    to: target,
  }
}

/** Names in what is made begin in the folder that holds the entries, as those of other tools do. */
export async function selectionBeside(items: readonly VirtualPath[], signal?: Cancellation): Promise<Selection> {
  const selection = await selectionOf(items, signal)
  const [only] = selection.paths
  return selection.paths.length === 1 && only !== undefined ? { ...selection, common: parentOf(only) } : selection
}

/** Tells how much there is to do, beside the work. */
export async function countMembers(
  run: Pick<Run<unknown>, 'total'>,
  scope: Scope,
  selection: Selection,
  except: VirtualPath,
  signal: AbortSignal,
): Promise<void> {
  let [files, bytes] = [0, 0]
  try {
    for await (const members of stoppable(membersOf(scope, selection, leftOut(), signal), signal))
      for (const { path, entry } of members) {
        if (entry.kind !== 'file' || path === except) continue
        files += 1
        bytes += entry.size
      }
    run.total({ files, bytes })
  } catch {
    // What hinders it hinders the work as well, which tells.
  }
}
