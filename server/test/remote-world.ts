import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rightNames } from '@filestead/contract'
import { fixtureServer, versitygw } from '../src/storage/s3/servers.fixture.ts'
import { hasSshd, startSshd } from '../src/storage/sftp/sshd.fixture.ts'
import { admin, type Program, run, signIn, startProgram, until } from './process.ts'
import type { Ask } from './server.ts'

/** A server elsewhere that a mount named Far leads to. */
export interface FarServer {
  /** Without keys. */
  readonly address: string
  /** The file of its keys. */
  readonly keys: string
  readonly secret: string
  stop(): Promise<void> | void
}

/** Those of this machine, by name; the run says which are missing. */
export async function farServers(): Promise<Readonly<Record<string, () => Promise<FarServer>>>> {
  const gateway = await versitygw()
  gateway?.stop()
  if (gateway === undefined) console.log('Remote mounts: there is no versitygw here; the server of the tests stands in')
  if (!hasSshd) console.log('Remote mounts: there is no sshd here; SFTP is not tried')
  return {
    'a bucket': farBucket,
    ...(gateway && { 'a bucket of versitygw': async () => bucketOf(await startGateway()) }),
    ...(hasSshd && { 'a folder by SFTP': farFolder }),
  }
}

async function startGateway() {
  const server = await versitygw()
  if (server === undefined) throw new Error('There is no versitygw')
  return server
}

export const farBucket = async () => bucketOf(await fixtureServer())

type BucketServer = Awaited<ReturnType<typeof startGateway>>

function bucketOf<Server extends BucketServer>(server: Server): FarServer & { server: Server } {
  const { endpoint, bucket } = server.place
  const { accessKeyId, secretAccessKey } = server.keys
  return {
    server,
    address: `s3+${endpoint}/${bucket}/some/prefix?`,
    keys: `ACCESS_KEY_ID=${accessKeyId}\nSECRET_ACCESS_KEY=${secretAccessKey}\n`,
    secret: secretAccessKey,
    stop: () => server.stop(),
  }
}

export async function farFolder(): Promise<FarServer & { folder: string }> {
  const server = await startSshd()
  const folder = mkdtempSync(join(tmpdir(), 'filestead-far-'))
  const { host, port, user, hostKey } = server.address(folder)
  const { privateKey = '', passphrase = '' } = server.keys
  return {
    folder,
    address: `sftp://${user}@${host}:${port}${folder}?hostKey=${hostKey}&`,
    keys: `PASSPHRASE=${passphrase}\n${privateKey}`,
    secret: passphrase,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface World extends AsyncDisposable {
  readonly program: Program
  readonly ask: Ask
  readonly keysFolder: string
  /** The address of the mount, with its keys. */
  readonly folder: string
  addUser(name: string, ...flags: string[]): Promise<void>
  as(name: string): Promise<Ask>
  grant(subject: string, folder: string, rights?: readonly string[]): Promise<void>
}

/** A server with two root folders: Files on a disk, and Far elsewhere, in which everybody may do everything. */
export async function startFar(
  far: FarServer,
  { more = '', rights = rightNames as readonly string[] } = {},
): Promise<World> {
  const keysFolder = mkdtempSync(join(tmpdir(), 'filestead-keys-'))
  writeFileSync(join(keysFolder, 'far'), far.keys, { mode: 0o600 })
  const folder = `${far.address}keys=far${more}`
  const program = await startProgram({ flags: ['--keysFolder', keysFolder, '--mount', `Far=${folder}`] })
  const grant = async (subject: string, at: string, allowed: readonly string[] = rightNames) => {
    const body = JSON.stringify({ subject, mount: 2, folder: at, rights: allowed })
    const response = await program.ask('/api/grants', { method: 'POST', body })
    if (response.status !== 201) throw new Error(`The grant answered ${response.status}: ${await response.text()}`)
  }
  await grant('everybody', '/', rights)
  await until(async () => (await program.ask('/api/resources/Far/')).status === 200)
  return {
    program,
    ask: program.ask,
    keysFolder,
    folder,
    grant,
    async addUser(name, ...flags) {
      const { code, stderr } = await run(['users', 'add', name, admin.password, ...flags, '-d', program.database])
      if (code !== 0) throw new Error(stderr)
    },
    async as(name) {
      const token = await signIn(program.url, { ...admin, username: name })
      return (path, init) =>
        fetch(program.url + path, { redirect: 'manual', ...init, headers: { 'x-auth': token, ...init?.headers } })
    },
    async [Symbol.asyncDispose]() {
      await program.end()
      await far.stop()
      rmSync(keysFolder, { recursive: true, force: true })
    },
  }
}
