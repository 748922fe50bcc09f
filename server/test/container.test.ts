import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from './disk.ts'
import { freePort } from './free-port.ts'
import { startPostgres } from './postgres.ts'
import { admin, askAt, launch, launcher, run, signIn, untilHealthy } from './process.ts'

setDefaultTimeout(120_000)

const project = join(import.meta.dirname, '../..')
const entry = join(project, 'packaging/container/entry.sh')
const isRoot = process.getuid?.() === 0 && Bun.which('setpriv') !== null

const folder = scratchFolder('container')
chmodSync(folder, 0o755)

interface Volumes {
  at: string
  srv: string
  database: string
  config: string
}

/** The root of a container with its three volumes, which belong to an owner of the host. */
function emptyVolumes(name: string, owner: number, program = launcher): Volumes {
  const at = join(folder, name)
  const made = { at, srv: join(at, 'srv'), database: join(at, 'database'), config: join(at, 'config') }
  for (const path of ['opt/filestead', 'proc', 'srv', 'database', 'config'])
    mkdirSync(join(at, path), { recursive: true })
  writeFileSync(join(at, 'proc/cpuinfo'), 'flags : sse4_2 avx2\n')
  for (const path of [made.srv, made.database]) chownSync(path, owner, owner)
  symlinkSync(program, join(at, 'opt/filestead/filestead'))
  return made
}

/** The same with settings as File Browser's image wrote them, but for the places. */
function volumes(name: string, owner: number, settings?: object): Volumes {
  const made = emptyVolumes(name, owner)
  const usual = { port: 80, baseURL: '', address: '', log: 'stdout', 'token-expiration-time': '2h' }
  const content = { ...usual, root: made.srv, database: join(made.database, 'filebrowser.db'), ...settings }
  writeFileSync(join(made.config, 'settings.json'), JSON.stringify(content, null, 2))
  return made
}

/** The program as this user starts it in the container. */
const asUser = (id: number, args: string[] = []) => [`--reuid=${id}`, `--regid=${id}`, '--clear-groups', entry, ...args]
const environment = ({ at }: Volumes, more: Record<string, string> = {}) => ({ FILESTEAD_IMAGE: at, ...more })

const ownersBelow = (path: string) =>
  Object.fromEntries(
    readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => [name, statSync(join(path, name)).uid]),
  )

describe.if(isRoot)('the container entry point', () => {
  test('serves as the requested user, which then owns everything that was created', async () => {
    const port = await freePort()
    const place = volumes('asked', 0, { port })
    // As a File Browser container run as root left it.
    writeFileSync(join(place.database, 'filebrowser.db'), '')
    writeFileSync(join(place.database, 'not-ours.txt'), '')
    await using running = launch([], { command: entry, env: environment(place, { PUID: '4321', PGID: '8765' }) })
    const url = `http://127.0.0.1:${port}`
    await untilHealthy(url, running)
    const password = /randomly generated password: (\S+)/.exec(running.stdout())?.[1] ?? ''
    const headers = { 'x-auth': await signIn(url, { ...admin, password }) }
    expect((await askAt(url, '/api/resources/new/file.txt', { method: 'POST', headers, body: 'new' })).status).toBe(200)
    // As commands are run beside a server in a container: by root.
    const env = environment(place, { PUID: '4321', PGID: '8765' })
    const command = (...args: string[]) => run(args, { command: entry, env })
    expect(await command('health')).toMatchObject({ code: 0, stdout: 'OK\n' })
    const check = join(place.at, 'healthcheck.sh')
    symlinkSync(entry, check)
    expect(await run([], { command: check, env })).toMatchObject({ code: 0, stdout: 'OK\n' })
    expect(await command('doctor')).toMatchObject({ code: 0, stdout: expect.stringContaining('account 4321') })
    expect((await command('backup', join(place.database, 'filestead-backup.tar.gz'))).code).toBe(0)
    running.signal('SIGTERM')
    expect((await running.ended).code).toBe(0)
    expect(ownersBelow(place.srv)).toEqual({ new: 4321, 'new/file.txt': 4321 })
    expect(statSync(join(place.srv, 'new/file.txt')).gid).toBe(8765)
    const { 'not-ours.txt': others, ...own } = ownersBelow(place.database)
    expect(others).toBe(0)
    expect([...new Set(Object.values(own))]).toEqual([4321])
    const over = await command('health')
    expect([over.code, over.stderr]).toEqual([1, expect.stringContaining('No server answers')])
    expect(Object.values(ownersBelow(place.database)).filter((owner) => owner === 0)).toHaveLength(1)
  })

  test('serves on a PostgreSQL, with nothing but its own files in the volume', async () => {
    const postgres = await startPostgres()
    if (postgres === undefined) return
    try {
      const port = await freePort()
      const place = emptyVolumes('postgres', 0)
      const address = await postgres.make('contained')
      const env = environment(place, {
        ...{ PUID: '4321', PGID: '4321', FILESTEAD_DATABASE: address, XDG_STATE_HOME: '' },
        ...{ FILESTEAD_PORT: String(port), FILESTEAD_ADDRESS: '127.0.0.1' },
      })
      await using running = launch([], { command: entry, env })
      await untilHealthy(`http://127.0.0.1:${port}`, running)
      expect(await run(['users', 'ls'], { command: entry, env })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('admin'),
      })
      running.signal('SIGTERM')
      expect((await running.ended).code).toBe(0)
      expect(readdirSync(place.database)).toEqual(['filestead'])
      expect([...new Set(Object.values(ownersBelow(place.database)))]).toEqual([4321])
    } finally {
      postgres.end()
    }
  })

  test('finds the users in the database that File Browser left in the volume', async () => {
    const port = await freePort()
    const place = volumes('moved', 0, { port })
    const sample = readFileSync(join(import.meta.dirname, 'samples/filebrowser.db'))
    writeFileSync(join(place.database, 'filebrowser.db'), sample, { mode: 0o640 })
    await using running = launch([], { command: entry, env: environment(place, { PUID: '4321', PGID: '4321' }) })
    const url = `http://127.0.0.1:${port}`
    await untilHealthy(url, running)
    expect(await signIn(url, { username: 'admin', password: 'Adm1n-password-xyz' })).toContain('.')
    const { stdout } = await run(['users', 'ls', '-c', join(place.config, 'settings.json')])
    for (const name of ['admin', 'jürgen', 'reader']) expect(stdout).toContain(name)
    expect(readFileSync(join(place.database, 'filebrowser.db')).equals(sample)).toBe(true)
    expect([...new Set(Object.values(ownersBelow(place.database)))]).toEqual([4321])
    expect(readdirSync(place.database)).toContain('filestead.db')
  })

  test('runs as user 1000 by default and changes no owner of existing files', async () => {
    const place = volumes('usual', 0)
    writeFileSync(join(place.srv, 'other.txt'), '')
    await run(['health'], { command: entry, env: environment(place) })
    expect([statSync(place.database).uid, statSync(place.srv).uid, ownersBelow(place.srv)]).toEqual([
      ...[1000, 0],
      { 'other.txt': 0 },
    ])
  })

  test('accepts any user with commands of its own', async () => {
    const place = volumes('any', 31_337)
    const options = { command: 'setpriv', env: environment(place) }
    const { code } = await run(asUser(31_337, ['config', 'init']), options)
    expect([code, existsSync(join(place.database, 'filebrowser.db'))]).toEqual([0, true])
    expect(Object.values(ownersBelow(place.database))).toEqual([31_337])
    expect((await run(asUser(31_337, ['filebrowser', 'version']), options)).stdout).toStartWith('Filestead ')
    const ignored = await run(asUser(31_337, ['users', 'ls']), { ...options, env: { ...options.env, PUID: '5' } })
    expect([ignored.code, ignored.stderr]).toEqual([0, expect.stringContaining('PUID=5 is ignored')])
  })

  const cases: [string, number, (place: Volumes) => void, string[]][] = [
    [
      'a database of another account',
      0,
      () => {},
      ['User 1234:1234 may not write into', 'belongs to 0:0', "'chown -R 1234:1234' on it on the host, and mount"],
    ],
    [
      'no volume for the database',
      1234,
      ({ database }) => rmSync(database, { recursive: true }),
      ['There is no folder', 'Mount one there'],
    ],
    [
      'a database file of root',
      1234,
      ({ database }) => writeFileSync(join(database, 'filebrowser.db'), 'x', { mode: 0o600 }),
      ['may not read and write', 'belongs to 0:0'],
    ],
    [
      'nothing to serve',
      1234,
      ({ srv }) => rmSync(srv, { recursive: true }),
      ['There is no folder', 'Mount your files'],
    ],
    [
      'files that it may not see',
      1234,
      ({ srv }) => closed(srv, 0),
      ['may not read', "'chown 1234:1234' on it on the host."],
    ],
    ['files of another user', 1234, ({ srv }) => closed(srv, 55), ['may not read', 'or start with --user 55:55']],
  ]
  test.each(cases)('reports %s with a remedy', async (name, owner, spoil, words) => {
    const place = volumes(name.replaceAll(' ', '-'), owner)
    spoil(place)
    const { code, stderr } = await run(asUser(1234), { command: 'setpriv', env: environment(place) })
    expect(code).toBe(1)
    for (const word of words) expect(stderr).toContain(word)
    expect(stderr).not.toContain('Error:')
  })

  test('serves a read-only volume, which the server reports', async () => {
    const port = await freePort()
    const place = volumes('readable', 1234, { port, address: '127.0.0.1' })
    lchownSync(place.srv, 0, 0)
    await using running = launch(asUser(1234), { command: 'setpriv', env: environment(place) })
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    running.signal('SIGTERM')
    const { stderr } = await running.ended
    expect(stderr).toContain('Account 1234 may read')
  })

  test.each<[string, Record<string, string>, number, string]>([
    ['a name instead of a number', { PUID: 'me' }, 1, "must be numbers, not 'me:1000'"],
    ['a zero with another before it', { PUID: '00' }, 1, "must be numbers, not '00:1000'"],
    ['two numbers', { PUID: '1:2' }, 1, "must be numbers, not '1:2:1000'"],
    ['the number that means no change', { PUID: '4294967295' }, 1, 'may not change users'],
    ['the number behind the last, which is root again', { PUID: '4294967296' }, 1, 'may not change users'],
    ['a mask that is no number', { UMASK: 'abc' }, 1, "UMASK must be a number such as 022, not 'abc'"],
    ['an empty PGID', { PGID: '' }, 0, ''],
  ])('takes or refuses %s', async (name, env, code, words) => {
    const place = emptyVolumes(name.replaceAll(' ', '-'), 0)
    const ended = await run(['config', 'init'], { command: entry, env: environment(place, env) })
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(words)])
  })

  test('PUID=0 runs as root with a warning', async () => {
    const port = await freePort()
    const place = volumes('root', 0, { port, address: '127.0.0.1' })
    const env = environment(place, { PUID: '0', PGID: '0' })
    await using running = launch([], { command: entry, env })
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    expect((await run(['users', 'ls'], { command: entry, env })).stderr).not.toContain('PUID')
    running.signal('SIGTERM')
    const { code, stderr } = await running.ended
    expect([code, stderr]).toEqual([0, expect.stringContaining('Warning: PUID=0')])
    expect([...new Set(Object.values(ownersBelow(place.database)))]).toEqual([0])
  })

  test.if(process.arch === 'x64')('a processor without AVX2 is told of before the server starts', async () => {
    const program = join(folder, 'ends')
    writeFileSync(program, '#!/bin/sh\nexit 132\n', { mode: 0o755 })
    const place = emptyVolumes('processor', 0, program)
    writeFileSync(join(place.at, 'proc/cpuinfo'), 'flags : sse4_2\n')
    const { code, stderr } = await run([], { command: entry, env: environment(place, { PUID: '0' }) })
    expect([code, stderr]).toEqual([132, expect.stringContaining('has no AVX2')])
  })

  test('a container that may not change users says so', async () => {
    const place = emptyVolumes('no-capabilities', 0)
    const args = ['--bounding-set=-all', '--inh-caps=-all', entry, 'config', 'init']
    const { code, stderr } = await run(args, { command: 'setpriv', env: environment(place) })
    expect([code, stderr]).toEqual([1, expect.stringContaining('Start it with --user 1000:1000')])
  })
})

const mayMount = isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0

describe.if(mayMount)('a database that is mounted as a single file', () => {
  const sample = join(import.meta.dirname, 'samples/filebrowser.db')
  /** Starts the container with the file mounted at `target`, and lists its users. */
  async function usersWith(place: Volumes, file: string, target: string, args: string[] = []) {
    writeFileSync(join(place.at, target), '')
    const script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'
    const port = await freePort()
    const env = environment(place, { FILESTEAD_PORT: String(port), FILESTEAD_ADDRESS: '127.0.0.1' })
    const command = ['--mount', 'sh', '-c', script, 'sh', file, join(place.at, target), entry]
    await using running = launch([...command, ...args], { command: 'unshare', env })
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    running.signal('SIGTERM')
    const { code } = await running.ended
    const listed = await run(['users', 'ls', '-d', join(place.database, 'filestead.db')])
    return { code, users: ['admin', 'jürgen', 'reader'].filter((name) => listed.stdout.includes(name)) }
  }

  test.each([
    ['database.db', []],
    ['database/filebrowser.db', []],
    ['config/filebrowser.db', ['--database', 'config/filebrowser.db']],
  ])('%s is taken over into the volume and stays as it was', async (target, args) => {
    const place = emptyVolumes(`single-${target.replaceAll('/', '-')}`, 0)
    const file = join(place.at, 'old.db')
    writeFileSync(file, readFileSync(sample))
    for (const _start of ['first', 'second'])
      expect(await usersWith(place, file, target, args)).toEqual({ code: 0, users: ['admin', 'jürgen', 'reader'] })
    expect(readFileSync(file).equals(readFileSync(sample))).toBe(true)
  })

  test('an empty file is left alone', async () => {
    const place = emptyVolumes('single-empty', 0)
    const file = join(place.at, 'old.db')
    writeFileSync(file, '')
    expect(await usersWith(place, file, 'database.db')).toEqual({ code: 0, users: ['admin'] })
    expect(statSync(file).size).toBe(0)
  })
})

describe('the container without settings', () => {
  /** What the entry script tells the program. */
  async function told(name: string, { args = [], env = {}, files = {} }: Partial<Told> = {}) {
    const program = join(folder, 'tells')
    writeFileSync(program, '#!/bin/sh\nexec env\n', { mode: 0o755 })
    const place = emptyVolumes(name, process.getuid?.() ?? 0, program)
    for (const [file, text] of Object.entries(files)) writeFileSync(join(place.at, file), text)
    mkdirSync(join(place.at, 'folder.db'))
    const { stdout } = await run(args, {
      command: entry,
      env: environment(place, { PUID: '0', XDG_STATE_HOME: '', ...env }),
    })
    const found = Object.fromEntries(stdout.split('\n').map((line) => line.split('=', 2)))
    const short = (value = '') => value.replace(place.at, '')
    const { FILESTEAD_PORT: port, FILESTEAD_ADDRESS: address } = found
    const [root, database] = [short(found.FILESTEAD_ROOT), short(found.FILESTEAD_DATABASE)]
    return { port, address, root, database, state: short(found.XDG_STATE_HOME) }
  }
  interface Told {
    args: string[]
    env: Record<string, string>
    files: Record<string, string>
  }
  const usual = { port: '80', address: '0.0.0.0', root: '/srv', database: '/database/filestead.db', state: '' }

  const cases: [string, Partial<Told>, object][] = [
    ['serves as File Browser did, with a name of its own', {}, {}],
    [
      'finds a database of File Browser',
      { files: { 'database/filebrowser.db': 'x' } },
      { database: '/database/filebrowser.db' },
    ],
    ['ignores an empty database', { files: { 'database/filebrowser.db': '' } }, {}],
    [
      'reads settings of the first images',
      { files: { '.filebrowser.json': '{"port":8000,"address":""}' } },
      { port: undefined, address: undefined },
    ],
    [
      'reads settings as YAML',
      { files: { '.filebrowser.yaml': 'port: 8000\nDatabase: database/own.db\n' } },
      { port: undefined, database: '/database/own.db' },
    ],
    [
      'uses the folder that Docker makes for a missing file',
      { env: { FB_DATABASE: 'folder.db' } },
      { database: '/folder.db/filestead.db' },
    ],
    ['keeps variables of File Browser', { env: { FB_PORT: '8000' } }, { port: undefined }],
    [
      'leaves the address of a PostgreSQL as it is',
      { env: { FILESTEAD_DATABASE: 'postgres://role@db/name' } },
      { database: 'postgres://role@db/name', state: '/database' },
    ],
    ['sets no address beside a socket', { env: { FB_SOCKET: '/run/f.sock' } }, { port: undefined, address: undefined }],
  ]
  test.each(cases)('%s', async (name, given, expected) => {
    expect(await told(name.replaceAll(' ', '-'), given)).toEqual({ ...usual, ...expected } as typeof usual)
  })
})

function closed(path: string, owner: number): void {
  chownSync(path, owner, owner)
  chmodSync(path, 0o700)
}
