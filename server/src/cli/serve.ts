import { isDeepStrictEqual } from 'node:util'
import { type App, createApp } from '../app.ts'
import { type Config, configFileFor, databasesIn, type Given, readConfig, storableConfig } from '../config/config.ts'
import type { ConfigFile } from '../config/file.ts'
import { FirstStartOptions } from '../config/options.ts'
import { isMissing } from '../database/kinds.ts'
import { openDatabase } from '../database/open.ts'
import { isExclusive } from '../database/port.ts'
import { examineWriting } from '../doctor/root.ts'
import { storedOptionsIn } from '../doctor/store.ts'
import { Failure } from '../failure.ts'
import { type Listener, listen } from '../http/listener.ts'
import { createLog, type LogOutput } from '../log/log.ts'
import { frugalAllocator } from '../process/allocator.ts'
import { whenIdle } from '../process/idle.ts'
import { watchMemory } from '../process/memory-watch.ts'
import { onSignals, outliveSignals } from '../process/signals.ts'
import { documentOf } from '../settings/store.ts'
import { accountName } from '../storage/linux/account.ts'
import { areCommandsWaiting } from '../takeover/document.ts'
import { version } from '../version.ts'
import { passedOverText, requirePlaceFor, requireUsable } from './database.ts'
import { firstStartIn, setUp } from './first-start.ts'
import { requireFolder } from './folder.ts'
import { type ClaimedMetrics, claimMetrics } from './metrics.ts'
import { reasonNotToListen, reasonNotToListenAt, reasonNotToLog } from './reasons.ts'
import { ignoredRedis, notice, say } from './say.ts'
import { takeOverAtStart } from './takeover.ts'
import { warningsAbout } from './warnings.ts'

/** Runs the server until it is told to stop. */
export async function serve(flags: Given): Promise<void> {
  outliveSignals()
  const configFile = configFileFor(flags)
  const databases = databasesIn(flags, configFile)
  const { ours: file } = databases
  requireUsable({ ...databases, file })
  // A server that cannot listen has made nothing, and shown no password that would be shown only once.
  const ready = Promise.withResolvers<App['fetch']>()
  let claimed: Claimed | undefined
  const claim = (config: Config): Claimed => {
    claimed ??= claimedFor(config, ready.promise)
    return claimed
  }
  await takeOverAtStart(databases, flags, configFile, claim)
  // Bad values are refused before anything is made.
  if (isMissing(file)) firstStartIn(flags, configFile)
  // Where the options of a database cannot be read without opening it, as on a read-only disk, it is opened first.
  const storedEarly: Given | undefined = isMissing(file) ? {} : storedOptionsIn(file)
  if (storedEarly !== undefined) {
    const early = readConfig(flags, storedEarly, configFile)
    requireFolder(early.root)
    claim(early)
  }
  if (isMissing(file)) requirePlaceFor(file)
  const db = await openDatabase(file, { isServer: true })
  // The file alone tells nothing: a first start may have been cut off.
  const isNew = (await documentOf(db, 'settings')) === undefined
  const stored: Given = JSON.parse((await documentOf(db, 'server'))?.value ?? '{}')
  const wanted = readConfig(flags, stored, configFile)
  const config = { ...wanted, disableExec: wanted.disableExec || (await areCommandsWaiting(db, stored)) }
  requireFolder(config.root)
  // Another process may just have changed the options.
  if (claimed !== undefined && !claimed.fits(wanted)) {
    await Promise.all([claimed.listener.close(0), claimed.metrics?.close()])
    claimed = undefined
  }
  const { listener, log, metrics } = claim(wanted)
  for (const text of startNotices(flags, configFile, config, isNew)) notice(text)
  if (config.disableExec && !wanted.disableExec) notice(commandsWait(file))
  for (const other of databases.passedOver) notice(`Warning: ${passedOverText(file, other)}`)

  const app = await createApp(config, log, { db })
  const fetch = metrics?.measure(app, config) ?? app.fetch
  if (isNew) await setUp(app.deps, firstStartIn(flags, configFile), storableConfig(flags, configFile))
  onSignals({
    stop: async (signal) => {
      log.info({ event: 'stop', signal, seconds: Math.round(process.uptime()) }, 'Filestead stops')
      await Promise.all([listener.close(config.stopGrace * 1000), metrics?.close()])
      await app.close()
      await Promise.race([log.flush(), Bun.sleep(lastWords)])
      process.exit(0)
    },
    reload: () => {
      void log.reopen()
      void listener.checkCertificate()
    },
  })
  // No request is answered before it is known which files a crash tore.
  await app.guard()
  ready.resolve(fetch)
  log.info(startFacts(config, listener.url, metrics?.url), 'Filestead starts')
  // Not awaited: a crash may have left more than can be removed in the time that a client waits.
  void app.tidy()
  say(
    `Filestead is serving ${config.root}\n  at ${listener.url}/${metrics === undefined ? '' : `\n  metrics at ${metrics.url}`}\n  database ${file}`,
  )
  if (isExclusive(db))
    notice(
      `Warning: The disk of ${file} is full or read-only. Make room, or make it writable, and start the server anew.`,
    )
  for (const text of warningsAbout(config, await app.deps.settings())) notice(`Warning: ${text}`)
  const closed = examineWriting(config.root, config.readOnly)
  if (closed !== undefined) notice(`Warning: ${closed.text} ${closed.advice}`)
}

/** In milliseconds: a log that cannot be written does not keep the process. */
const lastWords = 500

/** How the server ran, for a reader of the log. */
const startFacts = (config: Config, url: string, metrics: string | undefined) => ({
  event: 'start',
  version,
  pid: process.pid,
  account: accountName(),
  url,
  root: config.root,
  database: config.database,
  ...(metrics !== undefined && { metrics }),
  ...(config.trustedProxies !== '' && { trustedProxies: config.trustedProxies }),
  readOnly: config.readOnly,
  commands: !config.disableExec,
  logLevel: config.logLevel,
})

const commandsWait = (file: string): string =>
  `Commands and hooks came from File Browser and stay off. Read them, then confirm: filestead config set --disableExec=false -d ${file}`

/** What the person who starts the server should know, though it is no mistake. */
function startNotices(flags: Given, { path, notices }: ConfigFile, config: Config, isNew: boolean): string[] {
  const tooLate = Object.keys(FirstStartOptions.shape).filter((key) => flags[key] !== undefined && !isNew)
  return [
    ...notices,
    ...(path === undefined ? [] : [`Using config file: ${path}`]),
    ...tooLate.map((key) => `--${key} counts only at the first start: ${config.database} is there already`),
    ...(config.redisCacheUrl === '' ? [] : [ignoredRedis]),
  ]
}

interface Claimed {
  /** Would the same places be claimed with this config? */
  fits(config: Config): boolean
  readonly metrics: ClaimedMetrics | undefined
  readonly listener: Listener
  readonly log: LogOutput
}

/** The options that decide where the server listens and where it logs. */
const claimedBy = [
  ...(['address', 'port', 'socket', 'socketPerm', 'cert', 'key', 'baseURL', 'trustedProxies', 'allowedHosts'] as const),
  ...(['metrics', 'log', 'logLevel'] as const),
]

/** Listens from now on; a request that comes before the server is ready waits. */
function claimedFor(config: Config, ready: Promise<App['fetch']>): Claimed {
  let fetch: App['fetch'] | undefined
  void ready.then((found) => {
    fetch = found
  })
  const { trim } = frugalAllocator()
  watchMemory()
  const idle = whenIdle(() => {
    Bun.gc(true)
    trim()
  })
  const answer: App['fetch'] = (request, connection) => {
    idle.touched()
    return fetch?.(request, connection) ?? ready.then((found) => found(request, connection))
  }
  const log = logFor(config)
  const metrics = claimMetrics(config)
  try {
    const fits = (other: Config) => claimedBy.every((name) => isDeepStrictEqual(config[name], other[name]))
    return { fits, listener: listen(config, log, answer), metrics, log }
  } catch (error) {
    throw error instanceof Failure ? error : new Error(cannotListen(config, error as NodeJS.ErrnoException))
  }
}

function logFor({ log, logLevel }: Config): LogOutput {
  try {
    return createLog(log, logLevel)
  } catch (error) {
    const reason = reasonNotToLog(error as NodeJS.ErrnoException)
    throw new Error(`Cannot write the log ${log}: ${reason}. Name another file with --log`)
  }
}

function cannotListen({ address, port, socket }: Config, error: NodeJS.ErrnoException): string {
  if (socket !== '') return `Cannot listen on the socket ${socket}: ${reasonNotToListenAt(error)}`
  const reason = reasonNotToListen({ port, option: '--port' }, error)
  return `Cannot listen on ${address || 'every address,'} port ${port}: ${reason}`
}
