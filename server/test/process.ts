import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { hashPassword } from '../src/users/passwords.ts'
import { addressFor, copyDatabase, dropDatabase, inDatabase, isOnPostgres } from './database.ts'
import { freePort } from './free-port.ts'
import { prepared } from './prepared.ts'
import { randomFrom } from './random-changes.ts'
import type { Ask } from './server.ts'

/** So many servers on one PostgreSQL behind nginx stand for the program, where a run asks for it; a kill is one of them. */
const nodes = Number(process.env.FILESTEAD_TEST_NODES ?? 1)
const random = randomFrom(nodes)

export const launcher = join(import.meta.dirname, '../../bin/filestead')

export const admin = { username: 'admin', password: 'correct horse battery' }

/** The server as a process of its own that can be killed and started again over the same files. */
export interface Program extends AsyncDisposable {
  readonly root: string
  /** Its file, or its address. */
  readonly database: string
  readonly url: string
  readonly pid: number
  /** Signed in as the administrator, on a connection of its own each time. */
  readonly ask: Ask
  token: string
  /** Starts what does not run. */
  start(): Promise<void>
  /** SIGKILL: the process cannot clean up. One of several, at random. */
  kill(): Promise<void>
  /** The same to all of them: nobody is left who could go on. */
  killAll(): Promise<void>
  /** Looks at the disk while no server that is left changes anything there. */
  atStandstill<T>(look: () => T): Promise<T>
  /** Sends a signal, and waits for nothing. */
  signal(name: NodeJS.Signals): void
  /** Asks the process to end and returns how it ended. */
  terminate(signal?: NodeJS.Signals): Promise<Ended>
  /** Ends the process if it still runs and removes the files. */
  end(): Promise<void>
}

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  /** Another program instead of the launcher. */
  command?: string
  cwd?: string
  env?: Record<string, string>
}

/**
 * A folder with `root` in it, a database with an administrator, and the program serving the one with the other.
 * `database` and `cwd` are names in that folder.
 */
export async function startProgram({
  database = 'filestead.db',
  cwd,
  flags = [],
  ...rest
}: RunOptions & { database?: string; flags?: string[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-process-'))
  const root = join(folder, 'root')
  mkdirSync(root)
  const file = join(folder, database)
  const address = await initialiseAnywhere(file)
  const ports = await Promise.all(Array.from({ length: nodes }, freePort))
  const proxy = nodes > 1 ? await proxyTo(folder, ports) : undefined
  const url = proxy?.url ?? `http://127.0.0.1:${ports[0]}`
  const options = cwd === undefined ? rest : { ...rest, cwd: join(folder, cwd) }
  const servers = new Map<number, Running>()
  const isHere = ({ pid }: Running) => groups.has(pid)
  const here = () => [...servers.values()].filter(isHere)

  const program: Program = {
    root,
    database: address,
    url,
    token: '',
    get pid() {
      return servers.get(ports[0] ?? 0)?.pid ?? 0
    },
    ask: (path, init) => askAs(url, program.token)(path, init),
    async start() {
      await Promise.all(
        ports.map((port) => {
          const last = servers.get(port)
          if (nodes > 1 && last !== undefined && isHere(last)) return undefined
          const running = launch(['-d', address, '-r', root, '-a', '127.0.0.1', '-p', String(port), ...flags], options)
          servers.set(port, running)
          return untilHealthy(`http://127.0.0.1:${port}`, running)
        }),
      )
      if (proxy !== undefined) await untilHealthy(url, proxy)
    },
    async kill() {
      const [victim] = here().slice(random(here().length))
      victim?.signal('SIGKILL')
      await victim?.ended
    },
    async killAll() {
      await program.terminate('SIGKILL')
    },
    async atStandstill(look) {
      program.signal('SIGSTOP')
      try {
        await until(() => here().every(({ pid }) => isStopped(pid)))
        return look()
      } finally {
        program.signal('SIGCONT')
      }
    },
    signal(name) {
      for (const running of servers.values()) running.signal(name)
    },
    async terminate(signal = 'SIGTERM') {
      program.signal(signal)
      const [end] = await Promise.all([...servers.values()].map((running) => running.ended))
      return end ?? { code: null, stdout: '', stderr: '' }
    },
    async end() {
      for (const running of here()) await running[Symbol.asyncDispose]()
      await proxy?.[Symbol.asyncDispose]()
      await dropDatabase(address)
      rmSync(folder, { recursive: true, force: true })
    },
    [Symbol.asyncDispose]: () => program.end(),
  }
  try {
    await program.start()
    program.token = await signIn(url, admin)
    return program
  } catch (error) {
    await program.end()
    throw error
  }
}

/** Loaded where it is wanted: it starts nginx as this starts servers. */
async function proxyTo(folder: string, ports: readonly number[]): Promise<Running & { url: string }> {
  const { startProxy } = await import('./nginx.ts')
  const front = await freePort()
  return { ...startProxy(folder, front, ports), url: `http://127.0.0.1:${front}` }
}

/** A new database in a file with the administrator in it, and these settings. */
export async function initialise(file: string, settings: string[] = [], options: RunOptions = {}): Promise<void> {
  if (settings.length > 0 || Object.keys(options).length > 0) return initialiseByCommands(file, settings, options)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  copyFileSync(await prepared('initialised.db', initialiseForTests), file)
}

/** The same in the file, or in a PostgreSQL, whichever the tests of this run use. Returns its address. */
async function initialiseAnywhere(file: string): Promise<string> {
  if (!isOnPostgres) {
    await initialise(file)
    return file
  }
  preparingElsewhere ??= addressFor('').then(async (address) => {
    await initialiseForTests(address)
    return address
  })
  return copyDatabase(await preparingElsewhere)
}

/** Copied for each server: two commands would take longer than most of the tests, and so would a hash for every time it signs in. */
async function initialiseForTests(database: string): Promise<void> {
  await initialiseByCommands(database, [], {})
  const passwordHash = await hashPassword(admin.password)
  await inDatabase(database, (db) => db.updateTable('user').set({ password_hash: passwordHash }).execute())
}

let preparingElsewhere: Promise<string> | undefined

async function initialiseByCommands(database: string, settings: string[], options: RunOptions): Promise<void> {
  const { username, password } = admin
  for (const words of [
    ['config', 'init', ...settings],
    ['users', 'add', username, password, '--perm.admin'],
  ]) {
    const { code, stderr } = await run([...words, '-d', database], options)
    if (code !== 0) throw new Error(`${words.slice(0, 2).join(' ')} ended with ${code}: ${stderr}`)
  }
}

export interface Running extends AsyncDisposable {
  readonly pid: number
  readonly ended: Promise<Ended>
  stdout(): string
  stderr(): string
  /** To the whole process group. */
  signal(name: NodeJS.Signals): void
}

/** Where the program keeps a database without a path of its own. */
export const stateFolder = join(mkdtempSync(join(tmpdir(), 'filestead-state-')), 'filestead')

/** The environment of the program: nothing of our own but PATH, and what is added. */
export const environmentWith = (env: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  XDG_STATE_HOME: dirname(stateFolder),
  ...env,
})

/** Starts the program in a process group of its own. */
export function launch(args: string[], { command = launcher, cwd = tmpdir(), env }: RunOptions = {}): Running {
  const child = spawn(command, args, {
    cwd,
    env: environmentWith(env),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const pid = child.pid ?? 0
  groups.add(pid)
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (error) => resolve({ code: null, stdout: '', stderr: error.message }))
    child.once('close', (code) => {
      groups.delete(pid)
      resolve({ code, stdout: stdout(), stderr: stderr() })
    })
  })
  // After its end, the process id may belong to another process.
  const signal = (name: NodeJS.Signals) => groups.has(pid) && signalGroup(pid, name)
  const end = async () => {
    signal('SIGKILL')
    await ended
  }
  return { pid, ended, stdout, stderr, signal, [Symbol.asyncDispose]: end }
}

/** The program on a free port, once it answers. */
export async function serve(args: string[], options?: RunOptions): Promise<Running & { url: string }> {
  const port = await freePort()
  const running = launch([...args, '-a', '127.0.0.1', '-p', String(port)], options)
  const url = `http://127.0.0.1:${port}`
  await untilHealthy(url, running)
  return { ...running, url }
}

/** Runs a command that ends by itself; one that serves instead is ended after a while. */
export async function run(args: string[], options: RunOptions = {}): Promise<Ended> {
  const running = launch(args, options)
  const tooLong = setTimeout(() => running.signal('SIGKILL'), 60_000)
  try {
    return await running.ended
  } finally {
    clearTimeout(tooLong)
  }
}

export async function untilHealthy(url: string, { ended }: Pick<Running, 'ended'>): Promise<void> {
  let end: Ended | undefined
  void ended.then((how) => {
    end = how
  })
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await Bun.sleep(10)) {
    if (end !== undefined) throw new Error(`The program ended with ${end.code}: ${end.stderr}`)
    if ((await askAt(url, '/health').catch(() => undefined))?.status === 200) return
  }
  throw new Error('The program did not answer within a minute')
}

export async function signIn(url: string, { username, password }: typeof admin): Promise<string> {
  const response = await askAt(url, '/api/login', { method: 'POST', body: JSON.stringify({ username, password }) })
  if (response.status !== 200) throw new Error(`Signing in as ${username} answered ${response.status}`)
  return response.text()
}

/** The runtime would use a connection to a process that has been killed once more. */
export const askAt = (url: string, path: string, init?: RequestInit): Promise<Response> =>
  fetch(url + path, { redirect: 'manual', keepalive: false, ...init })

/** Asks with a token, unless a question brings its own. */
export const askAs =
  (url: string, token: string): Ask =>
  (path, init) =>
    askAt(url, path, { ...init, headers: { 'x-auth': token, ...init?.headers } })

/** Is any process of the group still there? */
export function hasGroup(pid: number): boolean {
  return signalGroup(pid, 0)
}

/** Does none of its threads run any more? A signal is sent before it has arrived everywhere. */
function isStopped(pid: number): boolean {
  const threads = `/proc/${pid}/task`
  return readdirSync(threads).every((thread) => /\) T [^)]*$/.test(readFileSync(`${threads}/${thread}/stat`, 'latin1')))
}

/** Polls until a condition holds, and fails where it never does. A busy machine takes long to get there. */
export async function until(isTrue: () => boolean | Promise<boolean>, milliseconds = 60_000): Promise<void> {
  const deadline = Date.now() + milliseconds
  // Pauses grow, so that polling takes no processor time from a server that starts.
  for (let pause = 1; !(await isTrue()); pause = Math.min(2 * pause, 16)) {
    if (Date.now() > deadline) throw new Error(`This did not become true: ${isTrue}`)
    await Bun.sleep(pause)
  }
}

function collect(stream: ChildProcess['stdout']): () => string {
  let text = ''
  stream?.on('data', (piece) => {
    text += piece
  })
  return () => text
}

const groups = new Set<number>()

process.on('exit', () => {
  for (const pid of groups) signalGroup(pid, 'SIGKILL')
  rmSync(dirname(stateFolder), { recursive: true, force: true })
})

function signalGroup(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    // Group 0 would be our own.
    return pid > 1 && process.kill(-pid, name)
  } catch {
    return false
  }
}
