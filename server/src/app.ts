import { mkdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { nameOf, type Settings } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { defaultLimits, type Limits } from './access/limits.ts'
import { readOnly, unlimited } from './access/read-only.ts'
import type { Route } from './access/routes.ts'
import type { Scope } from './access/scope.ts'
import { noThrottle, throttleIn } from './access/throttle.ts'
import { alsoUnwritten } from './access/throttle-unwritten.ts'
import { apiDocsRoutes } from './api/docs.ts'
import { noHooks } from './changes/hooks.ts'
import { assetRoutes } from './client/assets.ts'
import { installedAppRoutes } from './client/installed-app.ts'
import { captchaSettings, pageRoute } from './client/page.ts'
import { type Clock, systemClock } from './clock.ts'
import { pauses } from './concurrency/pauses.ts'
import { type Config, commandEnvironment, hookEnvironment, parseDuration } from './config/config.ts'
import { connectionsOf, openDatabase } from './database/open.ts'
import type { Database } from './database/schema.ts'
import { accessLogged, auditIn } from './doors/audit.ts'
import { behindDoors } from './doors/doors.ts'
import { reporter } from './doors/report.ts'
import { fileRoutes } from './files/routes.ts'
import { conditionOf } from './health/condition.ts'
import { databaseProbe, oneByOne, storageProbe } from './health/probes.ts'
import { healthRoutes } from './health/routes.ts'
import { hooksOf } from './hooks/hooks.ts'
import { commandRoutes } from './hooks/routes.ts'
import { endPrograms } from './hooks/run.ts'
import { answerFailure } from './http/failures.ts'
import { filesOfAnswers } from './http/held-files.ts'
import { hostGuard } from './http/hosts.ts'
import type { Connection } from './http/request.ts'
import type { Log } from './log/log.ts'
import { ownPlaces, spoolOf } from './mounts/own-places.ts'
import { joinNodes, type Node } from './nodes/node.ts'
import { tidyingOf } from './nodes/tidying.ts'
import { clientFolder } from './parts.ts'
import { cachePlaces, makeCacheFolder } from './previews/cache.ts'
import { previewsWith } from './previews/previews.ts'
import { previewRoutes } from './previews/routes.ts'
import { stillsWith } from './previews/still.ts'
import { searchRoutes } from './search/routes.ts'
import { methodNow, vouchedName } from './sessions/methods/methods.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { type Sessions, sessionsIn } from './sessions/sessions.ts'
import { deleteSessionsOf } from './sessions/store.ts'
import { tokensSignedWith } from './sessions/tokens.ts'
import { settingsRoutes } from './settings/routes.ts'
import { type ReadSettings, readAuth, settingsReader, signingKey } from './settings/settings.ts'
import { doubtsIn } from './shares/doubts.ts'
import { clearingShares, expirySweep } from './shares/expire.ts'
import { dropSharesInDoubt, shareWitness } from './shares/follow.ts'
import { grantsSignedWith } from './shares/grants.ts'
import { openShare } from './shares/open.ts'
import { folderOf } from './shares/places.ts'
import { reviewShares } from './shares/review.ts'
import { shareRoutes } from './shares/routes.ts'
import { type Disk, diskScopes } from './storage/disk/disk.ts'
import { clearDrafts, type DraftLedger, guardTorn } from './storage/disk/drafts.ts'
import { foldsCaseBelow } from './storage/disk/folding.ts'
import { guarded } from './storage/disk/guarded.ts'
import { bringBack } from './storage/disk/leaving.ts'
import { draftKnown, draftLedger, leavingLedger } from './storage/disk/ledger.ts'
import { orphansOf } from './storage/disk/orphans.ts'
import { oursAmong } from './storage/disk/ours.ts'
import { mendTorn } from './storage/disk/torn.ts'
import { volumeGone, volumesBelow } from './storage/disk/volume.ts'
import { linuxKernel } from './storage/linux/kernel.ts'
import { lookupsWith } from './storage/linux/lookups.ts'
import { inFolder, parentOf, type VirtualPath } from './storage/path.ts'
import type { Storage } from './storage/port.ts'
import { takeoverIn } from './takeover/document.ts'
import { takeoverRoutes } from './takeover/routes.ts'
import { clearUploads } from './uploads/clear.ts'
import { uploadWitness } from './uploads/follow.ts'
import { uploadRoutes } from './uploads/routes.ts'
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
  /** How much long work there is at once. */
  limits: Limits
}

export interface App {
  readonly deps: Deps
  readonly routes: readonly Route[]
  fetch(request: Request, connection: Connection): Response | Promise<Response>
  /** Before the first answer: what a crash left half written is not read before it is mended. */
  guard(): Promise<void>
  /** Clears away what dead nodes left, beside the first answers, and goes on to do so. Never fails. */
  tidy(): Promise<void>
  close(): Promise<void>
}

const defaultLifetime = 7200
/** In milliseconds: how soon we notice that the database was replaced, when nobody changes anything. */
const lookEvery = 2000
/** In seconds. */
const youngestOrphan = 3600

/** The composition root: the only place that decides which adapter stands behind which port. */
export async function createApp(config: Config, log: Log, replace: Partial<Deps> = {}): Promise<App> {
  const db = replace.db ?? (await openDatabase(config.database))
  const clock = replace.clock ?? systemClock
  const readSettings = replace.settings ?? settingsReader(db)
  let latest = await readSettings()
  // Every request reads them first, so what the storage sees a moment later is what holds now.
  const settings: ReadSettings = async () => {
    latest = await readSettings()
    return latest
  }
  const lifetime = lifetimeIn(config, log)
  const throttleOn = (db: Kysely<Database>) => throttleIn({ db, clock })
  const throttle = config.disableLoginThrottle ? noThrottle : alsoUnwritten(throttleOn(db), throttleOn)
  const key = await signingKey(db)
  const tokens = await tokensSignedWith(key)
  const node = joinNodes(makeSpool(config))
  const disk = await diskFor(config, db, node, () => latest)
  const orphans = orphansOf({
    kernel: disk.kernel,
    isKnown: draftKnown(db, node),
    unixSeconds: clock.unixSeconds,
    age: Math.max(config.uploadLifetime, youngestOrphan),
  })
  // One that only shows files may stand beside another server, whose uploads are in another database.
  if (!config.readOnly) disk.orphans = orphans
  disk.lookups = lookupsWith({ follows: config.followExternalSymlinks })
  disk.volumes = volumesBelow(disk.kernel, config.root)
  const scopes = diskScopes(disk, config.root)
  const storageAt = replace.storageAt ?? scopes.storageAt
  const limits = replace.limits ?? defaultLimits()
  const environment = hookEnvironment()
  const requireHost = hostGuard(config)
  const signIn = { db, clock, storageAt, throttle, environment, requireHost }
  const method = () => methodNow(signIn, settings)
  const sessions =
    replace.sessions ??
    sessionsIn({ db, clock, tokens, method, limits: config.readOnly ? readOnly : unlimited }, lifetime)
  const realPath = async ({ actor }: Scope, path: VirtualPath) => {
    const { scope } = actor.user
    const base = await storageAt('/').resolve(folderOf(scope))
    return join(config.root, base, await nameIn(storageAt(scope), path))
  }
  const timeLimit = config.commandTimeout * 1000
  const hooks = config.disableExec
    ? noHooks
    : hooksOf({ settings, log, environment, timeLimit, allowShell: config.allowShell })
  const doubts = doubtsIn(db, log, { node: node.id })
  const shareDeps = { db, clock, storageAt, settings, throttle, grants: grantsSignedWith(key), doubts }
  const clearingOver = clearingShares(expirySweep(shareDeps))
  const closing = new AbortController()
  const uploads = uploadsIn({ db, clock, node, storageAt, changes: { hooks, realPath } }, config.uploadLifetime)
  const lookingAfter = setInterval(() => connectionsOf(db)?.lookAfter(), lookEvery).unref()
  const clearing = {
    root: resolve(config.root),
    recovered: (file: string) =>
      log.warn({ file }, 'The server died while this was written into a file that is gone; it is kept under this name'),
  }
  const unlooked = config.readOnly ? [] : [disk.spool, config.root]
  const tidying = tidyingOf(
    {
      node: async () => node.stay(),
      'half-written files': async () => {
        await guardTorn(disk.kernel, disk.ledger, clearing)
        await mendTorn()
      },
      'what was being moved': () => bringBack(disk.kernel, disk.leaving),
      drafts: () => clearDrafts(disk.kernel, withPauses(disk.ledger), clearing),
      uploads: () => clearUploads(uploads),
      links: () => dropSharesInDoubt({ db, node }),
      'drafts that nobody knows': async () => {
        // All other folders are looked at when somebody reads them.
        for (const folder of unlooked.splice(0)) await orphans.look(folder).catch(() => {})
        await orphans.settled()
      },
    },
    log,
  )
  const audit = auditIn(log, { isVerbose: config.logLevel === 'debug' })
  const still = stillsWith(Bun.which('ffmpeg'), config.maxImagePixels)
  const previews = previewsWith({
    ...config,
    cacheFolder: makeCacheFolder(config.cacheDir),
    still,
  })

  const routes: Route[] = [
    ...healthRoutes(
      conditionOf(
        oneByOne(databaseProbe(db, config.database), storageProbe(config.root), async () =>
          scopes.isVolumeGone() ? volumeGone : undefined,
        ),
        log,
      ),
    ),
    ...sessionRoutes(sessions, lifetime),
    ...fileRoutes({
      detectByContent: !config.disableTypeDetectionByHeader,
      limits,
      hooks,
      realPath,
      witness: uploadWitness(uploads, shareWitness(shareDeps)),
    }),
    ...uploadRoutes(uploads, config),
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
  const report = reporter(log)
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
    guard: () => guardTorn(disk.kernel, disk.ledger, clearing).catch(() => {}),
    tidy() {
      clearingOver.start()
      // Nobody has to wait for it: until it is done, old shares are looked up one by one.
      void reviewShares(shareDeps, closing.signal).catch(() => {})
      return tidying.start()
    },
    async close() {
      closing.abort()
      tidying.stop()
      filesOfAnswers.closeAll()
      clearingOver.stop()
      doubts.stop()
      clearInterval(lookingAfter)
      endPrograms()
      await uploads.store.settle().catch(() => {})
      await db.destroy()
      node.leave()
    },
  }
}

/** The storage of every scope below a root, for those who have no server running. */
export async function storageFor(config: Config, db: Kysely<Database>): Promise<Deps['storageAt']> {
  const settings = await settingsReader(db)()
  const disk = await diskFor(config, db, joinNodes(makeSpool(config)), () => settings)
  return diskScopes(disk, config.root).storageAt
}

/** A database on this machine answers before the event loop has had a turn: 50,000 drafts would be cleared in one. */
function withPauses(ledger: DraftLedger): DraftLedger {
  const pause = pauses()
  return {
    ...ledger,
    async end(draft) {
      await ledger.end(draft)
      await pause()
    },
  }
}

/** Where a name lies that may itself be a link: only the links on the way to it are followed. */
const nameIn = async (storage: Storage, path: VirtualPath): Promise<VirtualPath> =>
  path === '/' ? path : inFolder(await storage.resolve(parentOf(path)), nameOf(path))

/** Where no drafts can be kept, as on a full disk, the server still serves. */
function makeSpool(config: Config): string {
  const spool = spoolOf(config)
  try {
    mkdirSync(spool, { recursive: true, mode: 0o700 })
  } catch {}
  return spool
}

async function diskFor(config: Config, db: Kysely<Database>, node: Node, latest: () => Settings): Promise<Disk> {
  const spool = spoolOf(config)
  const follows = config.followExternalSymlinks
  const predecessors = await predecessorsOf(config, db)
  const kernel = linuxKernel({ follows })
  const ours = oursAmong(kernel, () => ownPlaces(config, { predecessors, caches: cachePlaces(config) }))
  return {
    kernel: guarded(kernel, ours),
    ledger: draftLedger(db, node),
    leaving: leavingLedger(db, node),
    ours,
    modes: () => ({ file: latest().fileMode, folder: latest().dirMode }),
    spool,
    follows,
    foldsCase: foldsCaseBelow(config.root),
  }
}

/** What we were made from holds our signing key and our users' hashes. It may have been moved along with our database. */
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
