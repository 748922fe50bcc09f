import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { test as base, expect, type Page } from '@playwright/test'
import { prefer } from './people.ts'

const program = resolve(import.meta.dirname, '../bin/filestead')
const username = 'admin'
const password = 'lamp in the window'
const firstPreferences = {
  locale: 'en',
  viewMode: 'list',
  sorting: { by: 'name', asc: false },
  singleClick: false,
  redirectAfterCopyMove: false,
  hideDotfiles: false,
  dateFormat: false,
  aceEditorTheme: '',
  theme: '',
}

/** The built product, running for one worker on a folder of its own. */
export interface Product {
  url: string
  /** The served folder on the disk. */
  root: string
  username: string
  password: string
  /** Empties the served folder and fills it anew. A name that ends in a slash makes an empty folder. */
  put(files: Record<string, string | Uint8Array>): Promise<void>
  /** Signs the administrator in on this page and opens a path of the product. */
  signIn(page: Page, path?: string): Promise<void>
  /** What the server takes for the administrator. */
  token(): Promise<string>
}

export const test = base.extend<{ preferences: object }, { product: Product }>({
  preferences: [
    // The administrator is one and the same for all tests of a worker, and begins each of them as the first.
    async ({ product }, use) => {
      await prefer(product, firstPreferences)
      await use(firstPreferences)
    },
    { auto: true },
  ],
  product: [launching(), { scope: 'worker' }],
})

/** A fixture: a product of its own, with these flags, for all tests of a worker. */
export function launching(...flags: string[]) {
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies from this pattern
  return async ({}: object, use: (product: Product) => Promise<void>): Promise<void> => {
    const { product, stop } = await launch(...flags)
    try {
      await use(product)
    } finally {
      await stop()
    }
  }
}

export { expect }

interface Launched {
  product: Product
  stop(): Promise<void>
  /** Ends the server alone; its data stay. */
  halt(): Promise<void>
  /** Starts the server again, at the same address. */
  startAgain(): Promise<void>
}

/** A product of its own for tests that need other flags. The test that starts it also stops it. */
export async function launch(...flags: string[]): Promise<Launched> {
  const home = await mkdtemp(join(tmpdir(), 'filestead-e2e-'))
  const root = join(home, 'files')
  await mkdir(root)
  const database = join(home, 'filestead.db')
  prepared ??= prepareDatabase()
  await writeFile(database, await prepared, { mode: 0o600 })
  // The server takes a free port itself: one that was found free before may be taken meanwhile.
  const startAt = (port: string) => start(home, '-d', database, '-r', root, '-a', '127.0.0.1', '-p', port, ...flags)
  let server = startAt('0')
  const stop = async () => {
    await server.stop()
    await rm(home, { recursive: true, force: true })
  }
  const url = await server.address.catch(async (error) => {
    await stop()
    throw error
  })
  const token = keepSession(url)
  const product: Product = {
    url,
    root,
    username,
    password,
    put: (files) => refill(root, files),
    signIn: async (page, path = 'files/') => signIn(page, new URL(path, url).href, await token()),
    token,
  }
  return {
    product,
    stop,
    halt: () => server.stop(),
    async startAgain() {
      server = startAt(new URL(url).port)
      await server.address
    },
  }
}

/** Where every product of this worker begins. */
let prepared: Promise<Buffer> | undefined

/** A database with an administrator. Two programs make it, each as slow to start as the server itself: they run once. */
async function prepareDatabase(): Promise<Buffer> {
  const home = await mkdtemp(join(tmpdir(), 'filestead-e2e-'))
  const database = join(home, 'filestead.db')
  try {
    // Without a name of its own, as after the move from File Browser.
    await run(home, 'config', 'init', '--branding.name', '', '-d', database)
    await run(home, 'users', 'add', username, password, '--perm.admin', '--commands=echo,ls,sleep', '-d', database)
    return await readFile(database)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Passwords are slow to check on purpose: one session serves until a test ends it. */
function keepSession(url: string): () => Promise<string> {
  let token: string | null = null
  const ask = (path: string, init: RequestInit) => fetch(new URL(`api/${path}`, url), { method: 'POST', ...init })
  return async () => {
    const renewed = token === null ? null : await ask('renew', { headers: { 'X-Auth': token } })
    const answer = renewed?.ok ? renewed : await ask('login', { body: JSON.stringify({ username, password }) })
    if (!answer.ok) throw new Error(`Signing in answered ${answer.status}`)
    token = await answer.text()
    return token
  }
}

/** Not through the form, which has tests of its own: the page finds the session as after a reload. */
async function signIn(page: Page, url: string, token: string): Promise<void> {
  // Once for each tab: a session that the test ends must stay ended.
  await page.addInitScript((jwt) => {
    if (sessionStorage.getItem('signed-in-as') === jwt) return
    sessionStorage.setItem('signed-in-as', jwt)
    localStorage.setItem('jwt', jwt)
  }, token)
  await page.goto(url)
  // Asked with every frame: an assertion asks again after half a second, which every test would pay for.
  await page.waitForFunction(() => document.querySelector('main[aria-busy="false"]:not([data-view="login"])') !== null)
}

/** The root itself stays: the server holds it open. What it is still writing for an earlier test goes, too. */
async function refill(root: string, files: Record<string, string | Uint8Array>): Promise<void> {
  for (let old = await readdir(root); old.length > 0; old = await readdir(root))
    await Promise.all(old.map((name) => rm(join(root, name), { recursive: true, force: true, maxRetries: 5 })))
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name)
    await mkdir(name.endsWith('/') ? path : dirname(path), { recursive: true })
    if (!name.endsWith('/')) await writeFile(path, content)
  }
}

async function run(home: string, ...args: string[]): Promise<void> {
  await promisify(execFile)(program, args, { cwd: home, env: cleanEnvironment() })
}

function start(home: string, ...args: string[]) {
  // Its own process group, so that whatever the server starts ends with it.
  const child = spawn(program, args, { cwd: home, env: cleanEnvironment(), detached: true, stdio: 'pipe' })
  const address = new Promise<string>((resolve, reject) => {
    let output = ''
    let isServing = false
    const read = (chunk: unknown) => {
      if (isServing) return
      output += String(chunk)
      const url = /^ {2}at (http:\S+)$/m.exec(output)?.[1]
      isServing = url !== undefined
      if (url !== undefined) resolve(url)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('error', reject)
    child.on('exit', () => reject(new Error(`The server ended before it served:\n${output}`)))
  })

  return {
    /** Known as soon as the server answers. */
    address,

    async stop(): Promise<void> {
      if (!isRunning(child)) return
      const exit = once(child, 'exit')
      signalGroup(child, 'SIGTERM')
      const patience = wait(12_000, 'late', { ref: false })
      if ((await Promise.race([exit, patience])) === 'late') signalGroup(child, 'SIGKILL')
      await exit
    },
  }
}

const isRunning = (child: ChildProcess) =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined) process.kill(-child.pid, signal)
}

/** Settings of the shell that runs the tests must not reach the product under test. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(FILESTEAD|FB)_/.test(name)))
}
