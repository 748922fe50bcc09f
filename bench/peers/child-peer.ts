import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../server/test/free-port.ts'
import type { Bench } from '../bench.ts'
import { startServer } from '../child-server.ts'
import type { Peer } from '../peer.ts'
import type { Dialect } from './dialect.ts'

/** A server of another project: its program is found by its name, and it serves without accounts. */
interface ForeignServer {
  name: string
  dialect: Dialect
  /** What makes the program tell its version. */
  versionFlag: string
  argv(program: string, setting: Setting): string[]
  /** Writes what the program reads at its start. */
  prepare?(setting: Setting): Promise<void>
}

export interface Setting {
  root: string
  home: string
  /** A folder on the file system that is served, to move finished files from. */
  scratch: string
  port: number
}

/** Starts it over the root of the bench until that ends. Resolves with nothing where it is not installed. */
export function startPeer(server: ForeignServer): (bench: Bench) => Promise<Peer | undefined> {
  const { name, dialect, versionFlag, argv, prepare } = server
  return async (bench) => {
    const program = Bun.which(name)
    if (program === null) return
    const home = mkdtempSync(join(tmpdir(), `bench-${name}-`))
    bench.atEnd(() => rm(home, { recursive: true, force: true }))
    const scratch = `${bench.root}${bench.served}`
    const setting = { root: bench.root, home, scratch, port: await freePort() }
    await prepare?.(setting)
    const url = `http://127.0.0.1:${setting.port}`
    const { pid, stop } = await startServer(argv(program, setting), url, join(home, 'output.log'), home)
    bench.atEnd(stop)
    return { name, url: new URL(url), token: '', pid, dialect, version: readVersion(program, versionFlag) }
  }
}

function readVersion(program: string, flag: string): string | undefined {
  const { stdout, stderr } = Bun.spawnSync([program, flag])
  return /\d+\.\d+(\.\d+)?/.exec(`${stdout}${stderr}`)?.[0]
}
