import { basename, dirname, join } from 'node:path'
import type { Settings } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { defaultLimits, type Limits } from './access/limits.ts'
import { readOnly, unrestricted } from './access/read-only.ts'
import type { Route } from './access/routes.ts'
import { noThrottle, throttleIn } from './access/throttle.ts'
import { withMemoryFallback } from './access/throttle-fallback.ts'
import { apiDocsRoutes } from './api/docs.ts'
import { journalIn } from './changes/journal.ts'
import type { Changes } from './changes/pipeline.ts'
import { assetRoutes } from './client/assets.ts'
import { installedAppRoutes } from './client/installed-app.ts'
import { captchaSettings, pageRoute } from './client/page.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Config, commandEnvironment, hookEnvironment, parseDuration } from './config/config.ts'
import { openDatabase } from './database/open.ts'
import { inspect } from './database/port.ts'
import type { Database } from './database/schema.ts'
import { accessLogged, auditIn } from './doors/audit.ts'
import { behindDoors } from './doors/doors.ts'
import { reporter } from './doors/report.ts'
import { favouriteFollower } from './favourites/follow.ts'
import { favouriteRoutes } from './favourites/routes.ts'
import { fileRoutes } from './files/routes.ts'
import { healthCheck } from './health/check.ts'
import { databaseProbe, firstFailing, storageProbe } from './health/probes.ts'
import { healthRoutes } from './health/routes.ts'
import { hooksOf } from './hooks/hooks.ts'
import { commandRoutes } from './hooks/routes.ts'
import { answerFailure } from './http/failures.ts'
import { filesOfAnswers } from './http/held-files.ts'
import { hostGuard } from './http/hosts.ts'
import type { Connection } from './http/request.ts'
import type { Log } from './log/log.ts'
import { makeSpool, ownPlaces, spoolOf } from './mounts/own-places.ts'
import { realPathsBelow } from './mounts/real-path.ts'
import { cleanupOf } from './nodes/cleanup.ts'
import { joinNodes, type Node } from './nodes/node.ts'
import { noSiblings, type Siblings } from './nodes/siblings.ts'
import { clientFolder } from './parts.ts'
import { cachePlaces, makeCacheFolder } from './previews/cache.ts'
import type { DecoderOptions } from './previews/decoders.ts'
import { mediaRoutes } from './previews/media/routes.ts'
import { previewsWith } from './previews/previews.ts'
import { previewRoutes } from './previews/routes.ts'
import { stillsWith } from './previews/still.ts'
import { endPrograms } from './programs/run.ts'
import { searchRoutes } from './search/routes.ts'
import { methodNow, vouchedName } from './sessions/methods/methods.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { type Sessions, sessionsIn } from './sessions/sessions.ts'
import { deleteSessionsOf } from './sessions/store.ts'
import { tokensSignedWith } from './sessions/tokens.ts'
import { settingsRoutes } from './settings/routes.ts'
import { type ReadSettings, readAuth, settingsReader, signingKey } from './settings/settings.ts'
import { expirySweep, expiryTimer } from './shares/expire.ts'
import { shareFollower } from './shares/follow.ts'
import { grantsSignedWith } from './shares/grants.ts'
import { openShare } from './shares/open.ts'
import { checkSymlinks } from './shares/resolve.ts'
import { shareRoutes } from './shares/routes.ts'
import type { Disk } from './storage/disk/disk.ts'
import { foldsCaseBelow } from './storage/disk/folding.ts'
import { guarded } from './storage/disk/guarded.ts'
import { draftKnown, draftLedger, moveLedger } from './storage/disk/ledger.ts'
import { findOwnFiles, type OwnPaths } from './storage/disk/own-files.ts'
import { diskScopes } from './storage/disk/scopes.ts'
import { volumeGone } from './storage/disk/volume.ts'
import { linuxKernel } from './storage/linux/kernel.ts'
import type { Storage } from './storage/port.ts'
import { threadedScopes } from './storage/threads/scopes.ts'
import { takeoverIn } from './takeover/document.ts'
import { takeoverRoutes } from './takeover/routes.ts'
import { uploadExpiry } from './uploads/expire.ts'
import { uploadFollower } from './uploads/follow.ts'
import { uploadRoutes } from './uploads/routes.ts'
import { uploadStore } from './uploads/store.ts'
import { uploadsIn } from './uploads/uploads.ts'
import { userRoutes } from './users/routes.ts'
import { version } from './version.ts'

export interface Deps {
  db: Kysely<Database>
  clock: Clock
  log: Log
  settings: ReadSettings
  sessions: Sessions
  /** The files of a user whose scope is this folder below the root. */
  storageAt(scope: string): Storage
  /** How many of each kind of long request run at once. */
  limits: Limits
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
  close(): Promise<void>
}

const defaultLifetime = 7200
/** In milliseconds: how often the file of the database is compared with the opened one, when nothing is written. */
const inspectEvery = 2000
/** In seconds: a draft of no known work is younger than this only if its row is yet to come. */
const youngestOrphan = 3600

/** The composition root: the only place that decides which adapter stands behind which port. */
export async function createApp(
  config: Config,
  log: Log,
  replace: Partial<Deps> & { decoders?: Partial<DecoderOptions>; uploadExpiryDelay?: number; siblings?: Siblings } = {},
): Promise<App> {
  // The database, and the place of this process among those that work on it.
  const db = replace.db ?? (await openDatabase(config.database, { isServer: true }))
  const clock = replace.clock ?? systemClock
  const readSettings = replace.settings ?? settingsReader(db)
  let latest = await readSettings()
  // Every request reads the settings first, so the modes that the storage takes from `latest` are current.
  const settings: ReadSettings = async () => {
    latest = await readSettings()
    return latest
  }
  const siblings = replace.siblings ?? noSiblings
  const node = joinNodes(makeSpool(config), {
    db,
    clock,
    leaseLost: () => log.warn('Another server took this one for dead; what was under way may have been cleared away'),
  })

  // The storage.
  const own = await ownPlacesOf(config, db)
  const scopes = threadedScopes({
    settings: {
      root: config.root,
      own,
      spool: spoolOf(config),
      follows: config.followExternalSymlinks,
      // A read-only server may run beside another one, whose uploads are in another database.
      orphanAge: config.readOnly ? undefined : Math.max(config.uploadLifetime, youngestOrphan),
    },
    drafts: draftLedger(db, node),
    moves: moveLedger(db, node),
    modes: () => ({ file: latest.fileMode, folder: latest.dirMode }),
    now: clock.unixSeconds,
    isKnownDraft: draftKnown(db, node),
    recovered: (file) =>
      log.warn({ file }, 'The server died while this was written into a file that is gone; it is kept under this name'),
  })
  await scopes.ready()
  const storageAt = replace.storageAt ?? scopes.storageAt

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
  const sessions =
    replace.sessions ??
    sessionsIn({ db, clock, siblings, tokens, method, restrict: config.readOnly ? readOnly : unrestricted }, lifetime)

  // Changes, and the rooms that follow them.
  const timeLimit = config.commandTimeout * 1000
  const hooks = config.disableExec
    ? undefined
    : hooksOf({ settings, log, environment, timeLimit, allowShell: config.allowShell })
  const sharesFollow = shareFollower({ db, storageAt, isOneOfSeveral: processes > 1 })
  const uploadRows = uploadStore(db)
  const followers = [sharesFollow, uploadFollower({ store: uploadRows, storageAt }), favouriteFollower(db)]
  const journal = journalIn({ db, clock, node, log, followers })
  const realPath = realPathsBelow(config.root, storageAt)
  const changes: Changes = { door: 'web', journal, hooks, realPath }
  const { isShut, watchChanges } = sharesFollow
  const grants = grantsSignedWith(key)
  const shareDeps = { db, clock, storageAt, settings, throttle, grants, isShut, watchChanges }
  const uploads = uploadsIn({ store: uploadRows, clock, node, siblings, storageAt, changes }, config.uploadLifetime)

  // Work in the background.
  const shareExpiry = expiryTimer(expirySweep(shareDeps))
  const closing = new AbortController()
  const inspecting = setInterval(() => inspect(db), inspectEvery).unref()
  const unswept = config.readOnly ? [] : [spoolOf(config), config.root]
  const cleanup = cleanupOf(
    {
      node: () => node.renew(),
      'half-written files': async () => {
        await scopes.guardHalfWritten()
        await scopes.repairHalfWritten()
      },
      'what was being moved': scopes.restoreSources,
      drafts: scopes.clearDrafts,
      'unfinished changes': journal.recover,
      uploads: uploadExpiry(uploads, { delay: replace.uploadExpiryDelay }),
      // All other folders are swept when they are listed.
      'drafts of no known work': () => scopes.clearOrphansIn(unswept.splice(0)),
    },
    log,
  )

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
        firstFailing(databaseProbe(db), storageProbe(config.root), async () =>
          (await scopes.isVolumeGone()) ? volumeGone : undefined,
        ),
        log,
      ),
    ),
    ...sessionRoutes(sessions, lifetime),
    ...fileRoutes({
      detectByContent: !config.disableTypeDetectionByHeader,
      limits,
      changes,
    }),
    ...favouriteRoutes({ db, clock }),
    ...uploadRoutes(uploads, {
      ...config,
      log: { did: (event, context, facts) => audit.did(event, context, 'web', facts), report },
    }),
    ...userRoutes({ db, clock, storageAt, throttle, endSessions: deleteSessionsOf }, settings),
    ...settingsRoutes({ db }),
    ...takeoverRoutes({ db }),
    ...shareRoutes(shareDeps, { detectByContent: !config.disableTypeDetectionByHeader, limits }),
    ...commandRoutes({
      isEnabled: !config.disableExec,
      began: (context, command) => audit.did('command', context, 'web', { path: context.path, command }),
      environment: commandEnvironment(),
      timeLimit,
      openFolder: async (scope, path) => {
        const real = await storageAt(scope.actor.user.scope).resolve(path)
        scope.requireVisible(real)
        return scopes.openFolder(scope.actor.user.scope, real)
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
  })
  const answer = behindDoors(routes, page, {
    sessions,
    settings,
    storageAt,
    openShare: (hash, path, visitor) => openShare(shareDeps, hash, path, visitor),
    vouchedName: ({ request, connection }) =>
      connection.isFromTrustedProxy
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
    deps: { db, clock, log, settings, sessions, storageAt, limits },
    routes,
    fetch: config.accessLog ? accessLogged(guardedFetch, log) : guardedFetch,
    guard: () => scopes.guardHalfWritten().catch(() => {}),
    tidy() {
      shareExpiry.start()
      // In the background: until it is done, old shares are resolved one by one.
      void checkSymlinks(shareDeps, closing.signal).catch(() => {})
      return cleanup.start()
    },
    hasOtherServers: () => node.hasOthers(),
    async close() {
      closing.abort()
      cleanup.stop()
      filesOfAnswers.closeAll()
      shareExpiry.stop()
      await journal.close()
      clearInterval(inspecting)
      previews.close()
      endPrograms()
      await uploads.store.flush().catch(() => {})
      scopes.close()
      await node.leave()
      await db.destroy()
    },
  }
}

/** The storage of every scope below a root, for commands. */
export async function storageFor(config: Config, db: Kysely<Database>): Promise<Deps['storageAt']> {
  const settings = await settingsReader(db)()
  const disk = await diskFor(config, db, joinNodes(makeSpool(config)), () => settings)
  return diskScopes(disk, config.root).storageAt
}

/** The disk without worker threads, for a command that does one thing and ends. */
async function diskFor(config: Config, db: Kysely<Database>, node: Node, latest: () => Settings): Promise<Disk> {
  const follows = config.followExternalSymlinks
  const kernel = linuxKernel({ follows })
  const ownFiles = findOwnFiles(kernel, await ownPlacesOf(config, db))
  return {
    kernel: guarded(kernel, ownFiles),
    ledger: draftLedger(db, node),
    moves: moveLedger(db, node),
    ownFiles,
    modes: () => ({ file: latest().fileMode, folder: latest().dirMode }),
    spool: spoolOf(config),
    follows,
    foldsCase: foldsCaseBelow(config.root),
  }
}

const ownPlacesOf = async (config: Config, db: Kysely<Database>): Promise<OwnPaths> =>
  ownPlaces(config, { predecessors: await predecessorsOf(config, db), caches: cachePlaces(config) })

/** The database that this one was made from holds the same signing key and password hashes. It may have been moved along. */
async function predecessorsOf({ database }: Config, db: Kysely<Database>): Promise<string[]> {
  const { files = [] } = (await takeoverIn(db)) ?? {}
  return files.flatMap((file) => [file, join(dirname(database), basename(file))])
}

function lifetimeIn({ tokenExpirationTime }: Config, log: Log): number {
  const seconds = parseDuration(tokenExpirationTime)
  if (seconds !== undefined) return Math.max(1, Math.round(seconds))
  log.warn(`The token expiration time ${JSON.stringify(tokenExpirationTime)} is not understood; using 2h`)
  return defaultLifetime
}
