import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../../server/test/free-port.ts'
import { startServer } from '../child-server.ts'
import { readCpuMs } from '../cpu-time.ts'
import { readTool } from '../tool.ts'

const program = resolve(import.meta.dir, '../../bin/filestead')
export const account = { username: 'admin', password: crypto.randomUUID() }
/** Entries of the listed folder, and names that a search looks at. */
export const [entries, names] = [20, 5000]

export interface ServingNode {
  readonly url: string
  /** Where uploads to it go, which it makes with the first. */
  readonly folder: string
  readonly startMs: number
  readonly pid: number
  cpuMs(): Promise<number>
  stop(): Promise<void>
}

/** What a server works on. */
export interface Installation {
  readonly database: string
  readonly root: string
}

/** A PostgreSQL, folders with files, and nodes that are started over both. */
export interface World extends AsyncDisposable {
  start(installation?: Installation): Promise<ServingNode>
  /** The same account and files, with a SQLite file. */
  readonly sqlite: Installation
  /** The same on a database of its own in the same PostgreSQL. */
  readonly stranger: Installation
  rows<Row>(query: string): Promise<Row[]>
  databaseCpuMs(): Promise<number>
  /** Transactions that PostgreSQL has counted since this was asked the last time. */
  newTransactions(): Promise<number>
}

export async function openWorld(): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'bench-scale-'))
  const cluster = spawn('node', [resolve(import.meta.dir, '../../scripts/postgres.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { value: maintenance, done } = await createInterface({ input: cluster.stdout })[Symbol.asyncIterator]().next()
  if (done || cluster.pid === undefined) throw new Error('There is no PostgreSQL on this machine')
  const { pid } = cluster
  const outside = new Bun.SQL(maintenance, { max: 1 })
  const addressOf = async (name: string) => {
    await outside.unsafe(`create database ${name}`)
    return Object.assign(new URL(maintenance), { pathname: `/${name}` }).href
  }
  const shared = await install(await addressOf('scale'), join(home, 'shared'))
  const stranger = await install(await addressOf('stranger'), join(home, 'stranger'))
  const sqlite = await install(join(home, 'filestead.db'), join(home, 'alone'))
  const inside = new Bun.SQL(shared.database, { max: 1 })

  let counted = 0

  async function start({ database, root } = shared): Promise<ServingNode> {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const argv = [program, '-d', database, '-r', root, '-a', '127.0.0.1', '-p', String(port)]
    const began = performance.now()
    const server = await startServer(argv, `${url}/health`, join(home, `log-${port}`))
    const startMs = performance.now() - began
    const folder = `/sent-${port}`
    return { url, folder, startMs, pid: server.pid, cpuMs: () => readCpuMs(server.pid), stop: server.stop }
  }

  return {
    start,
    sqlite,
    stranger,
    rows: async <Row>(query: string) => [...(await inside.unsafe(query))] as Row[],
    databaseCpuMs: () => readCpuMs(pid),
    async newTransactions() {
      // A connection that has nothing to do tells what it has counted after ten seconds.
      await Bun.sleep(10_500)
      const query = "select xact_commit + xact_rollback as count from pg_stat_database where datname = 'scale'"
      const [row] = await outside.unsafe(query)
      const fresh = Number(row.count) - counted
      counted += fresh
      return fresh
    },
    async [Symbol.asyncDispose]() {
      await inside.end()
      await outside.end()
      cluster.stdin.end()
      await new Promise((ended) => cluster.once('exit', ended))
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function install(database: string, root: string): Promise<Installation> {
  for (const folder of ['small', 'many']) mkdirSync(join(root, folder), { recursive: true })
  for (let count = 0; count < entries; count += 1)
    writeFileSync(join(root, `small/file-${count}.txt`), 'x'.repeat(1000))
  for (let count = 0; count < names; count += 1) writeFileSync(join(root, `many/name-${count}.txt`), '')
  await readTool([program, 'config', 'init', '-d', database])
  await readTool([program, 'users', 'add', account.username, account.password, '--perm.admin', '-d', database])
  return { database, root }
}

export async function tokenAt(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/login`, { method: 'POST', body: JSON.stringify(account) })
  if (!answer.ok) throw new Error(`signing in answered ${answer.status}`)
  return answer.text()
}
