import type { Route } from '../access/routes.ts'
import { apiDocsRoutes } from '../api/docs.ts'
import { assetRoutes } from '../client/assets.ts'
import { installedAppRoutes } from '../client/installed-app.ts'
import { commandEnvironment } from '../config/config.ts'
import type { Audit } from '../doors/audit.ts'
import { eventRoutes } from '../events/routes.ts'
import { Failure } from '../failure.ts'
import { favouriteRoutes } from '../favourites/routes.ts'
import { fileRoutes } from '../files/routes.ts'
import { endGrantsOf } from '../grants/grants.ts'
import { grantRoutes } from '../grants/routes.ts'
import { hasGrantsWithin, subjectCounter } from '../grants/store.ts'
import { groupRoutes } from '../groups/routes.ts'
import { healthCheck } from '../health/check.ts'
import { databaseProbe, firstFailing, leaseProbe, storageProbe } from '../health/probes.ts'
import { healthRoutes } from '../health/routes.ts'
import { leaveKeptOf } from '../history/store.ts'
import { commandRoutes } from '../hooks/routes.ts'
import type { Report } from '../http/request.ts'
import { jobRoutes } from '../jobs/routes.ts'
import { mountRoutes } from '../mounting/routes.ts'
import { mountOf } from '../mounts/location.ts'
import { clientFolder } from '../parts.ts'
import { mediaRoutes } from '../previews/media/routes.ts'
import { previewRoutes } from '../previews/routes.ts'
import { searchRoutes } from '../search/routes.ts'
import { sessionRoutes } from '../sessions/routes.ts'
import { deleteSessionsOf } from '../sessions/store.ts'
import { settingsRoutes } from '../settings/routes.ts'
import { shareRoutes } from '../shares/routes.ts'
import { volumeGone } from '../storage/disk/volume.ts'
import { takeoverRoutes } from '../takeover/routes.ts'
import { dropDraftsBelow } from '../uploads/end.ts'
import { uploadRoutes } from '../uploads/routes.ts'
import { userRoutes } from '../users/routes.ts'
import { usernames } from '../users/store.ts'
import { version } from '../version.ts'
import type { Basis } from './basis.ts'
import type { Rooms } from './rooms.ts'

/** Every route there is. */
export function routesOf(basis: Basis, rooms: Rooms, audit: Audit, report: Report): Route[] {
  const { config, log, db, clock, node, settings, storageAt, mounts } = basis
  const { events, changes, history, jobs, shares, archives, limits } = rooms
  const detectByContent = !config.disableTypeDetectionByHeader
  const routes = [
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
    ...sessionRoutes(rooms.sessions, rooms.lifetime),
    ...fileRoutes({
      ...{ archives, detectByContent, limits, changes, jobs },
      baseURL: config.baseURL,
      isSlow: (location) => mounts.kindOf(mountOf(location)) !== 'disk',
      keptSize: history.sizeIn,
    }),
    ...favouriteRoutes(rooms.favourites),
    ...history.routes,
    ...eventRoutes(events),
    ...jobRoutes({ jobs, limits, baseURL: config.baseURL, usernames: () => usernames(db) }),
    ...uploadRoutes(rooms.uploads, {
      ...config,
      log: { did: (event, context, facts) => audit.did(event, context, 'web', facts), report },
    }),
    ...userRoutes(
      {
        ...{ db, clock, storageAt, throttle: rooms.throttle, endSessions: deleteSessionsOf },
        ...{ endGrants: endGrantsOf, leaveKept: leaveKeptOf },
        isTaken: async (folder) => (await hasGrantsWithin(db, folder)) || history.hasPast(folder),
      },
      settings,
    ),
    ...groupRoutes({ db, endGrants: endGrantsOf }),
    ...grantRoutes({ db, storageAt, settings }),
    ...mountRoutes({
      ...{ db, mounts, subjects: subjectCounter(db), root: config.root },
      dropDrafts: (folder) => dropDraftsBelow(rooms.uploads, folder),
      checkedFolder: (folder, others) => mounts.checks.requireFolder(folder, { isBounded: true, others }),
      lookAtServer: basis.lookAt,
      foldersIn: mounts.checks.foldersAt,
      snapshots: basis.snapshots,
    }),
    ...settingsRoutes({ db }),
    ...takeoverRoutes({ db }),
    ...shareRoutes(shares, { detectByContent, limits }),
    ...commandRoutes({
      isEnabled: !config.disableExec,
      began: (context, command) => audit.did('command', context, 'web', { path: context.path, command }),
      environment: commandEnvironment(),
      timeLimit: config.commandTimeout * 1000,
      openFolder: async (scope, path) => {
        const found = scope.tree.find(await scope.resolve(path))
        if (found === undefined) throw new Failure('forbidden', 'Commands run in one of the root folders')
        return mounts.openFolder(found.part.base, found.path)
      },
    }),
    ...previewRoutes(rooms.previews),
    ...mediaRoutes(),
    ...searchRoutes({ ...config, limits }),
    ...installedAppRoutes(clientFolder, settings),
    ...assetRoutes(clientFolder, settings),
  ]
  return [...routes, ...apiDocsRoutes(routes, { version, baseURL: config.baseURL })]
}
