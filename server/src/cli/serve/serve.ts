import { isDeepStrictEqual } from 'node:util'
import type { Settings } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { type App, createApp } from '../../app/app.ts'
import { deadline } from '../../concurrency/deadline.ts'
import { type Config, databasesIn, type Given, readConfig, storableConfig } from '../../config/config.ts'
import type { ConfigFile } from '../../config/file.ts'
import { FirstStartOptions } from '../../config/options.ts'
import { shownAddress } from '../../database/address.ts'
import { openDatabase } from '../../database/open.ts'
import { isExclusive } from '../../database/port.ts'
import type { Database } from '../../database/schema.ts'
import { examineCache } from '../../doctor/cache.ts'
import { examineUsers } from '../../doctor/database.ts'
import { examineAccess } from '../../doctor/root.ts'
import { Failure } from '../../failure.ts'
import { type Listener, listen } from '../../http/listener.ts'
import { tuneAllocator } from '../../process/allocator.ts'
import { onIdle } from '../../process/idle.ts'
import { watchMemory } from '../../process/memory-watch.ts'
import { onSignals } from '../../process/signals.ts'
import { documentOf } from '../../settings/store.ts'
import { accountName } from '../../storage/linux/account.ts'
import { areCommandsWaiting } from '../../takeover/document.ts'
import { userIds } from '../../users/store.ts'
import { version } from '../../version.ts'
import { ignoredText, requirePlaceFor, requireUsable } from '../database.ts'
import { ignoredRedis, notice, printError, warn } from '../output.ts'
import { firstLook } from '../stored-options.ts'
import { takeOverAtStart } from '../takeover.ts'
import { firstStartIn, setUp } from './first-start.ts'
import { measured } from './metrics.ts'
import { missingParts, portError, requireFolder, socketError } from './start-errors.ts'
import { flushed, type Opened, type Surroundings, stopFacts } from './surroundings.ts'
import { warningsAbout } from './warnings.ts'

/** Runs the server until it is told to stop; of several processes the first, which prepares everything for the others. */
export async function serve(flags: Given, configFile: ConfigFile, around: Surroundings): Promise<void> {
  const databases = databasesIn(flags, configFile)
  const { address, file } = databases
  const shown = shownAddress(address)
  requireUsable(databases)
  // The port is claimed before anything is written: a start that fails must not create a database or use up the one
  // display of the first password.
  const ready = Promise.withResolvers<App['fetch']>()
  let claimed: Claimed | undefined
  const claim = async (config: Config): Promise<Claimed> => {
    claimed ??= await claimedFor(config, ready.promise, around)
    return claimed
  }
  await takeOverAtStart(databases, flags, configFile, claim)
  const { isNew: isAbsent, options } = await firstLook(databases)
  // Bad values are refused before the database is made.
  if (isAbsent) firstStartIn(flags, configFile)
  const early = options && readConfig(flags, options, configFile)
  if (early !== undefined) {
    requireFolder(early.root)
    await claim(early)
  }
  if (isAbsent) requirePlaceFor(databases)
  const db = await openDatabase(address, { isServer: true, connections: early?.databaseConnections })
  // Not told by the file: a first start may have been killed before it wrote the settings.
  const isNew = (await documentOf(db, 'settings')) === undefined
  const stored: Given = JSON.parse((await documentOf(db, 'server'))?.value ?? '{}')
  const wanted = readConfig(flags, stored, configFile)
  const config = { ...wanted, disableExec: wanted.disableExec || (await areCommandsWaiting(db, stored)) }
  requireFolder(config.root)
  // Another process may have changed the options since they were read.
  if (claimed !== undefined && !claimed.fits(wanted)) {
    await Promise.all([claimed.listener.close(0), claimed.opened.close()])
    claimed = undefined
  }
  const { listener, opened } = await claim(wanted)
  for (const text of configFile.notices) warn(text)
  for (const text of startNotices(flags, configFile, config, isNew)) notice(text)
  if (config.disableExec && !wanted.disableExec) notice(commandsWait(shown))
  for (const other of databases.ignored) warn(ignoredText(file, other))
  const incomplete = missingParts()
  if (incomplete !== undefined) warn(incomplete)

  const { app, fetch, endWith } = await appFor(config, db, opened, around)
  // A first start is ended at once until it is set up: closed in between, it would write into a closed database.
  if (!isNew) endWith(listener)
  // Requests wait for this: files that a crash left half written must not be read before they are repaired.
  await app.guard()
  await around.tellStart({
    facts: startFacts(config, listener.url, opened.metricsUrl),
    text: `Filestead is serving ${config.root}\n  at ${listener.url}/${opened.metricsUrl === undefined ? '' : `\n  metrics at ${opened.metricsUrl}`}\n  database ${shown}`,
    // The password comes last: scripts look for it in the last two lines of a first start.
    isFirst: isNew,
  })
  if (isNew) {
    await setUp(app.deps, firstStartIn(flags, configFile), storableConfig(flags, configFile))
    endWith(listener)
  }
  ready.resolve(fetch)
  // Not awaited: removing what a crash left can take minutes, and the first answers do not depend on it.
  void app.tidy()
  if (isExclusive(db))
    warn(`The disk of ${shown} is full or read-only. Make room, or make it writable, and start the server anew.`)
  around.isReady({ ...config, port: listener.port }, { isAlone: isExclusive(db) })
  // Requests are answered by now: a database that does not answer this must not end the server.
  await tellFindings(config, db, app).catch((err) =>
    opened.log.warn({ err }, 'The notices of a start could not be made'),
  )
}

/** Runs a further process of a server, with the options that the first one found. */
export async function serveFurther(config: Config, around: Surroundings): Promise<void> {
  const opened = await around.open(config)
  const db = await openDatabase(config.database, { isServer: true, connections: config.databaseConnections })
  const { app, fetch, endWith } = await appFor(config, db, opened, around)
  await app.guard()
  // The port comes last: connections would wait here while the other processes are free.
  endWith(listenerFor(config, opened, Promise.resolve(fetch), around))
  void app.tidy()
  around.isReady(config, { isAlone: isExclusive(db) })
}

/**
 * In milliseconds, for what is under way to be left in order: a database or a disk that hangs is not waited for. The next start
 * finds what is undone, as after a crash.
 */
const longestClosing = 20_000

async function appFor(config: Config, db: Kysely<Database>, opened: Opened, around: Surroundings) {
  const { log } = opened
  const outdated = Promise.withResolvers<void>()
  const app = await createApp(config, log, { db, siblings: around.siblings, outdated: outdated.resolve })
  const counted = config.metrics === '' ? undefined : measured(app, config)
  if (counted !== undefined) opened.tellMetrics(counted.metrics)
  /** From now on signals and the surroundings end the process. */
  const endWith = (listener: Listener) => {
    const handlers = {
      stop: async (signal: string, code = 0) => {
        if (opened.tellsStop) log.info(stopFacts(signal), 'Filestead stops')
        app.endStreams()
        await Promise.all([listener.close(config.stopGrace * 1000), opened.close()])
        const closing = app
          .close()
          .catch((err) => log.warn({ err }, 'Not all that was under way could be left in order'))
        await deadline(closing, longestClosing, undefined)
        await flushed(log)
        process.exit(code)
      },
      reload: () => {
        void log.reopen()
        void listener.checkCertificate()
      },
      tidy: () => app.tidy(),
    }
    onSignals(handlers)
    around.onEnd(handlers)
    void outdated.promise.then(() => {
      log.error({ event: 'outdated', version }, newerTables)
      printError(newerTables)
      return handlers.stop('newer tables', 1)
    })
  }
  return { app, fetch: counted?.fetch ?? app.fetch, endWith }
}

const newerTables =
  'A newer version of Filestead has changed the tables of the database, and this server cannot go on with them. Start the new version here'

async function tellFindings(config: Config, db: Kysely<Database>, app: App): Promise<void> {
  const settings = await app.deps.settings()
  const users = (await userIds(db)).length
  for (const finding of [examineUsers(shownAddress(config.database), users, settings), examineCache(config)])
    if (finding?.advice !== undefined && finding.state !== 'note') warn(`${finding.text} ${finding.advice}`)
  if (await app.hasOtherServers())
    notice(
      'Another server works with this database. Both have to serve the same folder: links and uploads name files in it.',
    )
  // Not awaited: the disk of the root may be asleep.
  void tellRisks(config, settings)
}

async function tellRisks(config: Config, settings: Settings): Promise<void> {
  for (const text of await warningsAbout(config, settings)) warn(text)
  const closed = await examineAccess(config.root, config.readOnly)
  if (closed !== undefined) warn(`${closed.text} ${closed.advice}`)
}

/** The options that matter to a reader of the log. */
const startFacts = (config: Config, url: string, metrics: string | undefined) => ({
  event: 'start',
  version,
  pid: process.pid,
  account: accountName(),
  url,
  root: config.root,
  database: shownAddress(config.database),
  ...(metrics !== undefined && { metrics }),
  ...(config.trustedProxies !== '' && { trustedProxies: config.trustedProxies }),
  readOnly: config.readOnly,
  commands: !config.disableExec,
  logLevel: config.logLevel,
})

const commandsWait = (file: string): string =>
  `Commands and hooks came from File Browser and stay off. Read them, then confirm: filestead config set --disableExec=false -d ${file}`

/** Notices at the start that are no errors. */
function startNotices(flags: Given, { path }: ConfigFile, config: Config, isNew: boolean): string[] {
  const tooLate = Object.keys(FirstStartOptions.shape).filter((key) => flags[key] !== undefined && !isNew)
  return [
    ...(path === undefined ? [] : [`Using config file: ${path}`]),
    ...tooLate.map(
      (key) => `--${key} counts only at the first start: ${shownAddress(config.database)} is there already`,
    ),
    ...(config.redisCacheUrl === '' ? [] : [ignoredRedis]),
  ]
}

interface Claimed {
  /** Whether this config has the same addresses and log. */
  fits(config: Config): boolean
  readonly opened: Opened
  readonly listener: Listener
}

/** The options that decide where the server listens and where it logs. */
const claimedBy = [
  ...(['address', 'port', 'socket', 'socketPerm', 'cert', 'key', 'baseURL', 'trustedProxies', 'allowedHosts'] as const),
  ...(['metrics', 'log', 'logLevel'] as const),
]

/** Opens what the start needs, and begins to listen; requests wait until `ready` resolves. */
async function claimedFor(config: Config, ready: Promise<App['fetch']>, around: Surroundings): Promise<Claimed> {
  const opened = await around.open(config)
  const fits = (other: Config) => claimedBy.every((name) => isDeepStrictEqual(config[name], other[name]))
  return { fits, opened, listener: listenerFor(config, opened, ready, around) }
}

function listenerFor(
  config: Config,
  { log }: Opened,
  ready: Promise<App['fetch']>,
  { share }: Pick<Surroundings, 'share'>,
): Listener {
  let fetch: App['fetch'] | undefined
  const { trim } = tuneAllocator()
  watchMemory()
  const idle = onIdle(() => {
    Bun.gc(true)
    trim()
  })
  void ready.then((found) => {
    fetch = found
    idle.releaseSoon()
  })
  const answer: App['fetch'] = (request, connection) => {
    idle.touched()
    return fetch?.(request, connection) ?? ready.then((found) => found(request, connection))
  }
  try {
    return listen(config, log, answer, { share })
  } catch (error) {
    throw error instanceof Failure ? error : new Error(cannotListen(config, error as NodeJS.ErrnoException))
  }
}

function cannotListen({ address, port, socket }: Config, error: NodeJS.ErrnoException): string {
  if (socket !== '') return `Cannot listen on the socket ${socket}: ${socketError(error)}`
  const reason = portError({ host: address, port, option: '--port' }, error)
  return `Cannot listen on ${address || 'every address,'} port ${port}: ${reason}`
}
