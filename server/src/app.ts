import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { type Clock, systemClock } from './clock.ts'
import { type Config, inheritedEnvironment, parseDuration } from './config.ts'
import { databaseFiles, openDatabase } from './database/open.ts'
import type { Database } from './database/schema.ts'
import { fileRoutes } from './files/routes.ts'
import { draftLedger } from './files/store.ts'
import { assetRoutes } from './http/assets.ts'
import { healthRoutes } from './http/health.ts'
import { captchaSettings, pageRoute } from './http/page.ts'
import { reporter } from './http/report.ts'
import { routerOf } from './http/router.ts'
import type { Route, Surroundings } from './http/routes.ts'
import type { Log } from './log.ts'
import { methodNow, vouchedName } from './sessions/methods/methods.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { type Sessions, sessionsIn } from './sessions/sessions.ts'
import { tokensSignedWith } from './sessions/tokens.ts'
import { settingsRoutes } from './settings/routes.ts'
import { type ReadSettings, readAuth, settingsReader, signingKey } from './settings/settings.ts'
import { type Disk, diskStorage } from './storage/disk.ts'
import { clearDrafts } from './storage/drafts.ts'
import { linuxKernel } from './storage/kernel.ts'
import { oursAmong } from './storage/ours.ts'
import type { Storage } from './storage/storage.ts'
import { userRoutes } from './users/routes.ts'
import { noThrottle, throttleIn } from './users/throttle.ts'
import { version } from './version.ts'

export interface Deps {
  db: Kysely<Database>
  clock: Clock
  log: Log
  settings: ReadSettings
  sessions: Sessions
  /** The files of a user whose scope is this folder below the root. */
  storageAt(scope: string): Storage
}

export interface App {
  readonly deps: Deps
  readonly routes: readonly Route[]
  fetch(request: Request, surroundings: Surroundings): Response | Promise<Response>
  /** Clears away what dead processes left. Only once we are sure to be the one who serves. */
  tidy(): Promise<void>
  close(): Promise<void>
}

const clientFolder = join(import.meta.dirname, '../../web/dist')
const defaultLifetime = 7200

/** The composition root: the only place that decides which adapter stands behind which port. */
export async function createApp(config: Config, log: Log, replace: Partial<Deps> = {}): Promise<App> {
  const db = replace.db ?? (await openDatabase(config.database))
  const clock = replace.clock ?? systemClock
  const settings = replace.settings ?? settingsReader(db)
  const lifetime = lifetimeIn(config, log)
  const throttle = config.disableLoginThrottle ? noThrottle : throttleIn({ db, clock })
  const tokens = await tokensSignedWith(await signingKey(db))
  const disk = await diskFor(config, db, settings)
  const storageAt = replace.storageAt ?? storageBelow(disk, config.root)
  const signIn = { db, clock, storageAt, throttle, environment: inheritedEnvironment() }
  const method = () => methodNow(signIn, settings)
  const sessions = replace.sessions ?? sessionsIn({ db, clock, tokens, method }, lifetime)

  const routes = [
    ...healthRoutes(),
    ...sessionRoutes(sessions, lifetime),
    ...fileRoutes({ detectByContent: !config.disableTypeDetectionByHeader }),
    ...userRoutes({ db, clock, storageAt }, settings),
    ...settingsRoutes({ db }, settings),
    ...assetRoutes(clientFolder, settings),
  ]
  const page = pageRoute(clientFolder, settings, async () => captchaSettings(await readAuth({ db })), {
    baseURL: config.baseURL,
    version,
    enableExec: !config.disableExec,
    enableThumbnails: !config.disableThumbnails,
    resizePreview: !config.disablePreviewResize,
  })
  const router = routerOf(routes, page, {
    sessions,
    settings,
    storageAt,
    vouchedName: ({ request, surroundings }) =>
      surroundings.isFromTrustedProxy
        ? vouchedName(signIn, settings, { ...surroundings, headers: request.headers })
        : undefined,
    report: reporter(log),
  })

  return {
    deps: { db, clock, log, settings, sessions, storageAt },
    routes,
    fetch: (request, surroundings) => router.fetch(request, surroundings),
    tidy: () => clearDrafts(disk.kernel, disk.ledger),
    close: () => db.destroy(),
  }
}

/** The storage of every scope below a root, for those who have no server running. */
export async function storageFor(config: Config, db: Kysely<Database>): Promise<Deps['storageAt']> {
  return storageBelow(await diskFor(config, db, settingsReader(db)), config.root)
}

const storageBelow =
  (disk: Disk, root: string): Deps['storageAt'] =>
  (scope) =>
    diskStorage(disk, join(root, join('/', scope)))

async function diskFor(config: Config, db: Kysely<Database>, settings: ReadSettings): Promise<Disk> {
  const spool = `${config.database}-drafts`
  mkdirSync(spool, { recursive: true, mode: 0o700 })
  const kernel = linuxKernel()
  const { fileMode, dirMode } = await settings()
  return {
    kernel,
    ledger: draftLedger(db),
    ours: oursAmong(kernel, [...databaseFiles(config.database), spool]),
    modes: () => ({ file: fileMode, folder: dirMode }),
    spool,
  }
}

function lifetimeIn({ tokenExpirationTime }: Config, log: Log): number {
  const seconds = parseDuration(tokenExpirationTime)
  if (seconds !== undefined) return Math.max(1, Math.round(seconds))
  log.warn(`The token expiration time ${JSON.stringify(tokenExpirationTime)} is not understood; using 2h`)
  return defaultLifetime
}
