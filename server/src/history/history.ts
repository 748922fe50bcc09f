import type { Kysely } from 'kysely'
import type { Route } from '../access/routes.ts'
import type { Scope } from '../access/scope.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/schema.ts'
import { isUnfinishedJob } from '../jobs/jobs.ts'
import type { Log } from '../log/log.ts'
import type { Location } from '../mounts/location.ts'
import type { ServedMounts } from '../mounts/mounts.ts'
import type { Node } from '../nodes/node.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import type { Storage } from '../storage/port.ts'
import { keptFollower } from './follow.ts'
import { rememberKept } from './kept.ts'
import { lookFor, lookIn } from './operations/look.ts'
import { operationsIn } from './operations/operations.ts'
import { operationRoutes } from './operations/routes.ts'
import { undoKind } from './operations/undo.ts'
import { earliestOf, keptVisitor, type PastDeps, pastReader } from './past.ts'
import { hasPast } from './past-of-folder.ts'
import { purgeKind } from './purging.ts'
import { restoreKind } from './restoring.ts'
import { historyRoutes } from './routes.ts'
import { timelineRoutes } from './routes-timeline.ts'
import { keptSights, keptViews } from './sight.ts'
import { keptWithIds, sizesIn } from './store.ts'
import { upkeepOf } from './upkeep.ts'

export interface HistoryDeps {
  readonly db: Kysely<Database>
  readonly clock: Clock
  readonly node: Node
  readonly log: Pick<Log, 'warn'>
  readonly mounts: ServedMounts
  readonly snapshots: Snapshots
  readonly isReadOnly: boolean
  /** Do other processes answer requests of the same clients? */
  readonly isOneOfSeveral: boolean
  storageAt(base: string): Storage
  /** What an account did, or what is kept, is different: clients that show it are told. */
  changed(owner?: number): void
}

/** The room as a whole: what the rest of the server asks of it. */
export function historyIn(deps: HistoryDeps) {
  const { db, clock, node, log, mounts, snapshots, isReadOnly, isOneOfSeveral, storageAt, changed } = deps
  const look = lookIn(storageAt)
  const operations = operationsIn({ db, clock, node: node.recovering, isOneOfSeveral, log, look, changed })
  const remembering = rememberKept({ db, operations, keptFolder: () => upkeep.measureSoon() })
  const upkeep = upkeepOf({
    db,
    mounts,
    storageAt,
    now: () => clock.unixSeconds() * 1000,
    isInCharge: async () => !isReadOnly && (await node.isFirst()),
    changed: () => changed(),
  })
  const past: PastDeps = {
    db,
    storageAt,
    snapshotOf: async (mount, name) => ({
      storage: await snapshots.storageOf(mount, name),
      at: (await snapshots.of(mount)).find((each) => each.name === name)?.at ?? 0,
    }),
  }
  const inPast = pastReader(past)
  const sights = (scope: Scope) => keptSights(db, scope)
  const findKept = async (ids: readonly string[]) =>
    new Map((await keptWithIds(db, ids)).map((item) => [item.id, item]))
  const routes: Route[] = [
    ...operationRoutes({ db, clock, findKept }),
    ...historyRoutes({ db, mounts, sights, lookSoon: upkeep.lookSoon }),
    ...timelineRoutes({ db, snapshots, inPast, sights }),
  ]
  return {
    /** Hears what is done in mounts. */
    tell: remembering.tell,
    /** Remembers changes, so that they can be taken back. */
    operations: remembering.operations,
    follower: keptFollower({ db, storageAt, purgeSoon: upkeep.purgeSoon }),
    inPast,
    jobs: {
      restore: restoreKind({
        db,
        sights,
        inPast,
        visitKept: keptVisitor({ storageAt }),
        earliestOf: earliestOf(past),
      }),
      undo: undoKind({
        ...{ db, clock, look, findKept, isUnderWay: isUnfinishedJob(db) },
        lookFor: (scope) => lookFor(storageAt, scope),
        seesKept: async (scope, item) => (await keptViews(db, scope)(item)) !== undefined,
      }),
      purge: purgeKind({ db, mounts, storageAt, sights, changed }),
    },
    routes,
    hasPast: (folder: Location) => hasPast({ db, snapshots }, folder),
    /** In bytes, of all stores of a mount. */
    async sizeIn(mount: number): Promise<number> {
      const { trash, versions } = await sizesIn(db, mount)
      return trash + versions
    },
    /** Steps of the cleanup. */
    cleanup: { 'what is kept': upkeep.sweep, operations: operations.recover },
    close: upkeep.close,
  }
}
