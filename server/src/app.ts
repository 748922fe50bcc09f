import type { Kysely } from 'kysely'
import { type AccessReader, accessReader, scopeIn } from './access/access.ts'
import { actorOf } from './access/actor.ts'
import { defaultLimits, type Limits } from './access/limits.ts'
import { readOnly, unrestricted } from './access/read-only.ts'
import type { Route } from './access/routes.ts'
import { noThrottle, throttleIn } from './access/throttle.ts'
import { withMemoryFallback } from './access/throttle-fallback.ts'
import { apiDocsRoutes } from './api/docs.ts'
import { compressKind } from './archives/compress.ts'
import { extractKind } from './archives/extracting/extract.ts'
import { openedArchives } from './archives/reading/opened.ts'
import { journalIn } from './changes/journal.ts'
import type { Changes } from './changes/pipeline.ts'
import { assetRoutes } from './client/assets.ts'
import { installedAppRoutes } from './client/installed-app.ts'
import { captchaSettings, pageRoute } from './client/page.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Config, commandEnvironment, hookEnvironment, parseDuration } from './config/config.ts'
import { accessVersion } from './database/counters.ts'
import { openDatabase } from './database/open.ts'
import { doorbellOf, inspect, presenceOf } from './database/port.ts'
import type { Database } from './database/schema.ts'
import { versionReader } from './database/versions.ts'
import { accessLogged, auditIn } from './doors/audit.ts'
import { behindDoors } from './doors/doors.ts'
import { letsGuestsIn } from './doors/guest.ts'
import { reporter } from './doors/report.ts'
import { type Events, eventsWith } from './events/hub.ts'
import { eventRoutes } from './events/routes.ts'
import { Failure } from './failure.ts'
import { favouriteFollower } from './favourites/follow.ts'
import { favouriteRoutes } from './favourites/routes.ts'
import { checksumKind } from './files/checksum-list.ts'
import { fileRoutes } from './files/routes.ts'
import { grantFollower } from './grants/follow.ts'
import { endGrantsOf } from './grants/grants.ts'
import { grantRoutes } from './grants/routes.ts'
import { formerGrantsFor, grantsFor, subjectCounter } from './grants/store.ts'
import { groupRoutes } from './groups/routes.ts'
import { groupIdsOf } from './groups/store.ts'
import { healthCheck } from './health/check.ts'
import { databaseProbe, firstFailing, leaseProbe, storageProbe } from './health/probes.ts'
import { healthRoutes } from './health/routes.ts'
import { historyIn } from './history/history.ts'
import type { TellOfMount } from './history/kept.ts'
import { leaveKeptOf } from './history/store.ts'
import { hooksOf } from './hooks/hooks.ts'
import { commandRoutes } from './hooks/routes.ts'
import { answerFailure } from './http/failures.ts'
import { filesOfAnswers } from './http/held-files.ts'
import { hostGuard } from './http/hosts.ts'
import type { Connection } from './http/request.ts'
import { jobsIn } from './jobs/jobs.ts'
import { removalKind } from './jobs/removal.ts'
import { jobRoutes } from './jobs/routes.ts'
import { transferKind } from './jobs/transfer.ts'
import type { Log } from './log/log.ts'
import { mountRoutes } from './mounting/routes.ts'
import { mountOf } from './mounts/location.ts'
import type { MountDeps, Mounts } from './mounts/mounts.ts'
import { makeSpool } from './mounts/own-places.ts'
import { folderWatcher } from './mounts/watching.ts'
import { cleanupOf } from './nodes/cleanup.ts'
import { messagesIn } from './nodes/messages.ts'
import { joinNodes, type Node } from './nodes/node.ts'
import { watchOthers } from './nodes/presence.ts'
import { noSiblings, type Siblings } from './nodes/siblings.ts'
import { clientFolder } from './parts.ts'
import { makeCacheFolder } from './previews/cache.ts'
import type { DecoderOptions } from './previews/decoders.ts'
import { mediaRoutes } from './previews/media/routes.ts'
import { previewsWith } from './previews/previews.ts'
import { previewRoutes } from './previews/routes.ts'
import { stillsWith } from './previews/still.ts'
import { endPrograms } from './programs/run.ts'
import { searchRoutes } from './search/routes.ts'
import { servedStorage } from './served-storage.ts'
import { methodNow, vouchedName } from './sessions/methods/methods.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { type Sessions, sessionsIn } from './sessions/sessions.ts'
import { deleteSessionsOf } from './sessions/store.ts'
import { tokensSignedWith } from './sessions/tokens.ts'
import { settingsRoutes } from './settings/routes.ts'
import { type ReadSettings, readAuth, type SettingsAt, settingsReader, signingKey } from './settings/settings.ts'
import { expirySweep, expiryTimer } from './shares/expire.ts'
import { shareFollower } from './shares/follow.ts'
import { grantsSignedWith } from './shares/grants.ts'
import { openShare } from './shares/open.ts'
import { checkSymlinks } from './shares/resolve.ts'
import { shareRoutes } from './shares/routes.ts'
import { volumeGone } from './storage/disk/volume.ts'
import type { Storage } from './storage/port.ts'
import { takeoverRoutes } from './takeover/routes.ts'
import { dropDraftsBelow } from './uploads/end.ts'
import { uploadExpiry } from './uploads/expire.ts'
import { uploadFollower } from './uploads/follow.ts'
import { type HeldUploads, heldUploads, mostHeldUploads } from './uploads/held.ts'
import { uploadRecovery } from './uploads/recover.ts'
import { uploadRoutes } from './uploads/routes.ts'
import { uploadStore } from './uploads/store.ts'
import { uploadsIn } from './uploads/uploads.ts'
import { userRoutes } from './users/routes.ts'
import { accountWithId, usernames } from './users/store.ts'
import { version } from './version.ts'

export interface Deps {
  db: Kysely<Database>
  clock: Clock
  /** This server among those over the same database. */
  node: Node
  log: Log
  settings: ReadSettings
  sessions: Sessions
  mounts: Mounts
  /** The files below a folder, which is a location. */
  storageAt(base: string): Storage
  /** Trees and grants of accounts and guests. */
  access: AccessReader
  /** How many of each kind of long request run at once. */
  limits: Limits
  /** What clients are told while they listen. */
  events: Events
  /** Small uploads that are in memory only. */
  held: HeldUploads
}

export interface App {
  readonly deps: Deps
  readonly routes: readonly Route[]
  fetch(request: Request, connection: Connection): Response | Promise<Response>
  /** Before the first answer: keeps files that a crash left half written from being read until they are mended. */
  guard(): Promise<void>
  /** Cleans up what dead nodes left, in the background, now and every minute. Never fails. */
  tidy(): Promise<void>
  /** Whether another server works with the same database. */
  hasOtherServers(): Promise<boolean>
  /** Ends answers that would never end: the listener waits for them when it closes. */
  endStreams(): void
  close(): Promise<void>
}

const defaultLifetime = 7200
/** In milliseconds: how often the file of the database is compared with the opened one, when nothing is written. */
const inspectEvery = 2000
/** The steps of the cleanup that the first server does for all. */
const ofDeadNodes = new Set(['what was being moved', 'unfinished changes', 'operations', 'jobs'])

/** The composition root: the only place that decides which adapter stands behind which port. */
export async function createApp(
  config: Config,
  log: Log,
  replace: Partial<Omit<Deps, 'settings'>> & {
    decoders?: Partial<DecoderOptions>
    uploadExpiryDelay?: number
    siblings?: Siblings
    /** Called when a newer version has changed the tables under this one. */
    outdated?: () => void
    openRemote?: MountDeps['openRemote']
  } = {},
): Promise<App> {
  // The database, and the place of this process among those that work on it.
  const db =
    replace.db ?? (await openDatabase(config.database, { isServer: true, connections: config.databaseConnections }))
  const clock = replace.clock ?? systemClock
  const reader = settingsReader(db)
  let latest = await reader.now()
  // Every request reads the settings first, so the modes that the storage takes from `latest` are current.
  const settings: ReadSettings = async () => {
    latest = await reader.now()
    return latest
  }
  const settingsAt: SettingsAt = async (version) => {
    latest = await reader.at(version)
    return latest
  }
  const node = joinNodes(makeSpool(config), {
    db,
    clock,
    timeout: config.nodeTimeout,
    leaseLost: () => {
      log.warn('Another server took this one for dead; what was under way may have been cleared away')
      messages?.missed()
    },
    outdated: () => replace.outdated?.(),
  })
  const bell = doorbellOf(db)
  // All processes over one PostgreSQL talk by its rows, those of one machine, too: each is a node.
  const messages = bell && messagesIn({ db, bell, node, clock })
  const siblings = messages ?? replace.siblings ?? noSiblings

  // The storage. The room that is told of its effects is made of it.
  let tellEffects: TellOfMount = () => {}
  const { mounts, snapshots, lookAt } = await servedStorage(config, {
    ...{ db, clock, log, node },
    modes: () => ({ file: latest.fileMode, folder: latest.dirMode }),
    tell: (...told) => tellEffects(...told),
    openRemote: replace.openRemote,
  })
  const storageAt = replace.storageAt ?? mounts.storageAt
  const access = accessReader({
    version: accessVersion(db),
    mounts: { ...mounts, storageAt },
    groupIdsOf: (user) => groupIdsOf(db, user),
    grantsFor: (subjects) => grantsFor(db, subjects),
    formerGrantsFor: (subjects, since) => formerGrantsFor(db, subjects, since),
  })

  // Signing in and sessions.
  const lifetime = lifetimeIn(config, log)
  const { processes } = config
  const throttle = config.disableLoginThrottle
    ? noThrottle
    : withMemoryFallback(throttleIn({ db, clock }, { processes }), (memory) =>
        throttleIn({ db: memory, clock }, { processes, countsAlone: true }),
      )
  const key = await signingKey(db)
  const tokens = await tokensSignedWith(key)
  const environment = hookEnvironment()
  const requireHost = hostGuard(config)
  const signIn = { db, clock, storageAt, throttle, environment, requireHost }
  const method = () => methodNow(signIn, settings)
  const restrict = config.readOnly ? readOnly : unrestricted
  // What is held because no row can be written cannot be told by rows either.
  const holding = messages === undefined ? { siblings } : { mayHold: () => node.others().length === 0 }
  const sessions = replace.sessions ?? sessionsIn({ db, clock, ...holding, tokens, method, restrict }, lifetime)

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
    : hooksOf({ settings, log, environment, timeLimit, allowShell: config.allowShell })
  const sharesChanged = (owner: number) => events.notice('shares', owner)
  const favouritesChanged = (owner: number) => events.notice('favourites', owner)
  const isOneOfSeveral = processes > 1 || messages !== undefined
  const sharesFollow = shareFollower({ db, node, storageAt, access, isOneOfSeveral, changed: sharesChanged })
  const uploadRows = uploadStore(db)
  // What only this process knows, no other one could go on with.
  const held = heldUploads({
    ...{ store: uploadRows, storageAt, most: isOneOfSeveral ? 0 : mostHeldUploads },
    isAlone: async () => node.others().length === 0 && !(await node.hasOthers()),
  })
  const history = historyIn({
    ...{ db, clock, node, log, mounts, snapshots, storageAt },
    isReadOnly: config.readOnly,
    changed: (owner) => events.notice('history', owner),
  })
  tellEffects = history.tell
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
  const { isShut, watchChanges } = sharesFollow
  const grants = grantsSignedWith(key)
  const shareDeps = {
    db,
    clock,
    access,
    storageAt,
    settings,
    throttle,
    grants,
    isShut,
    watchChanges,
    changed: sharesChanged,
  }
  const uploads = uploadsIn(
    { store: uploadRows, held, clock, node, siblings, storageAt, changes, told: events },
    config.uploadLifetime,
  )

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

  // Work in the background.
  const shareExpiry = expiryTimer(expirySweep(shareDeps))
  const closing = new AbortController()
  const inspecting = setInterval(() => inspect(db), inspectEvery).unref()
  const cleanup = cleanupOf(
    {
      node: async () => {
        if (await node.renew()) await othersWatch.tellDeaths()
      },
      messages: async () => {
        await messages?.join()
        if (await node.isFirst()) await messages?.sweep()
      },
      'half-written files': mounts.repairHalfWritten,
      'what was being moved': mounts.restoreSources,
      drafts: mounts.clearDrafts,
      'unfinished changes': journal.recover,
      ...history.cleanup,
      jobs: jobs.recover,
      'finished uploads': uploadRecovery(uploads),
      uploads: uploadExpiry(uploads, { delay: replace.uploadExpiryDelay }),
      'drafts of no known work': async () => {
        if (!config.readOnly) await mounts.clearOrphans()
      },
    },
    log,
    {
      // A disk that hangs here may answer another server, which has its turn then.
      unfinished: async (steps) => {
        if (steps.some((step) => ofDeadNodes.has(step))) await node.passOn()
      },
    },
  )
  const othersWatch = watchOthers({ node, siblings, presence: presenceOf(db), died: () => void cleanup.start() })

  // What is answered.
  const limits = replace.limits ?? defaultLimits()
  const report = reporter(log)
  const audit = auditIn(log, { isVerbose: config.logLevel === 'debug' })
  const still = stillsWith(Bun.which('ffmpeg'), config.maxImagePixels)
  const previews = previewsWith({
    ...config,
    cacheFolder: makeCacheFolder(config.cacheDir),
    still,
    decoders: replace.decoders,
  })

  const routes: Route[] = [
    ...healthRoutes(
      healthCheck(
        firstFailing(
          databaseProbe(db),
          storageProbe(config.root),
          async () => ((await mounts.isFirstGone()) ? volumeGone : undefined),
          leaseProbe(node),
        ),
        log,
      ),
    ),
    ...sessionRoutes(sessions, lifetime),
    ...fileRoutes({
      archives,
      detectByContent: !config.disableTypeDetectionByHeader,
      limits,
      changes,
      jobs,
      baseURL: config.baseURL,
      isSlow: (location) => mounts.kindOf(mountOf(location)) !== 'disk',
      keptSize: history.sizeIn,
    }),
    ...favouriteRoutes({ db, clock, changed: favouritesChanged }),
    ...history.routes,
    ...eventRoutes(events),
    ...jobRoutes({ jobs, limits, baseURL: config.baseURL, usernames: () => usernames(db) }),
    ...uploadRoutes(uploads, {
      ...config,
      log: { did: (event, context, facts) => audit.did(event, context, 'web', facts), report },
    }),
    ...userRoutes(
      {
        ...{ db, clock, storageAt, throttle, endSessions: deleteSessionsOf },
        ...{ endGrants: endGrantsOf, leaveKept: leaveKeptOf, hasPast: history.hasPast },
      },
      settings,
    ),
    ...groupRoutes({ db, endGrants: endGrantsOf }),
    ...grantRoutes({ db, storageAt, settings }),
    ...mountRoutes({
      db,
      mounts,
      subjects: subjectCounter(db),
      root: config.root,
      dropDrafts: (folder) => dropDraftsBelow(uploads, folder),
      checkedFolder: (folder, others) => mounts.checks.requireFolder(folder, { isBounded: true, others }),
      lookAtServer: lookAt,
      foldersIn: mounts.checks.foldersAt,
      snapshots,
    }),
    ...settingsRoutes({ db }),
    ...takeoverRoutes({ db }),
    ...shareRoutes(shareDeps, { detectByContent: !config.disableTypeDetectionByHeader, limits }),
    ...commandRoutes({
      isEnabled: !config.disableExec,
      began: (context, command) => audit.did('command', context, 'web', { path: context.path, command }),
      environment: commandEnvironment(),
      timeLimit,
      openFolder: async (scope, path) => {
        const found = scope.tree.find(await scope.resolve(path))
        if (found === undefined) throw new Failure('forbidden', 'Commands run in one of the root folders')
        return mounts.openFolder(found.part.base, found.path)
      },
    }),
    ...previewRoutes(previews),
    ...mediaRoutes(),
    ...searchRoutes({ ...config, limits }),
    ...installedAppRoutes(clientFolder, settings),
    ...assetRoutes(clientFolder, settings),
  ]
  routes.push(...apiDocsRoutes(routes, { version, baseURL: config.baseURL }))
  const page = pageRoute(clientFolder, settings, async () => captchaSettings(await readAuth({ db })), {
    baseURL: config.baseURL,
    version,
    enableExec: !config.disableExec,
    enableThumbnails: !config.disableThumbnails,
    canTakeStills: still !== undefined,
    resizePreview: !config.disablePreviewResize,
    frameAncestors: config.frameAncestors,
    readOnly: config.readOnly,
    letsGuestsIn: ({ authMethod }) => letsGuestsIn(authMethod, access),
  })
  const answer = behindDoors(routes, page, {
    sessions,
    versions: versionReader(db),
    settingsAt,
    access,
    requireHost,
    restrict,
    inPast: history.inPast,
    openShare: (hash, path, visitor) => openShare(shareDeps, hash, path, visitor),
    // Without a query for most servers. Should the method have become `proxy` a moment ago, only an expired token is refused.
    vouchedName: ({ request, connection }) =>
      connection.isFromTrustedProxy && latest.authMethod === 'proxy'
        ? vouchedName(signIn, settings, { isFromTrustedProxy: true, headers: request.headers })
        : undefined,
    report,
    audit,
  })
  const guardedFetch: App['fetch'] = (request, connection) => {
    try {
      requireHost(request.headers, { needsNoSignIn: latest.authMethod === 'noauth' })
    } catch (error) {
      report(error, request, connection)
      return answerFailure(error, request)
    }
    return answer(request, connection)
  }

  return {
    deps: { db, clock, node, log, settings, sessions, mounts, storageAt, access, limits, events, held },
    routes,
    fetch: config.accessLog ? accessLogged(guardedFetch, log) : guardedFetch,
    guard: () => {
      void messages?.join().catch(() => {})
      return mounts.guardHalfWritten().catch(() => {})
    },
    tidy() {
      shareExpiry.start()
      // In the background: until it is done, old shares are resolved one by one.
      void checkSymlinks(shareDeps, closing.signal).catch(() => {})
      return cleanup.start()
    },
    hasOtherServers: () => node.hasOthers(),
    endStreams: events.endAll,
    async close() {
      closing.abort()
      othersWatch.close()
      events.close()
      watcher.close()
      cleanup.stop()
      filesOfAnswers.closeAll()
      shareExpiry.stop()
      await jobs.close()
      await journal.close()
      clearInterval(inspecting)
      previews.close()
      endPrograms()
      await held.write('all')
      await uploads.store.flush().catch(() => {})
      await history.close()
      snapshots.close()
      mounts.close()
      await node.leave()
      await messages?.leave()
      await db.destroy()
    },
  }
}

function lifetimeIn({ tokenExpirationTime }: Config, log: Log): number {
  const seconds = parseDuration(tokenExpirationTime)
  if (seconds !== undefined) return Math.max(1, Math.round(seconds))
  log.warn(`The token expiration time ${JSON.stringify(tokenExpirationTime)} is not understood; using 2h`)
  return defaultLifetime
}
