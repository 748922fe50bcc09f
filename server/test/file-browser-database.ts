import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { boltOf, type Content } from './bolt.ts'

/** Records as File Browser keeps them; what is left out was not known to older versions. */
export interface OldRecords {
  settings?: Record<string, unknown>
  server?: Record<string, unknown>
  auther?: Record<string, unknown>
  users?: ({ id: number; username: string } & Record<string, unknown>)[]
  shares?: ({ hash: string; path: string } & Record<string, unknown>)[]
  codec?: string
  lastId?: number
  pageSize?: number
}

/** A key as long as real ones, for tests that sign tokens themselves. */
export const oldKey = Buffer.alloc(64, 'the old key ')

/** bcrypt of 'an old password', with little strength to save time. */
export const oldPassword = 'an old password'
export const oldHash = await Bun.password.hash(oldPassword, { algorithm: 'bcrypt', cost: 4 })

const everything = {
  ...{ admin: false, execute: false, create: true, rename: true },
  ...{ modify: true, delete: true, share: true, download: true },
}

/** A user with default permissions and the given fields. */
export const oldUser = (id: number, username: string, wishes: Record<string, unknown> = {}) => ({
  id,
  username,
  password: oldHash,
  scope: '/',
  locale: 'en',
  lockPassword: false,
  viewMode: 'list',
  perm: everything,
  commands: [],
  sorting: { by: 'name', asc: false },
  rules: [],
  ...wishes,
})

export const oldAdmin = oldUser(1, 'admin', { perm: { ...everything, admin: true } })

export const oldSettings = (wishes: Record<string, unknown> = {}) => ({
  key: oldKey.toString('base64'),
  defaults: { scope: '.', perm: everything },
  authMethod: 'json',
  ...wishes,
})

/** A database as the last release of File Browser lays it out, with its indexes, which reading does not need. */
export function oldDatabase({
  settings = oldSettings(),
  server = {},
  auther = {},
  users = [oldAdmin],
  shares = [],
  codec = 'json',
  lastId = Math.max(0, ...users.map(({ id }) => id)),
  pageSize,
}: OldRecords = {}): Buffer {
  const metadata = { codec }
  const content = {
    __storm_db: { version: '"2.0.0"', __storm_metadata: metadata },
    config: {
      settings: JSON.stringify(settings),
      server: JSON.stringify(server),
      auther: JSON.stringify(auther),
      version: '2',
      __storm_metadata: metadata,
    },
    ...(users.length > 0 && { User: userBucket(users, metadata, lastId) }),
    ...(shares.length > 0 && { Link: shareBucket(shares, metadata) }),
  }
  return boltOf(content, pageSize)
}

function userBucket(users: NonNullable<OldRecords['users']>, metadata: Content, lastId: number): Content {
  return {
    ...Object.fromEntries(users.map((user) => [idText(user.id), JSON.stringify(user)])),
    __storm_index_ID: Object.fromEntries(users.map(({ id }) => [idText(id), idOf(id)])),
    __storm_index_Username: Object.fromEntries(users.map(({ id, username }) => [latin(username), idOf(id)])),
    __storm_metadata: { ...metadata, IDcounter: idOf(lastId) },
  }
}

function shareBucket(shares: NonNullable<OldRecords['shares']>, metadata: Content): Content {
  const indexBy = (name: 'hash' | 'path'): Content => {
    const places = shares.map((share) => ({ hash: share.hash, place: latin(`${share[name]}__${share.hash}`) }))
    return {
      ...Object.fromEntries(places.map(({ hash, place }) => [place, hash])),
      storm__ids: Object.fromEntries(places.map(({ hash, place }) => [hash, Buffer.from(place, 'latin1')])),
    }
  }
  return {
    ...Object.fromEntries(shares.map((share) => [latin(share.hash), JSON.stringify(share)])),
    __storm_index_Hash: indexBy('hash'),
    __storm_index_Path: indexBy('path'),
    __storm_metadata: metadata,
  }
}

const idOf = (id: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(id))
  return bytes
}
/** How the library writes a number as a key. */
export const idText = (id: number): string => idOf(id).toString('latin1')
const latin = (text: string): string => Buffer.from(text).toString('latin1')

/** A database that File Browser wrote, and its own exports of it. */
const samples = join(import.meta.dirname, 'samples')
export const sample = {
  database: join(samples, 'filebrowser.db'),
  /** Many small pages, after many changes. */
  churned: join(samples, 'churned.db'),
  config: join(samples, 'config-export.json'),
  users: join(samples, 'users-export.json'),
  read: (name: 'config' | 'users') => JSON.parse(readFileSync(sample[name], 'utf8')),
}
