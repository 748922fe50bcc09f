import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/schema.ts'
import { hasGrantsWithin } from '../grants/store.ts'
import { isKnownJob } from '../jobs/jobs.ts'
import type { Log } from '../log/log.ts'
import { matchConfigured } from '../mounts/configured.ts'
import { keysIn } from '../mounts/keys.ts'
import { firstMount, locationIn } from '../mounts/location.ts'
import { type MountDeps, mountsIn, type ServedMounts } from '../mounts/mounts.ts'
import { keptPlaces, spoolOf } from '../mounts/own-places.ts'
import type { Node } from '../nodes/node.ts'
import { addressRules, type LookedAt, lookAtServer, remoteOpener } from '../remote-servers.ts'
import { firstFactsOf, ownPlacesOf } from '../served-folders.ts'
import { type Snapshots, snapshotsIn } from '../snapshots/snapshots.ts'
import { draftKnown, draftLedger, moveLedger, sourceFound } from '../storage/disk/ledger.ts'
import { mountTable } from '../storage/linux/mounts.ts'
import { rootPath } from '../storage/path.ts'
import { readingScopes } from '../storage/threads/reading-scopes.ts'
import { type ThreadedDisk, threadedScopes } from '../storage/threads/scopes.ts'

interface ServedStorageDeps {
  readonly db: Kysely<Database>
  readonly clock: Clock
  readonly log: Log
  readonly node: Node
  /** Of files and folders that are made. */
  readonly modes: ThreadedDisk['modes']
  readonly tell: MountDeps['tell']
  readonly openRemote?: MountDeps['openRemote'] | undefined
}

interface ServedStorage {
  readonly mounts: ServedMounts
  readonly snapshots: Snapshots
  /** Asks the server of an address whether it can be a mount. */
  lookAt(folder: string, readOnly: boolean): Promise<LookedAt>
}

/** In seconds: a draft of no known work is younger than this only if its row is yet to come. */
const youngestOrphan = 3600

/** Threads behind folders of this machine, connections behind addresses of others. */
export async function servedStorage(
  config: Config,
  { db, clock, log, node, modes, tell, openRemote }: ServedStorageDeps,
): Promise<ServedStorage> {
  const own = await ownPlacesOf(config, db)
  const spool = spoolOf(config)
  const table = mountTable()
  await matchConfigured(db, config.mount, log)
  const remote = addressRules(config)
  const keys = keysIn(remote.keys)
  const isKnownDraft = draftKnown(db, node, isKnownJob(db))
  const orphanAge = Math.max(config.uploadLifetime, youngestOrphan)
  const mounts = await mountsIn({
    ...{ db, log, spool, remote, tell },
    firstFacts: firstFactsOf(config),
    own: keptPlaces(config),
    mountable: config.mountable,
    hasGrants: () => hasGrantsWithin(db, locationIn(firstMount, rootPath)),
    ledgers: { drafts: draftLedger(db, node, isKnownJob(db)), moves: moveLedger(db, node.recovering) },
    openRemote: openRemote ?? remoteOpener({ keys, db, node, isKnownDraft, orphanAge, isReadOnly: config.readOnly }),
    open: ({ id, folder, links, readOnly }, ledgers) =>
      threadedScopes({
        settings: {
          root: folder,
          own,
          spool,
          follows: links === 'outside',
          isFurtherMount: id !== firstMount,
          // A read-only server may run beside another one, whose uploads are in another database.
          orphanAge: config.readOnly || readOnly ? undefined : orphanAge,
        },
        ...ledgers,
        modes,
        now: clock.unixSeconds,
        isKnownDraft,
        sourceFound: sourceFound(db, node),
        recovered: (file) =>
          log.warn(
            { file },
            'The server died while this was written into a file that is gone; it is kept under this name',
          ),
        // There may be many, and most are at rest.
        pool: { mounts: table, ...(id !== firstMount && { leastReaders: 1 }) },
      }),
  })
  const snapshots = snapshotsIn({
    mounts,
    own,
    mountable: config.mountable,
    open: (root) => readingScopes({ root, own, spool, mounts: table }),
  })
  return { mounts, snapshots, lookAt: (folder, readOnly) => lookAtServer(keys, folder, readOnly || config.readOnly) }
}
