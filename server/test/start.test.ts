import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { openDatabase } from '../src/database/open.ts'
import { scratchFolder } from './disk.ts'
import { freePort } from './free-port.ts'
import { admin, askAt, initialise, launch, launcher, type RunOptions, run, signIn, untilHealthy } from './process.ts'

const folder = scratchFolder('start')
const root = join(folder, 'root')
const database = join(folder, 'filestead.db')
beforeAll(async () => {
  mkdirSync(root)
  writeFileSync(join(root, 'served.txt'), 'served')
  await initialise(database)
}, 120_000)

/** Starts the program, waits until it answers at the port and hands over to `work`. */
async function serving<T>(port: number, args: string[], options: RunOptions, work: (url: string) => Promise<T>) {
  const url = `http://127.0.0.1:${port}`
  await using running = launch(args, options)
  await untilHealthy(url, running)
  const result = await work(url)
  running.signal('SIGTERM')
  return { result, ...(await running.ended) }
}

async function listing(url: string, who = admin): Promise<string[]> {
  const answer = await askAt(url, '/api/resources/', { headers: { 'x-auth': await signIn(url, who) } })
  return ((await answer.json()) as { items: { name: string }[] }).items.map(({ name }) => name)
}

describe('Files in the folders around the program', () => {
  function trap(name: string): string {
    const path = join(folder, name)
    mkdirSync(path)
    writeFileSync(join(path, 'trapped.txt'), '')
    writeFileSync(join(path, 'bunfig.toml'), 'preload = ["./preload.ts"]\n')
    writeFileSync(join(path, 'preload.ts'), `require('node:fs').writeFileSync('${path}/marker', '')\n`)
    writeFileSync(join(path, '.env'), `FB_PORT=1\nFILESTEAD_PORT=1\nFILESTEAD_ROOT=${folder}\nFB_ROOT=${folder}\n`)
    return path
  }

  test('the home folder, which is served, holds no program', async () => {
    const home = join(folder, 'home')
    mkdirSync(home)
    const port = await freePort()
    const env = { HOME: home, XDG_CACHE_HOME: home }
    const args = ['-d', database, '-r', home, '-p', String(port)]
    const { result } = await serving(port, args, { cwd: folder, env }, (url) => listing(url))
    expect(result).toEqual([])
    expect(readdirSync(home)).toEqual([])
  })

  test('a preload and an environment file in the working folder, which is served, have no effect', async () => {
    const cwd = trap('working')
    const control = trap('control')
    await Bun.spawn([process.execPath, '-e', '""'], { cwd: control, stderr: 'ignore' }).exited
    expect(existsSync(join(control, 'marker'))).toBe(true)

    // The port comes from the database, which any environment would overrule.
    const port = await freePort()
    const own = join(folder, 'own.db')
    await initialise(own, ['-p', String(port)], { cwd })
    const { result } = await serving(port, ['-d', own], { cwd }, (url) => listing(url))
    expect(result).toContain('trapped.txt')
    expect(existsSync(join(cwd, 'marker'))).toBe(false)
  }, 120_000)

  test('a preload and an environment file in a served folder have no effect', async () => {
    const served = trap('served')
    const port = await freePort()
    const args = ['-d', database, '-r', served, '-p', String(port)]
    const { result } = await serving(port, args, {}, (url) => listing(url))
    expect(result).toContain('trapped.txt')
    expect(existsSync(join(served, 'marker'))).toBe(false)
  }, 120_000)

  test('the working folder only resolves relative names, also when the program is called through a symlink', async () => {
    const command = join(folder, 'called-by-link')
    symlinkSync(launcher, command)
    for (const cwd of ['/', folder, root]) {
      const port = await freePort()
      const args = ['-d', relative(cwd, database), '-r', relative(cwd, root) || '.', '-p', String(port)]
      const { result, code } = await serving(port, args, { cwd, command }, (url) => listing(url))
      expect({ cwd, result, code }).toEqual({ cwd, result: ['served.txt'], code: 0 })
    }
  }, 120_000)
})

describe('The environment', () => {
  test('our variables win over those of File Browser, and a flag wins over both', async () => {
    const [ours, theirs, flag] = [await freePort(), await freePort(), await freePort()]
    const env = { FILESTEAD_PORT: String(ours), FB_PORT: String(theirs), FB_ROOT: root, FILESTEAD_DATABASE: database }
    const byEnvironment = await serving(ours, [], { env }, (url) => listing(url))
    expect(byEnvironment.result).toEqual(['served.txt'])
    await serving(flag, ['-p', String(flag)], { env }, async () => {
      await expect(askAt(`http://127.0.0.1:${ours}`, '/health')).rejects.toThrow()
    })
    const { FILESTEAD_PORT: _ours, ...predecessor } = env
    await serving(theirs, [], { env: predecessor }, async (url) => expect(await listing(url)).toEqual(['served.txt']))
  }, 120_000)
})

describe('The database', () => {
  test('is readable only by its owner, with all its files, at any umask', async () => {
    const file = join(folder, 'private/filestead.db')
    const port = await freePort()
    const umask = process.umask(0)
    const starting = serving(port, ['-d', file, '-r', root, '-p', String(port)], {}, async () => {
      const names = readdirSync(join(folder, 'private'))
      return Object.fromEntries(names.map((name) => [name, modeOf(join(folder, 'private', name))]))
    })
    process.umask(umask)
    const { result } = await starting
    expect(Object.keys(result)).toEqual(
      expect.arrayContaining(['filestead.db', 'filestead.db-wal', 'filestead.db-shm']),
    )
    expect(Object.entries(result).filter(([, mode]) => !/^[67]00$/.test(mode))).toEqual([])
  }, 120_000)

  test('is created at the first start with an administrator, whose password is printed once', async () => {
    const file = join(folder, 'first.db')
    const port = await freePort()
    const args = ['-d', file, '-r', root, '-p', String(port)]
    await using running = launch(args)
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    const password = /randomly generated password: (\S+)/.exec(running.stdout())?.[1] ?? ''
    expect(running.stdout().split(password)).toHaveLength(2)
    const token = await signIn(`http://127.0.0.1:${port}`, { username: 'admin', password })
    running.signal('SIGTERM')
    await running.ended

    const again = await serving(port, args, {}, async (url) => {
      const answer = await askAt(url, '/api/users', { headers: { 'x-auth': token } })
      return answer.status
    })
    expect(again.result).toBe(200)
    expect(again.stdout).not.toContain(password)
    expect(again.stdout).not.toContain('password')
  }, 120_000)

  test('is created with an administrator also when the first attempt to start failed', async () => {
    const file = join(folder, 'second-attempt.db')
    const port = await freePort()
    await run(['-d', file, '-r', join(folder, 'mistyped'), '-p', String(port)])
    const { stdout } = await serving(port, ['-d', file, '-r', root, '-p', String(port)], {}, async () => {})
    expect(stdout).toMatch(/randomly generated password: \S+/)
  }, 120_000)

  test('is created with an administrator also when the first start was killed half-way', async () => {
    const file = join(folder, 'killed.db')
    const port = await freePort()
    // All that such a start has made when it has only just opened the database.
    await (await openDatabase(file)).destroy()
    const { stdout } = await serving(port, ['-d', file, '-r', root, '-p', String(port)], {}, async () => {})
    expect(stdout).toMatch(/randomly generated password: \S+/)
  }, 120_000)

  test('is not created over an existing one', async () => {
    const before = readFileSync(database)
    const { code, stdout, stderr } = await run(['config', 'init', '-d', database])
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `Error: ${database} already exists\n` })
    expect(readFileSync(database).equals(before)).toBe(true)
  }, 120_000)

  test('accepts a user added while the server runs', async () => {
    const port = await freePort()
    const late = { username: 'late', password: 'a password of their own' }
    await serving(port, ['-d', database, '-r', root, '-p', String(port)], {}, async (url) => {
      await expect(signIn(url, late)).rejects.toThrow('403')
      expect((await run(['users', 'add', late.username, late.password, '-d', database])).code).toBe(0)
      expect(await listing(url, late)).toEqual(['served.txt'])
    })
  }, 120_000)
})

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8)
