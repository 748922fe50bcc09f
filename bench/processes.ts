import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../server/test/free-port.ts'
import { startServer } from './child-server.ts'
import { connectionOwners } from './connection-owners.ts'
import { readCpuMs } from './cpu-time.ts'
import { connectTo, type Line } from './exchange.ts'
import { type Peer, signIn } from './peer.ts'
import { median } from './statistics.ts'
import { toFigure, toTable } from './table.ts'
import { readTool } from './tool.ts'

/**
 * What a small listing costs a server of several processes, in processor time of all of them and their parent: beside one
 * process, and beside as many servers of one process each that share nothing. What both groups cost more than one
 * process is what the machine takes: processes that have to share processors wake up more often, for fewer requests
 * each. Every process is asked as often as any other, over as many connections.
 * `bun bench/processes.ts [ROUNDS] [REQUESTS] [WARM-UP]`, the last two for each process
 */
const [rounds, requests] = [Number(Bun.argv[2] ?? 7), Number(Bun.argv[3] ?? 3000)]
/** What is run again and again is compiled by then, and in every process for itself. */
const warmUp = Number(Bun.argv[4] ?? 10_000)
const [processes, connections, entries] = [4, 8, 20]
/** A request may cost so many times what it costs one process. */
const limit = 1.2

const program = resolve(import.meta.dir, '../bin/filestead')
const home = mkdtempSync(join(tmpdir(), 'bench-processes-'))
const root = join(home, 'root')
mkdirSync(join(root, 'small'), { recursive: true })
for (let number = 0; number < entries; number += 1) writeFileSync(join(root, 'small', `file-${number}.txt`), 'x')

interface Started {
  readonly pid: number
  readonly lines: readonly Line[]
  stop(): Promise<void>
}

async function start(name: string, count: number): Promise<Started> {
  const database = join(home, `${name}.db`)
  const account = { name, user: 'admin', password: crypto.randomUUID() }
  await readTool([program, 'config', 'init', '-d', database])
  await readTool([program, 'users', 'add', account.user, account.password, '--perm.admin', '-d', database])
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const argv = [program, '-d', database, '-r', root, '-a', '127.0.0.1', '-p', String(port)]
  const server = await startServer([...argv, '--processes', String(count)], `${url}/health`, join(home, `${name}.log`))
  try {
    const serving = count === 1 ? [server.pid] : await servingBelow(server.pid, count)
    return { ...server, lines: await evenLines(await signIn({ ...account, url }), port, serving) }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** The processes that serve, once all of them do. */
async function servingBelow(parent: number, count: number): Promise<number[]> {
  const deadline = Date.now() + 120_000
  while (Date.now() < deadline) {
    const children = (await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8')).trim().split(' ')
    if (children.length >= count) return children.map(Number)
    await Bun.sleep(100)
  }
  throw new Error(`${count} processes were to start`)
}

/** The kernel chooses which process gets a connection; those that one has too many of are closed again. */
async function evenLines(peer: Peer, port: number, pids: readonly number[]): Promise<Line[]> {
  const kept = new Map<number, Line[]>(pids.map((pid) => [pid, []]))
  const deadline = Date.now() + 120_000
  while ([...kept.values()].some((lines) => lines.length < connections)) {
    if (Date.now() > deadline) throw new Error('not every process takes connections')
    const line = await connectTo(peer)
    const ask = () => line.ask({ method: 'GET', path: '/api/resources/small/' })
    // It is accepted for sure when it was answered.
    await ask()
    const lines = kept.get((await connectionOwners(port, pids)).get(line.localPort) ?? 0)
    if (lines !== undefined && lines.length < connections) lines.push(line)
    else line.end()
  }
  return [...kept.values()].flat()
}

/** Answers with microseconds of processor time for each request. */
async function cost(servers: readonly Started[], perProcess: number): Promise<number> {
  const spent = async () => (await Promise.all(servers.map(({ pid }) => readCpuMs(pid)))).reduce((a, b) => a + b)
  const lines = servers.flatMap((server) => server.lines)
  const perLine = Math.ceil(perProcess / connections)
  const before = await spent()
  const askAll = async (line: Line) => {
    for (let asked = 0; asked < perLine; asked += 1) await line.ask({ method: 'GET', path: '/api/resources/small/' })
  }
  await Promise.all(lines.map(askAll))
  return (((await spent()) - before) * 1000) / (perLine * lines.length)
}

const running: Started[] = []
const started = async (name: string, count: number) => {
  const server = await start(name, count)
  running.push(server)
  return server
}
try {
  const groups = [
    { title: 'one process', servers: [await started('one', 1)] },
    { title: `${processes} processes`, servers: [await started('several', processes)] },
    { title: `${processes} servers that share nothing`, servers: [] as Started[] },
  ] as const
  for (let number = 0; number < processes; number += 1) groups[2].servers.push(await started(`apart-${number}`, 1))
  for (const { servers } of groups) await cost(servers, warmUp)
  const samples = groups.map((): number[] => [])
  for (let round = 0; round < rounds; round += 1)
    for (const [index, { servers }] of groups.entries()) samples[index]?.push(await cost(servers, requests))
  const timesOf = (index: number, beside: number): number =>
    median((samples[index] ?? []).map((sample, round) => sample / (samples[beside]?.[round] ?? Number.NaN)))
  const rows = groups.map(({ title }, index) => [
    title,
    toFigure(median(samples[index] ?? [])),
    timesOf(index, 0).toFixed(2),
    timesOf(index, 2).toFixed(2),
  ])
  console.log(toTable(['small listing', 'µs', 'times one process', 'times servers apart'], rows, 1))
  const times = timesOf(1, 0)
  console.log(`${times <= limit ? 'within' : 'MISSED'}: ${times.toFixed(2)} times, goal ${limit}`)
  console.log(`${availableParallelism()} processors, which the clients share`)
} finally {
  for (const { stop } of running) await stop()
  await rm(home, { recursive: true, force: true })
}
