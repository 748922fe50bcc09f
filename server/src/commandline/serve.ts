import { type App, createApp } from '../app.ts'
import type { ConfigFile } from '../config/file.ts'
import { FirstStartOptions } from '../config/options.ts'
import { type Config, configFileFor, databasesIn, type Given, readConfig, storableConfig } from '../config.ts'
import { isMissing, requireOurs } from '../database/kinds.ts'
import { isOursAlone, openDatabase } from '../database/open.ts'
import { Failure } from '../failure.ts'
import { type Listener, listen } from '../http/serve.ts'
import { createLog } from '../log/log.ts'
import { documentOf } from '../settings/store.ts'
import { areCommandsWaiting } from '../takeover/document.ts'
import { frugalAllocator } from './allocator.ts'
import { firstStartIn, setUp } from './first-start.ts'
import { requireFolder } from './folder.ts'
import { whenIdle } from './idle.ts'
import { watchMemory } from './memory-watch.ts'
import { measured } from './metrics.ts'
import { ignoredRedis, notice, say } from './say.ts'
import { takeOverAtStart } from './takeover.ts'
import { warningsAbout } from './warnings.ts'

const grace = 10_000

/** Runs the server until it is told to stop. */
export async function serve(flags: Given): Promise<void> {
  const configFile = configFileFor(flags)
  const databases = databasesIn(flags, configFile)
  const { ours: file } = databases
  requireOurs(file)
  await takeOverAtStart(databases, flags, configFile)
  if (isMissing(file)) {
    // Bad values are refused before anything is made.
    firstStartIn(flags, configFile)
    requireFolder(readConfig(flags, {}, configFile).root)
  }
  const db = await openDatabase(file)
  // The file alone tells nothing: a first start may have been cut off.
  const isNew = (await documentOf(db, 'settings')) === undefined
  const stored: Given = JSON.parse((await documentOf(db, 'server'))?.value ?? '{}')
  const wanted = readConfig(flags, stored, configFile)
  const config = { ...wanted, disableExec: wanted.disableExec || (await areCommandsWaiting(db, stored)) }
  requireFolder(config.root)
  for (const text of startNotices(flags, configFile, config, isNew)) notice(text)
  if (config.disableExec && !wanted.disableExec) notice(commandsWait(file))

  const app = await createApp(config, createLog(config.log), { db })
  if (isNew) await setUp(app.deps, firstStartIn(flags, configFile), storableConfig(flags, configFile))
  // The port is ours before anything is cleared away, and nobody is answered before everything is.
  const tidied = Promise.withResolvers<void>()
  const { fetch, url: metricsURL } = measured(app, config)
  const listener = openListener(config, { ...app, fetch }, tidied.promise)
  stopOnSignal(app, listener)
  await app.tidy()
  tidied.resolve()
  say(
    `Filestead is serving ${config.root}\n  at ${listener.url}/${metricsURL === undefined ? '' : `\n  metrics at ${metricsURL}`}`,
  )
  if (isOursAlone(db))
    notice(
      `Warning: The disk of ${file} is full or read-only. Make room, or make it writable, and start the server anew.`,
    )
  for (const text of warningsAbout(config, await app.deps.settings())) notice(`Warning: ${text}`)
}

function stopOnSignal(app: App, listener: Listener): void {
  const stop = async () => {
    for (const signal of signals) process.off(signal, stop)
    await listener.close(grace)
    await app.close()
    process.exit(0)
  }
  for (const signal of signals) process.on(signal, stop)
}

const commandsWait = (file: string): string =>
  `Commands and hooks came from File Browser and stay off. Read them, then confirm: filestead config set --disableExec=false -d ${file}`

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

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

function openListener(config: Config, app: App, tidied: Promise<void>): Listener {
  let isTidy = false
  tidied.then(() => {
    isTidy = true
  })
  const { trim } = frugalAllocator()
  watchMemory()
  const idle = whenIdle(() => {
    Bun.gc(true)
    trim()
  })
  const answer: App['fetch'] = (request, surroundings) => {
    idle.touched()
    return isTidy ? app.fetch(request, surroundings) : tidied.then(() => app.fetch(request, surroundings))
  }
  try {
    return listen(config, app.deps.log, answer)
  } catch (error) {
    if (error instanceof Failure) throw error
    const code = (error as NodeJS.ErrnoException).code
    const reason = code === 'EADDRINUSE' ? 'the port is in use' : code === 'EACCES' ? 'not permitted' : String(error)
    throw new Error(`Cannot listen on ${config.address || 'every address,'} port ${config.port}: ${reason}`)
  }
}
