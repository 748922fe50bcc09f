import { createHash } from 'node:crypto'
import type { AnyAuthMethod, Client, ConnectConfig, ParsedKey } from 'ssh2'
import { Failure } from '../../failure.ts'
import { type SftpChannel, sftpChannel } from './channel.ts'
import { openedKey } from './keys.ts'

/** An `SftpAddress` is one. */
export interface SftpServer {
  readonly host: string
  readonly port: number
  readonly user: string
  /** As `ssh-keygen -l` writes it: 'SHA256:…'. Empty until an administrator has confirmed it. */
  readonly hostKey: string
}

export interface SftpKeys {
  readonly password?: string | undefined
  /** The content of the file, not its name. */
  readonly privateKey?: string | undefined
  readonly passphrase?: string | undefined
}

/** The server cannot be asked. Users are told no more than that; `detail` is for administrators, and holds no secret. */
export class ServerAway extends Failure {
  constructor(
    readonly detail: string,
    readonly kind: 'unreachable' | 'host-key' | 'sign-in' = 'unreachable',
  ) {
    super('unavailable', 'The server that has these files does not answer. Try again in a moment', { retryAfter: 5 })
  }
}

export interface ConnectionOptions {
  readonly server: SftpServer
  /** Asked again for every sign-in. */
  readonly keys: () => Promise<SftpKeys>
  /** In milliseconds, for every step: a server that says nothing for so long is away. */
  readonly patience: number
  /** In milliseconds: the first pause after a connection that could not be made. It doubles up to `longestPause`. */
  readonly firstPause: number
}

/** In milliseconds. */
const longestPause = 30_000

/** A connection that is made when it is first needed, and again when it was lost. */
export interface SftpConnection {
  channel(): Promise<SftpChannel>
  close(): void
}

export function sftpConnection(options: ConnectionOptions): SftpConnection {
  let current: SftpChannel | undefined
  let connecting: Promise<SftpChannel> | undefined
  let isClosed = false
  let pause = 0
  let refusal: { readonly error: unknown; readonly until: number } | undefined

  async function connect(): Promise<SftpChannel> {
    try {
      const channel = await signedIn(options)
      if (isClosed) channel.end('the storage was closed')
      current = channel
      pause = 0
      refusal = undefined
      return channel
    } catch (error) {
      pause = Math.min(longestPause, Math.max(options.firstPause, pause * 2))
      refusal = { error, until: performance.now() + pause }
      throw error
    } finally {
      connecting = undefined
    }
  }

  return {
    async channel() {
      if (isClosed) throw new ServerAway('the storage was closed')
      if (current !== undefined && !current.isLost) return current
      // Tries in quick succession would look like an attack to the server, which then shuts us out for long.
      if (refusal !== undefined && performance.now() < refusal.until) throw refusal.error
      connecting ??= connect()
      return connecting
    },
    close() {
      isClosed = true
      current?.end('the storage was closed')
    },
  }
}

/** The host key of a server as `ssh-keygen -l` writes it, for an administrator to compare and confirm. */
export async function hostKeyOf(host: string, port: number, patience = 8000): Promise<string> {
  let found: string | undefined
  const server = { host, port, user: 'nobody', hostKey: '' }
  try {
    const client = await connected(server, {}, patience, (fingerprint) => {
      found = fingerprint
      return false
    })
    client.destroy()
  } catch (error) {
    if (found === undefined) throw error
  }
  if (found === undefined) throw new ServerAway(`${host}:${port} has no host key`)
  return found
}

async function signedIn({ server, keys, patience }: ConnectionOptions): Promise<SftpChannel> {
  const given = await asked(keys)
  let client: Client
  try {
    client = await trusted(server, given, patience)
  } catch (error) {
    if (!(error instanceof ServerAway && error.kind === 'sign-in')) throw error
    const fresh = await asked(keys)
    if (JSON.stringify(fresh) === JSON.stringify(given)) throw error
    client = await trusted(server, fresh, patience)
  }
  try {
    const stream = await new Promise<import('ssh2').ClientChannel>((resolve, reject) => {
      const timer = setTimeout(() => reject(new ServerAway(`${nameOf(server)} does not answer`)), patience)
      client.subsys('sftp', (error, channel) => {
        clearTimeout(timer)
        if (error === undefined) resolve(channel)
        else reject(new ServerAway(`${nameOf(server)} lets ${JSON.stringify(server.user)} in, but offers no SFTP`))
      })
    })
    return await sftpChannel(stream, { patience, lost: () => client.destroy() })
  } catch (error) {
    client.destroy()
    throw error instanceof ServerAway ? error : new ServerAway(`${nameOf(server)} does not answer`)
  }
}

/** Keys that cannot be read are told to administrators alone. */
async function asked(keys: () => Promise<SftpKeys>): Promise<SftpKeys> {
  try {
    return await keys()
  } catch (error) {
    throw new ServerAway(error instanceof Failure ? error.message : 'The keys cannot be read', 'sign-in')
  }
}

/** A server has a key of each kind, and an administrator may have confirmed any of them. */
const keyKinds: readonly (readonly string[])[] = [
  ['ssh-ed25519'],
  ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
  ['rsa-sha2-512', 'rsa-sha2-256'],
]

/** Nothing of the keys is sent to a server whose own key is not the one that was confirmed. */
async function trusted(server: SftpServer, keys: SftpKeys, patience: number): Promise<Client> {
  const shown: string[] = []
  const accept = (fingerprint: string) => {
    if (!shown.includes(fingerprint)) shown.push(fingerprint)
    return server.hostKey !== '' && fingerprint === server.hostKey
  }
  try {
    return await connected(server, keys, patience, accept)
  } catch (error) {
    if (shown.length === 0 || shown.includes(server.hostKey)) throw error
  }
  if (server.hostKey !== '')
    for (const kind of keyKinds) {
      try {
        return await connected(server, keys, patience, accept, kind)
      } catch (error) {
        if (shown.includes(server.hostKey)) throw error
      }
    }
  throw new ServerAway(distrust(server, shown[0] ?? ''), 'host-key')
}

const distrust = (server: SftpServer, shown: string): string =>
  server.hostKey === ''
    ? `The host key of ${nameOf(server)} is not confirmed. It is ${shown}: compare it with what ssh-keygen -l prints on that server, then confirm it`
    : `THE HOST KEY OF ${nameOf(server)} IS ANOTHER ONE. Confirmed was ${server.hostKey}, the server has ${shown}. ` +
      'Either it was set up anew, or another server pretends to be it. Nothing was sent to it. ' +
      'Confirm the new key only when the administrator of that server has told it to you'

const nameOf = ({ host, port }: SftpServer): string => `${host}:${port}`

async function connected(
  server: SftpServer,
  keys: SftpKeys,
  patience: number,
  accept: (fingerprint: string) => boolean,
  hostKeys?: readonly string[],
): Promise<Client> {
  // Loaded by the first mount that needs it: it takes memory that a server without one does not spend.
  const { Client, utils } = await import('ssh2')
  const privateKey =
    keys.privateKey === undefined ? undefined : await openedKey(utils, keys.privateKey, keys.passphrase)
  if (keys.privateKey !== undefined && privateKey === undefined) throw unreadableKey()
  const client = new Client()
  const { promise, resolve, reject } = Promise.withResolvers<Client>()
  client.on('ready', () => resolve(client))
  client.on('error', (error: Error & { level?: string }) => reject(awayBy(error, server, keys)))
  client.on('close', () => reject(new ServerAway(`${nameOf(server)} has closed the connection`)))
  // `readyTimeout` begins with the handshake; a server that cannot be reached at all shall not take longer.
  const timer = setTimeout(() => reject(new ServerAway(`${nameOf(server)} does not answer`)), patience)
  try {
    client.connect(configOf(server, keys.password, privateKey, patience, accept, hostKeys))
    return await promise
  } catch (error) {
    client.destroy()
    throw error instanceof ServerAway ? error : unreadableKey()
  } finally {
    clearTimeout(timer)
  }
}

function configOf(
  server: SftpServer,
  password: string | undefined,
  privateKey: ParsedKey | undefined,
  patience: number,
  accept: (fingerprint: string) => boolean,
  hostKeys: readonly string[] | undefined,
): ConnectConfig {
  return {
    host: server.host,
    port: server.port,
    username: server.user,
    authHandler: methodsOf(server.user, password, privateKey),
    readyTimeout: patience,
    keepaliveInterval: 15_000,
    keepaliveCountMax: 2,
    hostVerifier: (key: Buffer) => accept(fingerprintOf(key)),
    ...(hostKeys === undefined ? {} : { algorithms: { serverHostKey: [...hostKeys] as never } }),
  }
}

/** Servers that ask for a password as a question get it as an answer. */
function methodsOf(username: string, password: string | undefined, key: ParsedKey | undefined): AnyAuthMethod[] {
  const methods: AnyAuthMethod[] = key === undefined ? [] : [{ type: 'publickey', username, key }]
  if (password === undefined) return methods
  return [
    ...methods,
    { type: 'password', username, password },
    {
      type: 'keyboard-interactive',
      username,
      prompt: (_name, _instructions, _language, prompts, finish) => finish(prompts.map(() => password)),
    },
  ]
}

const unreadableKey = (): ServerAway =>
  new ServerAway('The private key cannot be read: it is damaged, or its passphrase is missing or wrong', 'sign-in')

const fingerprintOf = (key: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

function awayBy({ level, message }: Error & { level?: string }, server: SftpServer, keys: SftpKeys): ServerAway {
  // Without a level, it is what the server itself has said: people would take it for ours.
  if (level === undefined) return new ServerAway(`${nameOf(server)} has ended the connection`)
  if (level !== 'client-authentication') return new ServerAway(`${nameOf(server)} cannot be reached: ${message}`)
  const by = keys.privateKey === undefined ? 'this password' : 'this key'
  return new ServerAway(`${nameOf(server)} does not let ${JSON.stringify(server.user)} in by ${by}`, 'sign-in')
}
