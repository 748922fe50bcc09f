import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { Permissions, permissionNames, Settings, User } from '@filestead/contract'
import { type App, createApp, type Deps } from '../app.ts'
import { type Config, databaseIn, type Given, readConfig } from '../config.ts'
import { openDatabase } from '../database/open.ts'
import { Failure } from '../failure.ts'
import { listen } from '../http/serve.ts'
import { createLog } from '../log.ts'
import { initialiseSettings } from '../settings/settings.ts'
import { documentOf } from '../settings/store.ts'
import { createUser } from '../users/users.ts'

const grace = 10_000

/** Runs the server until it is told to stop. */
export async function serve(flags: Given): Promise<void> {
  const isNew = !existsSync(databaseIn(flags))
  if (isNew) readConfig(flags, {}) // A bad value is refused before anything is made.
  const db = await openDatabase(databaseIn(flags))
  const stored = await documentOf(db, 'server')
  const config = readConfig(flags, stored === undefined ? {} : JSON.parse(stored.value))
  requireFolder(config.root)

  const app = await createApp(config, createLog(), { db })
  if (isNew) await setUp(app.deps)
  const listener = openListener(config, app)
  await app.tidy()
  say(`Filestead is serving ${config.root}\n  at ${listener.url}/`)

  const stop = async () => {
    for (const signal of signals) process.off(signal, stop)
    await listener.close(grace)
    await app.close()
    process.exit(0)
  }
  for (const signal of signals) process.on(signal, stop)
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

const say = (text: string) => process.stdout.write(`${text}\n`)

/** The first start: usable settings and an administrator, whose password is shown once. */
async function setUp(deps: Deps): Promise<void> {
  const everything = Permissions.parse(Object.fromEntries(permissionNames.map((name) => [name, true])))
  const settings = Settings.parse({ defaults: { perm: { ...everything, admin: false } } })
  await initialiseSettings(deps.db, settings)
  const password = randomBytes(12).toString('base64url')
  const admin = { ...settings.defaults, username: 'admin', password, scope: '/', perm: everything }
  await createUser(deps, settings, User.parse(admin))
  say(`\n  User:      admin\n  Password:  ${password}\n\n  This password is shown only now.\n`)
}

function openListener(config: Config, app: App) {
  try {
    return listen(config, app.deps.log, app.fetch)
  } catch (error) {
    if (error instanceof Failure) throw error
    const code = (error as NodeJS.ErrnoException).code
    const reason = code === 'EADDRINUSE' ? 'the port is in use' : code === 'EACCES' ? 'not permitted' : String(error)
    throw new Error(`Cannot listen on ${config.address} port ${config.port}: ${reason}`)
  }
}

function requireFolder(root: string): void {
  let isFolder = false
  try {
    isFolder = statSync(root).isDirectory()
  } catch (error) {
    throw new Error(
      `Cannot serve ${root}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'it does not exist' : 'it cannot be read'}`,
    )
  }
  if (!isFolder) throw new Error(`Cannot serve ${root}: it is not a folder`)
}
