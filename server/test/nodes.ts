import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { startPostgres } from './postgres.ts'
import { admin, askAs, askAt, freePort, launch, launcher, type Running, run, signIn, untilHealthy } from './process.ts'
import type { Ask } from './server.ts'

const example = readFileSync(join(import.meta.dirname, '../../packaging/proxies/nginx-nodes.conf'), 'utf8')
const nginx = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })

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
}

/** Several servers on one PostgreSQL and one folder, behind nginx, which sends each request to the next. */
export interface Cluster extends AsyncDisposable {
  readonly root: string
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
    async [Symbol.asyncDispose]() {
      await client.end().catch(() => {})
      await proxy[Symbol.asyncDispose]()
      for (const node of all) await node[Symbol.asyncDispose]()
      postgres.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The example of the manual, without connections that are kept: each request goes to the next server. */
function startProxy(folder: string, front: number, ports: readonly number[]): Running {
  const servers = ports.map((port) => `server 127.0.0.1:${port} max_fails=1 fail_timeout=1s;`).join('\n')
  const block = example
    .replace('listen 443 ssl;', `listen 127.0.0.1:${front};`)
    .replace(/ssl_certificate.*\n/g, '\n')
    .replace(/( *server 10\.0\.0\.1\d:8080.*\n)+ *keepalive 64;/, servers)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  const text = [
    `daemon off; pid ${join(folder, 'nginx.pid')}; worker_processes 1; events { worker_connections 256; }`,
    `http { access_log off; ${temporary.join(' ')}`,
    block,
    '}',
  ]
  writeFileSync(join(folder, 'nginx.conf'), text.join('\n'))
  return launch(['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
    command: nginx ?? '',
  })
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
