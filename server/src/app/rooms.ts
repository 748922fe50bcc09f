import { scopeIn } from '../access/access.ts'
import { actorOf } from '../access/actor.ts'
import { defaultLimits } from '../access/limits.ts'
import { compressKind } from '../archives/compress.ts'
import { extractKind } from '../archives/extracting/extract.ts'
import { openedArchives } from '../archives/reading/opened.ts'
import { journalIn } from '../changes/journal.ts'
import type { Changes } from '../changes/pipeline.ts'
import { accessVersion } from '../database/counters.ts'
import { eventsWith } from '../events/hub.ts'
import { Failure } from '../failure.ts'
import { favouriteFollower } from '../favourites/follow.ts'
import { checksumKind } from '../files/checksum-list.ts'
import { grantFollower } from '../grants/follow.ts'
import { historyIn } from '../history/history.ts'
import { hooksOf } from '../hooks/hooks.ts'
import { jobsIn } from '../jobs/jobs.ts'
import { removalKind } from '../jobs/removal.ts'
import { transferKind } from '../jobs/transfer.ts'
import { folderWatcher } from '../mounts/watching.ts'
import { makeCacheFolder } from '../previews/cache.ts'
import { previewsWith } from '../previews/previews.ts'
import { stillsWith } from '../previews/still.ts'
import { shareFollower } from '../shares/follow.ts'
import { passesSignedWith } from '../shares/passes.ts'
import { uploadFollower } from '../uploads/follow.ts'
import { heldUploads, mostHeldUploads } from '../uploads/held.ts'
import { uploadStore } from '../uploads/store.ts'
import { uploadsIn } from '../uploads/uploads.ts'
import { accountWithId } from '../users/store.ts'
import type { Basis, Replacements } from './basis.ts'
import { signingIn } from './signing-in.ts'

/** The rooms of the product, each given what it needs of the others. */
export async function roomsOf(basis: Basis, replace: Replacements) {
  const { config, log, db, clock, settings, node, siblings, mounts, storageAt, access, restrict } = basis
  const entry = await signingIn(basis)

  // What clients are told while they listen.
  const watcher = folderWatcher(mounts)
  const events = eventsWith({
    siblings,
    watch: watcher.watch,
    detectByContent: !config.disableTypeDetectionByHeader,
    accessVersion: accessVersion(db),
    settings,
    nameOf: async (id) => (await accountWithId(db, id))?.user.username ?? '',
  })

  // Changes, and the rooms that follow them.
  const timeLimit = config.commandTimeout * 1000
  const hooks = config.disableExec
    ? undefined
    : hooksOf({ settings, log, environment: entry.environment, timeLimit, allowShell: config.allowShell })
  const sharesChanged = (owner: number) => events.notice('shares', owner)
  const favouritesChanged = (owner: number) => events.notice('favourites', owner)
  const { isOneOfSeveral } = basis
  const sharesFollow = shareFollower({ db, node, storageAt, access, isOneOfSeveral, changed: sharesChanged })
  const uploadRows = uploadStore(db)
  // What only this process knows, no other one could go on with.
  const held = heldUploads({
    ...{ store: uploadRows, storageAt, most: isOneOfSeveral ? 0 : mostHeldUploads },
    isAlone: async () => node.others().length === 0 && !(await node.hasOthers()),
  })
  const history = historyIn({
    ...{ db, clock, node, log, mounts, snapshots: basis.snapshots, storageAt },
    isReadOnly: config.readOnly,
    isOneOfSeveral,
    changed: (owner) => events.notice('history', owner),
  })
  basis.tellEffects(history.tell)
  const followers = [
    grantFollower({ db, storageAt }),
    sharesFollow,
    uploadFollower({ db, store: uploadRows, held, storageAt }),
    favouriteFollower({ db, storageAt, changed: favouritesChanged }),
    history.follower,
  ]
  const journal = journalIn({ db, clock, node: node.recovering, log, followers, observe: events.changed })
  const changes: Changes = {
    door: 'web',
    journal,
    operations: history.operations,
    hooks,
    realPath: mounts.realPath,
  }
  const uploads = uploadsIn(
    { store: uploadRows, held, clock, node, siblings, storageAt, changes, told: events },
    config.uploadLifetime,
  )
  const { isShut, watchChanges } = sharesFollow
  const shares = {
    ...{ db, clock, access, storageAt, settings, throttle: entry.throttle },
    ...{ passes: passesSignedWith(entry.key), isShut, watchChanges, changed: sharesChanged },
  }

  // Work that goes on after its request.
  const archives = openedArchives()
  const scopeOf = async (userId: number) => {
    const account = await accountWithId(db, userId)
    if (account === undefined) throw new Failure('unauthenticated', 'The account is gone')
    const user = restrict(account.user)
    return scopeIn(await access.ofUser(user), actorOf(user, (await settings()).rules))
  }
  const jobs = jobsIn({
    ...{ db, clock, node: node.recovering, siblings, log, changes, scopeOf },
    kinds: {
      copy: transferKind('copy', node.kernel),
      move: transferKind('move', node.kernel),
      delete: removalKind(node.kernel),
      compress: compressKind,
      checksum: checksumKind,
      extract: extractKind({ archives, kernel: node.kernel }),
      ...history.jobs,
    },
    tell: events.job,
  })

  const still = stillsWith(Bun.which('ffmpeg'), config.maxImagePixels)
  const previews = previewsWith({
    ...config,
    cacheFolder: makeCacheFolder(config.cacheDir),
    still,
    decoders: replace.decoders,
  })
  return {
    ...entry,
    ...{ watcher, events, changes, journal, history, uploads, held, shares, archives, jobs, previews },
    favourites: { db, clock, changed: favouritesChanged },
    canTakeStills: still !== undefined,
    limits: replace.limits ?? defaultLimits(),
  }
}

export type Rooms = Awaited<ReturnType<typeof roomsOf>>
