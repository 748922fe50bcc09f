import { describe, expect, setDefaultTimeout, test } from 'bun:test'
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
import { admin, askAt, freePort, launch, launcher, run, signIn, untilHealthy } from './process.ts'

setDefaultTimeout(60_000)

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

/** The three volumes of a container, with an owner of the host. */
function volumes(name: string, owner: number, settings?: object): Volumes {
  const at = join(folder, name)
  const made = { at, srv: join(at, 'srv'), database: join(at, 'database'), config: join(at, 'config') }
  for (const path of Object.values(made)) mkdirSync(path, { recursive: true })
  for (const path of [made.srv, made.database]) chownSync(path, owner, owner)
  // As File Browser's image wrote them, but for the places.
  const usual = { port: 80, baseURL: '', address: '', log: 'stdout', 'token-expiration-time': '2h' }
  const content = { ...usual, root: made.srv, database: join(made.database, 'filebrowser.db'), ...settings }
  writeFileSync(join(made.config, 'settings.json'), JSON.stringify(content, null, 2))
  return made
}

/** The program as this user starts it in the container. */
const asUser = (id: number, args: string[] = []) => [`--reuid=${id}`, `--regid=${id}`, '--clear-groups', entry, ...args]
const environment = ({ config }: Volumes, more: Record<string, string> = {}) => ({
  FILESTEAD_PROGRAM: launcher,
  FILESTEAD_SETTINGS: join(config, 'settings.json'),
  ...more,
})

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
    const { stdout } = await run(['version'], { command: entry, env: environment(place) })
    expect(stdout).toStartWith('Filestead ')
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
      ['cannot be written by user 1234:1234', 'belongs to 0:0', 'chown -R 1234:1234'],
    ],
    [
      'no volume for the database',
      1234,
      ({ database }) => rmSync(database, { recursive: true }),
      ['There is no folder', 'Mount a volume'],
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
    ['files that it may not see', 1234, ({ srv }) => closed(srv), ['may not look into', '--user 0:0']],
  ]
  test.each(cases)('reports %s with a remedy', async (name, owner, spoil, words) => {
    const place = volumes(name.replaceAll(' ', '-'), owner)
    spoil(place)
    const { code, stderr } = await run(asUser(1234), { command: 'setpriv', env: environment(place) })
    expect(code).toBe(1)
    for (const word of words) expect(stderr).toContain(word)
    expect(stderr).not.toContain('Error:')
  })

  test('serves a read-only volume and reports it', async () => {
    const port = await freePort()
    const place = volumes('readable', 1234, { port, address: '127.0.0.1' })
    lchownSync(place.srv, 0, 0)
    await using running = launch(asUser(1234), { command: 'setpriv', env: environment(place) })
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    running.signal('SIGTERM')
    const { stderr } = await running.ended
    expect(stderr).toContain('files can be read, not changed')
  })

  test.each<[string, Record<string, string>, string]>([
    ['PUID', { PUID: '0' }, 'only root can change'],
    ['PUID', { PUID: 'me' }, 'must be numbers'],
    ['PGID', { PGID: '' }, ''],
  ])('%s of %p', async (_name, env, words) => {
    const place = volumes(`numbers-${Object.values(env)}`, 0)
    const { code, stderr } = await run(['version'], { command: entry, env: environment(place, env) })
    expect([code, stderr]).toEqual([words === '' ? 0 : 1, expect.stringContaining(words)])
  })
})

test('the container without settings serves the same folder as File Browser', async () => {
  const script = readFileSync(entry, 'utf8')
  expect(script).toContain('/database/filebrowser.db')
  const place = volumes('defaults', process.getuid?.() ?? 0)
  const env = {
    FILESTEAD_PROGRAM: '/usr/bin/env',
    FILESTEAD_SETTINGS: join(place.config, 'none.json'),
    ...{ FILESTEAD_DATABASE: join(place.database, 'f.db'), FB_ROOT: place.srv },
  }
  const { stdout } = await run([], { command: entry, env })
  const told = Object.fromEntries(stdout.split('\n').map((line) => line.split('=', 2)))
  expect([told.FILESTEAD_PORT, told.FILESTEAD_ADDRESS, told.FILESTEAD_ROOT]).toEqual(['80', '0.0.0.0', place.srv])
})

describe('the container recipe', () => {
  const lines = readFileSync(join(project, 'packaging/container/Dockerfile'), 'utf8')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const all = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))

  test('has only valid instructions and ends with a program instead of a shell', () => {
    const known = 'FROM ARG ENV WORKDIR COPY RUN LABEL VOLUME EXPOSE HEALTHCHECK ENTRYPOINT'.split(' ')
    expect(lines.map((line) => line.split(' ')[0] ?? '').filter((name) => !known.includes(name))).toEqual([])
    expect(all('ENTRYPOINT')).toEqual(['["filestead"]'])
  })

  test('starts from versioned images and copies existing files', () => {
    for (const image of all('FROM')) expect(image).toMatch(/^\S+:[\w.-]+( AS \w+)?$/)
    expect(all('FROM').join()).not.toContain(':latest')
    const copied = all('COPY').filter((line) => !line.startsWith('--from') && !line.startsWith('. '))
    expect(copied.length).toBeGreaterThan(0)
    for (const line of copied) expect(existsSync(join(project, line.split(' ')[0] ?? ''))).toBe(true)
  })

  test('keeps the paths of File Browser', () => {
    expect(all('EXPOSE')).toEqual(['80'])
    expect(JSON.parse(all('VOLUME')[0] ?? '')).toEqual(['/srv', '/database', '/config'])
    expect(all('HEALTHCHECK')[0]).toContain('CMD ["filestead", "health"]')
    for (const name of ['/usr/bin/filebrowser', '/filebrowser', '/healthcheck.sh'])
      expect(all('RUN').join().split(/[ ;]/)).toContain(name)
    expect(all('RUN').join()).toContain('ln -s /config/settings.json /etc/filestead/.filestead.json')
    const settings = JSON.parse(readFileSync(join(project, 'packaging/container/settings.json'), 'utf8'))
    expect(settings).toMatchObject({ port: 80, database: '/database/filebrowser.db', root: '/srv' })
  })

  test('the compose file has a read-only system, drops capabilities and is not root', () => {
    const { services } = Bun.YAML.parse(readFileSync(join(project, 'packaging/container/compose.yaml'), 'utf8')) as {
      services: { filestead: Record<string, unknown> }
    }
    expect(services.filestead).toMatchObject({ read_only: true, cap_drop: ['ALL'], user: '1000:1000' })
    const mounted = (services.filestead.volumes as string[]).map((volume) => volume.split(':')[1])
    expect(mounted).toEqual(['/srv', '/database', '/config'])
  })
})

function closed(path: string): void {
  chownSync(path, 0, 0)
  chmodSync(path, 0o700)
}
