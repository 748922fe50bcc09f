import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { freePort } from './free-port.ts'
import { nginx, startProxy } from './nginx.ts'
import { startPostgres } from './postgres.ts'
import { admin, askAs, askAt, type Ended, launch, launcher, run, signIn, untilHealthy } from './process.ts'
import type { Ask } from './server.ts'

/** A real server on the database and the folder that all share. */
export interface ServingNode extends AsyncDisposable {
  readonly url: string
  readonly ask: Ask
  /** Is this the id by which its rows name it? */
  isNamed(id: string | null | undefined): boolean
  /** SIGKILL: it cannot clean up. */
  kill(): Promise<void>
  terminate(): Promise<void>
  signal(name: NodeJS.Signals): void
  log(): string
  readonly ended: Promise<Ended>
}

/** Several servers on one PostgreSQL and one folder, behind nginx, which sends each request to the next. */
export interface Cluster extends AsyncDisposable {
  readonly root: string
  /** Of the database. */
  readonly address: string
  readonly url: string
  token: string
  /** Through nginx, signed in, on a connection of its own each time. */
  readonly ask: Ask
  readonly nodes: readonly ServingNode[]
  /** Another one, which nginx does not know, or in the place of one that has ended. */
  start(port?: number, flags?: string[]): Promise<ServingNode>
  /** Asks the database. */
  rows<Row extends object>(query: string): Promise<Row[]>
  readonly postgres: { stop(): Promise<void>; start(): Promise<void> }
  /** What nginx has found wrong lately. */
  proxyErrors(): string
}

/** Why there can be none here; empty where there can. */
export const obstacle = nginx === null ? ' (skipped, because there is no nginx)' : ''

/** Makes a process see no other, as on a machine of its own. */
const container = ['--pid', '--fork', '--kill-child', '--mount-proc', launcher]
export const hasContainers = Bun.spawnSync(['unshare', ...container.slice(0, -1), 'true']).exitCode === 0

export interface ClusterOptions {
  readonly flags?: string[]
  /** Each server in a container of its own: the others see no process of it. */
  readonly isContained?: boolean
}

export async function startCluster(count: number, options: ClusterOptions = {}): Promise<Cluster> {
  const { flags = [], isContained = false } = options
  const folder = mkdtempSync(join(tmpdir(), 'filestead-nodes-'))
  const root = join(folder, 'root')
  mkdirSync(root)
  const postgres = await startPostgres()
  if (postgres === undefined) throw new Error('There is no PostgreSQL')
  const address = await postgres.make('nodes')
  for (const words of [
    ['config', 'init'],
    ['users', 'add', admin.username, admin.password, '--perm.admin'],
  ]) {
    const { code, stderr } = await run([...words, '-d', address])
    if (code !== 0) throw new Error(stderr)
  }
  const all: ServingNode[] = []
  let token = ''

  async function start(port?: number, more: string[] = []): Promise<ServingNode> {
    const own = port ?? (await freePort())
    const url = `http://127.0.0.1:${own}`
    const args = ['-d', address, '-r', root, '-a', '127.0.0.1', '-p', String(own), '--trustedProxies', '127.0.0.1']
    // A machine of its own has its own folder for what is not shared.
    const state = mkdtempSync(join(folder, 'state-'))
    const env = { XDG_STATE_HOME: state }
    const running = isContained
      ? launch([...container, ...args, ...flags, ...more], { command: 'unshare', env })
      : launch([...args, ...flags, ...more], { env })
    await untilHealthy(url, running)
    const node: ServingNode = {
      url,
      isNamed: (id) => id?.includes(isContained ? `:${namespaceOf(running.pid)}:` : `:${running.pid}:`) === true,
      ask: (path, init) => askAs(url, token)(path, init),
      async kill() {
        running.signal('SIGKILL')
        await running.ended
      },
      async terminate() {
        running.signal('SIGTERM')
        await running.ended
      },
      signal: (name) => running.signal(name),
      log: () => running.stdout() + running.stderr(),
      ended: running.ended,
      [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
    }
    all.push(node)
    return node
  }

  const ports = await Promise.all(Array.from({ length: count }, freePort))
  await Promise.all(ports.map((port) => start(port)))
  const nodes = ports
    .map((port) => all.find(({ url }) => url.endsWith(`:${port}`)))
    .filter((node) => node !== undefined)
  const front = await freePort()
  const proxy = startProxy(folder, front, ports)
  const url = `http://127.0.0.1:${front}`
  await untilHealthy(url, proxy)
  token = await signIn(url, admin)
  const client = new Client({ connectionString: address })
  // It ends with the database, which a test may stop.
  client.on('error', () => {})
  await client.connect()

  return {
    root,
    address,
    url,
    get token() {
      return token
    },
    set token(given) {
      token = given
    },
    ask: (path, init) => askAs(url, token)(path, init),
    nodes,
    start,
    rows: async <Row extends object>(query: string) => (await client.query<Row>(query)).rows,
    postgres,
    proxyErrors: () => readFileSync(join(folder, 'error.log'), 'utf8').split('\n').slice(-8).join('\n'),
    async [Symbol.asyncDispose]() {
      await client.end().catch(() => {})
      await proxy[Symbol.asyncDispose]()
      for (const node of all) await node[Symbol.asyncDispose]()
      postgres.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Of the process in the container that this one has made. */
function namespaceOf(pid: number): string {
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return readlinkSync(`/proc/${child}/ns/pid`).replace(/\D/g, '')
}

/** A token of its own, from one server. */
export const signInAt = (node: Pick<ServingNode, 'url'>): Promise<string> => signIn(node.url, admin)

export const healthOf = async (node: Pick<ServingNode, 'url'>): Promise<number> =>
  (await askAt(node.url, '/health')).status
