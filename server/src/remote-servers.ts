import type { Kysely } from 'kysely'
import { type Config, keyVariables } from './config/config.ts'
import type { Database } from './database/schema.ts'
import { Failure } from './failure.ts'
import type { AddressRules } from './mounts/address-checks.ts'
import { type Keys, keysIn } from './mounts/keys.ts'
import type { MountDeps } from './mounts/mounts.ts'
import type { Node } from './nodes/node.ts'
import { type Address, parseAddress } from './storage/address.ts'
import type { DraftRecords, RemoteFiles } from './storage/remote/files.ts'
import type { RemoteMountParts } from './storage/remote/mount.ts'

// The adapters are loaded when an address names them: most servers have none.

export const addressRules = ({ remoteMounts, keysFolder }: Config): AddressRules => ({
  isOnPage: remoteMounts,
  keys: { folder: keysFolder, variables: keyVariables() },
})

export interface RemoteDeps extends Pick<RemoteMountParts, 'isKnownDraft' | 'orphanAge'> {
  readonly keys: Keys
  readonly db: Kysely<Database>
  readonly node: Pick<Node, 'id' | 'isAlive'>
  /** No mount is written to. */
  readonly isReadOnly: boolean
}

/** Connects mounts to servers elsewhere. */
export const remoteOpener =
  ({ keys, db, node, isReadOnly, isKnownDraft, orphanAge }: RemoteDeps): MountDeps['openRemote'] =>
  async ({ id, folder, readOnly }, { stores, tell, lost }) => {
    const address = parseAddress(folder)
    if (address.kind === 'disk') throw new Failure('invalid', 'this is a folder of a disk')
    if (address.kind === 'sftp' && address.hostKey === '') throw unconfirmed(await hostKeyAt(address))
    const [{ remoteMount }, { remoteRecords }] = await Promise.all([
      import('./storage/remote/mount.ts'),
      import('./storage/remote/records.ts'),
    ])
    const records = remoteRecords(db, node, id)
    const files = await filesAt(address, { keys, records: records.drafts, isReadOnly: isReadOnly || readOnly })
    const direct = address.kind === 's3' && address.direct > 0 ? address.direct : undefined
    return remoteMount(files, { kind: address.kind, records, stores, tell, isKnownDraft, orphanAge, direct, lost })
  }

/** What was found at an address. */
export interface LookedAt {
  /** Why it cannot be a mount. */
  readonly refusal?: string | undefined
  /** Of a server whose key is not confirmed yet. */
  readonly hostKey?: string | undefined
  readonly weaknesses: readonly string[]
}

/** Asks the server of an address whether it can be a mount. Nothing of it stays. */
export async function lookAtServer(keys: Keys, folder: string, isReadOnly = false): Promise<LookedAt> {
  const address = parseAddress(folder)
  if (address.kind === 'disk') throw new Failure('invalid', 'this is a folder of a disk')
  if (address.kind === 'sftp' && address.hostKey === '') return { hostKey: await hostKeyAt(address), weaknesses: [] }
  const files = await filesAt(address, { keys, records: noRecords, isReadOnly })
  try {
    const refusal = await files.probe()
    return { refusal, weaknesses: refusal === undefined ? files.abilities.weaknesses : [] }
  } finally {
    files.close()
  }
}

/** The same for a command. What fails is a refusal, too. */
export const lookWith = (config: Config, folder: string, isReadOnly: boolean): Promise<LookedAt> =>
  lookAtServer(keysIn(addressRules(config).keys), folder, isReadOnly).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
    return { refusal: error.message, weaknesses: [] }
  })

async function filesAt(
  address: Exclude<Address, { kind: 'disk' }>,
  { keys, records, isReadOnly }: { keys: Keys; records: DraftRecords; isReadOnly: boolean },
): Promise<RemoteFiles> {
  if (address.kind === 's3') {
    const { openS3 } = await import('./storage/s3/files.ts')
    await keys.ofBucket(address)
    return openS3({ place: address, keys: () => keys.ofBucket(address), records, isReadOnly })
  }
  const { openSftp } = await import('./storage/sftp/files.ts')
  await keys.ofLogin(address)
  return openSftp({ address, keys: () => keys.ofLogin(address), isReadOnly })
}

async function hostKeyAt({ host, port }: { host: string; port: number }): Promise<string> {
  const { hostKeyOf } = await import('./storage/sftp/files.ts')
  return hostKeyOf(host, port)
}

const unconfirmed = (hostKey: string): Failure =>
  new Failure(
    'invalid',
    `The key of the server is not confirmed: if it is its own, add hostKey=${hostKey} to the address`,
  )

/** For a look, which makes no drafts. */
const noRecords: DraftRecords = {
  find: async () => undefined,
  save: async () => {},
  forget: async () => {},
  lock: async () => () => {},
  all: async () => [],
}
