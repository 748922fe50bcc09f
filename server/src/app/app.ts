import type { Kysely } from 'kysely'
import type { AccessReader } from '../access/access.ts'
import type { Limits } from '../access/limits.ts'
import type { Route } from '../access/routes.ts'
import { captchaSettings, pageRoute } from '../client/page.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/schema.ts'
import { versionReader } from '../database/versions.ts'
import { accessLogged, auditIn } from '../doors/audit.ts'
import { behindDoors } from '../doors/doors.ts'
import { letsGuestsIn } from '../doors/guest.ts'
import { reporter } from '../doors/report.ts'
import type { Events } from '../events/hub.ts'
import { answerFailure } from '../http/failures.ts'
import { filesOfAnswers } from '../http/held-files.ts'
import type { Connection } from '../http/request.ts'
import type { Log } from '../log/log.ts'
import type { Mounts } from '../mounts/mounts.ts'
import type { Node } from '../nodes/node.ts'
import { clientFolder } from '../parts.ts'
import { endPrograms } from '../programs/run.ts'
import { vouchedName } from '../sessions/methods/methods.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type ReadSettings, readAuth } from '../settings/settings.ts'
import { openShare } from '../shares/open.ts'
import type { Storage } from '../storage/port.ts'
import type { HeldUploads } from '../uploads/held.ts'
import { version } from '../version.ts'
import { type Basis, basisOf, type Replacements } from './basis.ts'
import { type Rooms, roomsOf } from './rooms.ts'
import { routesOf } from './routes.ts'
import { upkeepOf } from './upkeep.ts'

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

/** The composition root: here and in the files beside this one it is decided which adapter stands behind which port. */
export async function createApp(config: Config, log: Log, replace: Replacements = {}): Promise<App> {
  const basis = await basisOf(config, log, replace)
  const rooms = await roomsOf(basis, replace)
  const upkeep = upkeepOf(basis, rooms, replace)
  const { db, clock, node, messages, settings, mounts, storageAt, access } = basis
  const { sessions, limits, events, held } = rooms
  const { routes, fetch } = answersOf(basis, rooms)
  return {
    deps: { db, clock, node, log, settings, sessions, mounts, storageAt, access, limits, events, held },
    routes,
    fetch,
    guard: () => {
      void messages?.join().catch(() => {})
      return mounts.guardHalfWritten().catch(() => {})
    },
    tidy: upkeep.start,
    hasOtherServers: () => node.hasOthers(),
    endStreams: events.endAll,
    async close() {
      upkeep.stop()
      events.close()
      rooms.watcher.close()
      filesOfAnswers.closeAll()
      await rooms.jobs.close()
      await rooms.journal.close()
      rooms.previews.close()
      endPrograms()
      await held.write('all')
      await rooms.uploads.store.flush().catch(() => {})
      await rooms.history.close()
      basis.snapshots.close()
      mounts.close()
      await node.leave()
      await messages?.leave()
      await db.destroy()
    },
  }
}

/** The routes behind their doors, and the page for every other address. */
function answersOf(basis: Basis, rooms: Rooms): Pick<App, 'routes' | 'fetch'> {
  const { config, log, db, settings, access } = basis
  const { requireHost } = rooms
  const report = reporter(log)
  const audit = auditIn(log, { isVerbose: config.logLevel === 'debug' })
  const routes = routesOf(basis, rooms, audit, report)
  const page = pageRoute(clientFolder, settings, async () => captchaSettings(await readAuth({ db })), {
    baseURL: config.baseURL,
    version,
    enableExec: !config.disableExec,
    enableThumbnails: !config.disableThumbnails,
    canTakeStills: rooms.canTakeStills,
    resizePreview: !config.disablePreviewResize,
    frameAncestors: config.frameAncestors,
    readOnly: config.readOnly,
    letsGuestsIn: ({ authMethod }) => letsGuestsIn(authMethod, access),
  })
  const answer = behindDoors(routes, page, {
    sessions: rooms.sessions,
    versions: versionReader(db),
    settingsAt: basis.settingsAt,
    access,
    requireHost,
    restrict: basis.restrict,
    inPast: rooms.history.inPast,
    openShare: (hash, path, visitor) => openShare(rooms.shares, hash, path, visitor),
    // Without a query for most servers. Should the method have become `proxy` a moment ago, only an expired token is refused.
    vouchedName: ({ request, connection }) =>
      connection.isFromTrustedProxy && basis.latestSettings().authMethod === 'proxy'
        ? vouchedName(rooms.signIn, settings, { isFromTrustedProxy: true, headers: request.headers })
        : undefined,
    report,
    audit,
  })
  const fetch: App['fetch'] = (request, connection) => {
    try {
      requireHost(request.headers, { needsNoSignIn: basis.latestSettings().authMethod === 'noauth' })
    } catch (error) {
      report(error, request, connection)
      return answerFailure(error, request)
    }
    return answer(request, connection)
  }
  return { routes, fetch: config.accessLog ? accessLogged(fetch, log) : fetch }
}
