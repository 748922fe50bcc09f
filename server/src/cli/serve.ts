import { type App, createApp } from '../app.ts'
import { type Config, configFileFor, databasesIn, type Given, readConfig, storableConfig } from '../config/config.ts'
import type { ConfigFile } from '../config/file.ts'
import { FirstStartOptions } from '../config/options.ts'
import { isMissing } from '../database/kinds.ts'
import { isOursAlone, openDatabase } from '../database/open.ts'
import { examineWriting } from '../doctor/root.ts'
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
import { passedOverText, requirePlaceFor, requireUsable } from './database.ts'
import { firstStartIn, setUp } from './first-start.ts'
import { requireFolder } from './folder.ts'
import { measured } from './metrics.ts'
import { ignoredRedis, notice, say } from './say.ts'
import { takeOverAtStart } from './takeover.ts'
import { warningsAbout } from './warnings.ts'

const grace = 10_000

/** Runs the server until it is told to stop. */
export async function serve(flags: Given): Promise<void> {
  outliveSignals()
  const configFile = configFileFor(flags)
  const databases = databasesIn(flags, configFile)
  const { ours: file } = databases
  requireUsable({ ...databases, file })
  // Whoever cannot listen has made nothing, and shown no password that would be shown only once.
  const ready = Promise.withResolvers<App['fetch']>()
  let claimed: Claimed | undefined
  const claim = (config: Config): Claimed => {
    claimed ??= claimedFor(config, ready.promise)
    return claimed
  }
  await takeOverAtStart(databases, flags, configFile, claim)
  if (isMissing(file)) {
    // Bad values are refused before anything is made.
    firstStartIn(flags, configFile)
    const first = readConfig(flags, {}, configFile)
    requireFolder(first.root)
    claim(first)
    requirePlaceFor(file)
  }
  const db = await openDatabase(file)
  // The file alone tells nothing: a first start may have been cut off.
  const isNew = (await documentOf(db, 'settings')) === undefined
  const stored: Given = JSON.parse((await documentOf(db, 'server'))?.value ?? '{}')
  const wanted = readConfig(flags, stored, configFile)
  const config = { ...wanted, disableExec: wanted.disableExec || (await areCommandsWaiting(db, stored)) }
  requireFolder(config.root)
  const { listener, log } = claim(config)
  for (const text of startNotices(flags, configFile, config, isNew)) notice(text)
  if (config.disableExec && !wanted.disableExec) notice(commandsWait(file))
  for (const other of databases.passedOver) notice(`Warning: ${passedOverText(file, other)}`)

  const app = await createApp(config, log, { db })
  const { fetch, url: metricsURL } = measured(app, config)
  if (isNew) await setUp(app.deps, firstStartIn(flags, configFile), storableConfig(flags, configFile))
  onSignals({
    stop: async () => {
      await listener.close(grace)
      await app.close()
      process.exit(0)
    },
    reopen: log.reopen,
  })
  // Nobody is answered before it is known what a crash tore.
  await app.guard()
  ready.resolve(fetch)
  // Not awaited: a crash may have left more than can be removed while anybody waits.
  void app.tidy()
  say(
    `Filestead is serving ${config.root}\n  at ${listener.url}/${metricsURL === undefined ? '' : `\n  metrics at ${metricsURL}`}\n  database ${file}`,
  )
  if (isOursAlone(db))
    notice(
      `Warning: The disk of ${file} is full or read-only. Make room, or make it writable, and start the server anew.`,
    )
  for (const text of warningsAbout(config, await app.deps.settings())) notice(`Warning: ${text}`)
  const closed = examineWriting(config.root, config.readOnly)
  if (closed !== undefined) notice(`Warning: ${closed.text} ${closed.advice}`)
}

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
  readonly listener: Listener
  readonly log: LogOutput
}

/** Listens from now on; whoever asks before the server is ready waits. */
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
  const log = createLog(config.log, config.logLevel)
  try {
    return { listener: listen(config, log, answer), log }
  } catch (error) {
    throw error instanceof Failure ? error : new Error(cannotListen(config, error as NodeJS.ErrnoException))
  }
}

function cannotListen({ address, port, socket }: Config, error: NodeJS.ErrnoException): string {
  const { code } = error
  if (socket !== '') {
    const reason =
      code === 'EADDRINUSE'
        ? 'another server uses it, or a file is in its place. Choose another one with --socket'
        : code === 'ENOENT'
          ? 'there is no such folder'
          : code === 'EACCES'
            ? `account ${accountName()} may not make it there`
            : String(error)
    return `Cannot listen on the socket ${socket}: ${reason}`
  }
  const reason =
    code === 'EADDRINUSE'
      ? `the port is in use. Choose another one with --port, or find out who has it: ss -ltnp 'sport = :${port}'`
      : code === 'EACCES'
        ? `account ${accountName()} may not use it. Choose one above 1023 with --port`
        : code === 'EADDRNOTAVAIL'
          ? 'that is no address of this machine. Choose another one with --address'
          : String(error)
  return `Cannot listen on ${address || 'every address,'} port ${port}: ${reason}`
}
