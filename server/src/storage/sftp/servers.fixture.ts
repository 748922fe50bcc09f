import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parsePath } from '../path.ts'
import type { RemoteFiles } from '../remote/files.ts'
import { openSftp, type SftpOptions } from './files.ts'
import { startOwnServer } from './own-server.fixture.ts'
import { allExtensions, hasSshd, startSshd, type TestServer } from './sshd.fixture.ts'

if (!hasSshd) process.stdout.write('SFTP: there is no sshd here, so only the server of the tests is asked\n')

/** The servers that this machine has: with what OpenSSH adds to the protocol, and without. */
export const servers: Readonly<Record<string, () => Promise<TestServer>>> = {
  ...(hasSshd
    ? { sshd: () => startSshd(), 'sshd without extensions': () => startSshd({ without: allExtensions }) }
    : {}),
  'the server of the tests': () => startOwnServer(),
}

/** Any of them, the most real one first. */
export const startServer = (): Promise<TestServer> => (hasSshd ? startSshd() : startOwnServer())

const endings: (() => Promise<void> | void)[] = []
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

/** Ends when all tests of the file have. */
export function atTheEnd(end: () => Promise<void> | void): void {
  endings.push(end)
}

export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-sftp-'))
  atTheEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Files in a folder of a server, which can be looked at from here. */
export function filesOf(server: TestServer, folder: string, options: Partial<SftpOptions> = {}): RemoteFiles {
  const files = openSftp({ address: server.address(folder), keys: async () => server.keys, firstPause: 1, ...options })
  atTheEnd(() => files.close())
  return files
}

export const at = parsePath

export async function* pieces(...texts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of texts) yield typeof piece === 'string' ? Buffer.from(piece) : piece
}

export async function textOf(files: RemoteFiles, path: string): Promise<string> {
  const entry = await files.stat(at(path))
  if (entry === undefined) throw new Error(`${path} is not there`)
  return new Response(files.read(at(path), entry, 0, entry.size)).text()
}

export async function namesIn(files: RemoteFiles, folder: string): Promise<string[]> {
  const names: string[] = []
  for await (const page of files.list(at(folder))) names.push(...page.map(({ name }) => name))
  return names.sort()
}
