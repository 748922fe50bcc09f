import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SftpKeys, SftpOptions } from './files.ts'

const program = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/sbin/sshd'].find((path) => existsSync(path))

/** Where there is none, a server of the tests' own stands in for it. */
export const hasSshd = program !== undefined && spawnSync('ssh-keygen', ['-?']).error === undefined

/** A server with an account that the tests can sign in with. */
export interface TestServer {
  readonly port: number
  readonly hostKey: string
  /** Another one, where there is. */
  readonly rsaKey?: string | undefined
  readonly keys: SftpKeys
  address(folder: string): SftpOptions['address']
  stop(): Promise<void>
}

export interface SshdOptions {
  /** Requests that the server shall not know, by the names of `sftp-server -Q requests`. */
  readonly without?: readonly string[]
  readonly port?: number
  /** Of the user's key. */
  readonly passphrase?: string
}

/** All but what version 3 of the protocol demands. */
export const allExtensions = [
  ...['posix-rename', 'statvfs', 'fstatvfs', 'hardlink', 'fsync', 'lsetstat', 'limits', 'expand-path', 'copy-data'],
  ...['home-directory', 'users-groups-by-id'],
]

/** A real sshd on a port of its own, with keys and a configuration of its own; nothing of the machine's is used. */
export async function startSshd({ without = [], port, passphrase = '' }: SshdOptions = {}): Promise<TestServer> {
  if (program === undefined) throw new Error('There is no sshd')
  const folder = mkdtempSync(join(tmpdir(), 'filestead-sshd-'))
  const hostKeys = ['ed25519', 'rsa'].map((kind) => makeKey(folder, `host-${kind}`, kind))
  makeKey(folder, 'user', 'ed25519', passphrase)
  // A server that runs as root insists on it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  const listening = port ?? (await freePort())
  writeFileSync(
    join(folder, 'config'),
    [
      `Port ${listening}`,
      'ListenAddress 127.0.0.1',
      ...hostKeys.map(({ file }) => `HostKey ${file}`),
      'PidFile none',
      `AuthorizedKeysFile ${join(folder, 'user.pub')}`,
      'StrictModes no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'UsePAM no',
      'PermitRootLogin yes',
      'MaxStartups 200',
      `Subsystem sftp internal-sftp ${without.length === 0 ? '' : `-P ${without.join(',')}`}`,
    ].join('\n'),
  )
  const child = spawn(program, ['-D', '-e', '-f', join(folder, 'config')], { stdio: ['ignore', 'ignore', 'pipe'] })
  await untilListening(child)
  return {
    port: listening,
    hostKey: hostKeys[0]?.fingerprint ?? '',
    rsaKey: hostKeys[1]?.fingerprint,
    keys: { privateKey: readFileSync(join(folder, 'user'), 'utf8'), passphrase },
    address: (path) => ({
      host: '127.0.0.1',
      port: listening,
      user: spawnSync('id', ['-un'], { encoding: 'utf8' }).stdout.trim(),
      folder: path,
      hostKey: hostKeys[0]?.fingerprint ?? '',
    }),
    async stop() {
      await ended(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function makeKey(
  folder: string,
  name: string,
  kind: string,
  passphrase = '',
): { file: string; fingerprint: string } {
  const file = join(folder, name)
  spawnSync('ssh-keygen', ['-q', '-t', kind, '-N', passphrase, '-f', file])
  const { stdout } = spawnSync('ssh-keygen', ['-l', '-f', `${file}.pub`], { encoding: 'utf8' })
  return { file, fingerprint: stdout.split(' ')[1] ?? '' }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No port')
  return address.port
}

/** The server says so on its standard error. */
function untilListening(child: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString()
    if (said.includes('Server listening')) resolve()
  })
  child.on('exit', () => reject(new Error(`sshd did not start: ${said}`)))
  return promise
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await exit
}
