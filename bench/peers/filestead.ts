import { mkdirSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../../server/test/free-port.ts'
import { startServer } from '../child-server.ts'
import { type Peer, signIn } from '../peer.ts'
import { readTool } from '../tool.ts'

/** A Filestead that lives as long as the run: its own database, and the given root or a new one. */
interface OwnFilestead {
  root: string
  peer: Peer
  stop(): Promise<void>
}

/** This version, unless another program is named. */
export async function startFilestead(
  givenRoot: string | undefined,
  keep: boolean,
  { name, program } = { name: 'Filestead', program: resolve(import.meta.dir, '../../bin/filestead') },
): Promise<OwnFilestead> {
  const home = mkdtempSync(join(tmpdir(), 'bench-filestead-'))
  const clear = async () => {
    if (!keep) await rm(home, { recursive: true, force: true })
  }
  const root = givenRoot ?? join(home, 'root')
  mkdirSync(root, { recursive: true })
  const database = join(home, 'filestead.db')
  const account = { name, user: 'admin', password: crypto.randomUUID() }

  try {
    await readTool([program, 'config', 'init', '-d', database])
    await readTool([program, 'users', 'add', account.user, account.password, '--perm.admin', '-d', database])
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const argv = [program, '-d', database, '-r', root, '-a', '127.0.0.1', '-p', String(port)]
    const server = await startServer(argv, `${url}/health`, join(home, 'filestead.log'))
    const stop = () => server.stop().then(clear)
    try {
      return { root, peer: { ...(await signIn({ ...account, url })), pid: server.pid }, stop }
    } catch (error) {
      await stop()
      throw error
    }
  } catch (error) {
    await clear()
    throw error
  }
}
