import type { z } from 'zod'
import { Failure } from '../failure.ts'
import { type Bucket, rootBucket } from './bolt/buckets.ts'
import { openReadOnly, type ReadOnlyFile } from './bolt/file.ts'
import { OldAuther, OldServer, OldSettings, OldShare, StoredUser } from './old-records.ts'
import { parsed, type Source } from './source.ts'

/** A database of File Browser, opened for reading and locked against writers until it is closed. */
export function sourceInBolt(name: string): Source {
  const file = openReadOnly(name)
  try {
    return sourceIn(file)
  } catch (error) {
    file.close()
    throw error
  }
}

function sourceIn(file: ReadOnlyFile): Source {
  const root = rootBucket(file)
  const config = root.bucket('config')
  const settings = config?.get('settings')
  if (config === undefined || settings === undefined)
    throw new Failure(
      'invalid',
      `${file.name} is a BoltDB, but not one of File Browser 2: it holds no settings. If it was copied while File Browser ran, stop that and copy it again.`,
    )
  const users = root.bucket('User')
  const shares = root.bucket('Link')
  for (const bucket of [config, users, shares]) requireJson(file, bucket)

  const read = <T>(schema: z.ZodType<T>, value: Buffer | undefined, what: string): T =>
    parsed(schema, value === undefined ? {} : jsonIn(file, value, what), `${file.name}: ${what}`)

  return {
    name: file.name,
    files: [file.name],
    config: {
      settings: read(OldSettings, settings, 'the settings'),
      server: read(OldServer, config.get('server'), 'the server settings'),
      auther: read(OldAuther, config.get('auther'), 'the way to sign in'),
    },
    has: { users: true, shares: true },
    mayBeOlder: root.mayBeOlder,
    lastId: lastIdIn(users),
    *users() {
      for (const { key, value } of users?.entries() ?? []) {
        const id = idIn(file, key)
        const user = read(StoredUser, value, `user ${id}`)
        if (user.id !== id) throw file.damage(`user ${id} calls itself ${user.id}`)
        yield user
      }
    },
    *shares() {
      for (const { key, value } of shares?.entries() ?? []) {
        const hash = key.toString()
        const share = read(OldShare, value, `the link ${JSON.stringify(hash)}`)
        if (share.hash !== hash) throw file.damage(`the link ${JSON.stringify(hash)} calls itself ${share.hash}`)
        yield share
      }
    },
    close: () => file.close(),
  }
}

/**
 * Storm, the library of File Browser, notes the codec in every bucket, and File Browser always used JSON. A bucket without
 * the note is damaged.
 */
function requireJson(file: ReadOnlyFile, bucket: Bucket | undefined): void {
  if (bucket === undefined) return
  const codec = bucket.bucket('__storm_metadata')?.get('codec')?.toString()
  if (codec === undefined) throw file.damage(`${bucket.name} does not say how it is written`)
  if (codec !== 'json')
    throw new Failure(
      'invalid',
      `${file.name}: ${bucket.name} is written as ${JSON.stringify(codec)}, and only "json" can be read`,
    )
}

function jsonIn(file: ReadOnlyFile, value: Buffer, what: string): unknown {
  try {
    return JSON.parse(value.toString())
  } catch {
    throw file.damage(`${what} is not JSON`)
  }
}

function idIn(file: ReadOnlyFile, key: Buffer): number {
  const id = key.length === 8 ? Number(key.readBigUInt64BE(0)) : 0
  if (!Number.isSafeInteger(id) || id < 1) throw file.damage('a user has no usable number')
  return id
}

function lastIdIn(users: Bucket | undefined): number {
  const counter = users?.bucket('__storm_metadata')?.get('IDcounter')
  const last = counter?.length === 8 ? Number(counter.readBigInt64BE(0)) : 0
  return Number.isSafeInteger(last) && last > 0 ? last : 0
}
