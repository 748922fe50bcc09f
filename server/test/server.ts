import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type MountHistory, type Permission, permissionNames, Settings, User } from '@filestead/contract'
import { defaultLimits, type Limits } from '../src/access/limits.ts'
import { type App, createApp } from '../src/app/app.ts'
import { type Clock, systemClock } from '../src/clock.ts'
import { type Config, readConfig } from '../src/config/config.ts'
import { isPostgres } from '../src/database/address.ts'
import { type OpenOptions, openDatabase } from '../src/database/open.ts'
import { listen } from '../src/http/listener.ts'
import type { DecoderOptions } from '../src/previews/decoders.ts'
import { storageFor } from '../src/served-folders.ts'
import { saveFirstDocument } from '../src/settings/store.ts'
import type { Storage } from '../src/storage/port.ts'
import { createUser } from '../src/users/users.ts'
import { addressFor, releaseDatabase } from './database.ts'

export const password = 'correct horse battery'

/** A server in this process on a free port over a temporary folder. */
export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly root: string
  readonly app: App
  readonly clock: { now: number }
  readonly logged: unknown[]
  /** Creates files below the root; a path with a slash at its end creates a folder. */
  put(files: Record<string, string | Uint8Array>): void
  link(target: string, path: string): void
  file(path: string): string
  addUser(username: string, wishes?: UserWishes): Promise<void>
  signIn(username: string): Promise<string>
  /** A signed-in fetch; the path is sent unchanged. */
  as(username: string): Promise<Ask>
  ask: Ask
  stop(): Promise<void>
}

export type Ask = (path: string, init?: RequestInit) => Promise<Response>

export interface UserWishes extends Partial<Omit<User, 'perm'>> {
  /** The user has all other permissions; 'admin' only with `isAdmin`. */
  lacks?: Permission[]
  isAdmin?: boolean
}

export async function startServer(
  options: Partial<Config> & {
    settings?: Partial<Settings>
    limits?: Partial<Limits>
    decoders?: Partial<DecoderOptions>
    /** What its root folder keeps of what is displaced, and further ones as well; nothing, where that is not said. */
    history?: Partial<MountHistory>
    /** Wraps the storage, to make it slow or faulty. */
    wrapStorage?: (storage: Storage) => Storage
  } & OpenOptions = {},
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-test-'))
  const root = join(folder, 'root')
  mkdirSync(root)
  const {
    settings: wanted = {},
    limits: narrower,
    lockTimeout,
    synced,
    isServer = true,
    wrapStorage,
    decoders = {},
    history = {},
    database: named,
    ...flags
  } = options
  const file = join(folder, 'filestead.db')
  const database = named ?? (await addressFor(file))
  // What is kept beside the database stays in the folder.
  const config = {
    ...readConfig(
      { root, database: isPostgres(database) ? file : database, address: '127.0.0.1', port: 0, ...flags },
      {},
    ),
    ...(isPostgres(database) && { database }),
  }
  const logged: unknown[] = []
  const clock: Clock & { now: number } = { now: systemClock.unixSeconds(), unixSeconds: () => clock.now }
  const db = await openDatabase(config.database, {
    isServer,
    ...(lockTimeout !== undefined && { lockTimeout }),
    ...(synced !== undefined && { synced }),
  })
  const settings = Settings.parse(wanted)
  await saveFirstDocument(db, 'settings', settings)
  await db
    .updateTable('mount')
    .set({ history: JSON.stringify({ trash: 'off', versions: false, ...history }) })
    .execute()
  const note = (...entry: unknown[]) => void logged.push(entry)
  const limits = { ...defaultLimits(), ...narrower }
  const disk = wrapStorage && (await storageFor(config, db))
  const storageAt = disk && { storageAt: (scope: string) => wrapStorage(disk(scope)) }
  const log = { debug: note, info: note, warn: note, error: note }
  const app = await createApp(config, log, { db, clock, limits, decoders, uploadExpiryDelay: 0, ...storageAt })
  const listener = listen(config, app.deps.log, app.fetch)
  const ask: Ask = (path, init) => fetch(listener.url + path, { redirect: 'manual', ...init })

  const self: TestServer = {
    url: listener.url,
    root,
    app,
    clock,
    logged,
    ask,
    put(files) {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        if (path.endsWith('/')) mkdirSync(join(root, path), { recursive: true })
        else writeFileSync(join(root, path), content)
      }
    },
    link(target, path) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      symlinkSync(target, join(root, path))
    },
    file: (path) => readFileSync(join(root, path), 'utf8'),
    async addUser(username, { lacks = [], isAdmin = false, ...wishes } = {}) {
      const perm = Object.fromEntries(permissionNames.map((name) => [name, !lacks.includes(name)]))
      const wanted = {
        ...settings.defaults,
        scope: '/',
        ...wishes,
        username,
        password,
        perm: { ...perm, admin: isAdmin },
      }
      await createUser(app.deps, settings, User.parse(wanted))
    },
    async signIn(username) {
      const response = await ask('/api/login', { method: 'POST', body: JSON.stringify({ username, password }) })
      if (response.status !== 200) throw new Error(`Signing in as ${username} answered ${response.status}`)
      return response.text()
    },
    async as(username) {
      const token = await self.signIn(username)
      return (path, init) => ask(path, { ...init, headers: { 'x-auth': token, ...init?.headers } })
    },
    async stop() {
      await listener.close(100)
      await app.close()
      if (named === undefined) await releaseDatabase(database)
      rmSync(folder, { recursive: true, force: true })
    },
    [Symbol.asyncDispose]: () => self.stop(),
  }
  return self
}
