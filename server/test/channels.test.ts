import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { program } from '../src/cli/program.ts'
import { FirstStartOptions, ServerOptions } from '../src/config/options.ts'
import { builtRelease } from './built-release.ts'
import { scratchFolder } from './disk.ts'
import { freePort } from './free-port.ts'
import { admin, launch, run, signIn, until, untilHealthy } from './process.ts'

setDefaultTimeout(120_000)

// What installers of other systems do, done with the files of a release.

const project = join(import.meta.dirname, '../..')
const folder = scratchFolder('channels')
chmodSync(folder, 0o755)
let built: string
const channel = (path: string) => join(built, 'channels', path)
const textOf = (path: string) => readFileSync(channel(path), 'utf8')

/** The program as File Browser's archive brought it. */
let old: string

beforeAll(async () => {
  built = await builtRelease()
  execFileSync('tar', ['-xzf', join(built, 'linux-amd64-filebrowser.tar.gz'), '-C', folder, 'filebrowser'])
  old = join(folder, 'filebrowser')
}, 300_000)

function place(name: string): (path: string) => string {
  const at = join(folder, name)
  mkdirSync(at)
  return (path) => join(at, path)
}

test('every file is filled in and can be read', () => {
  const files = readdirSync(join(built, 'channels'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(channel(name)).isFile(),
  )
  expect(files.length).toBeGreaterThan(20)
  const readers: Record<string, (text: string) => unknown> = {
    '.json': JSON.parse,
    '.yaml': Bun.YAML.parse,
    '.yml': Bun.YAML.parse,
    '.toml': Bun.TOML.parse,
    '.xml': requireBalanced,
  }
  for (const name of files) {
    const text = textOf(name)
    expect([name, text.match(/@[A-Z0-9_]+@/g)]).toEqual([name, null])
    expect([name, readers[extname(name)]?.(text)]).not.toEqual([name, null])
    if (text.startsWith('#!')) expect([name, spawnSync('bash', ['-n', channel(name)]).status]).toEqual([name, 0])
  }
})

/** Every element of an XML file is closed, in the right order. */
function requireBalanced(text: string): true {
  const open: string[] = []
  for (const [, end, name, alone] of text.matchAll(/<(\/?)([A-Za-z]\w*)[^>]*?(\/?)>/g)) {
    if (end) expect(open.pop()).toBe(name)
    else if (!alone) open.push(name ?? '')
  }
  expect(open).toEqual([])
  return true
}

interface Service {
  readonly command: readonly string[]
  readonly variables: readonly string[]
  readonly mounts: readonly string[]
  readonly database: string
}

interface Compose {
  services: Record<string, { command?: string[]; environment?: object; volumes?: (string | { target: string })[] }>
}

function composeService(path: string, name: string): Service {
  const { services } = Bun.YAML.parse(textOf(path)) as Compose
  const { command = [], environment = {}, volumes = [] } = services[name] ?? {}
  const variables = environment as Record<string, string>
  return {
    command,
    variables: Object.keys(variables),
    mounts: volumes.map((volume) => (typeof volume === 'string' ? (volume.split(':').at(-1) ?? '') : volume.target)),
    database: databaseOf(command, variables),
  }
}

const databaseOf = (command: readonly string[], variables: Record<string, string> = {}): string =>
  command[command.indexOf('--database') + 1] && command.includes('--database')
    ? (command[command.indexOf('--database') + 1] ?? '')
    : (variables.FB_DATABASE ?? variables.FILESTEAD_DATABASE ?? '/database/filestead.db')

describe('files that start the image', () => {
  const services: [string, () => Service][] = [
    ['TrueNAS', () => composeService('truenas/compose.yaml', 'filestead')],
    ['CasaOS', () => composeService('casaos/docker-compose.yml', 'filestead')],
    ['Umbrel', () => composeService('umbrel/docker-compose.yml', 'server')],
    ['runtipi', runtipi],
    ['openmediavault', pod],
    ['Unraid', unraid],
    ['Home Assistant', homeAssistant],
    ['Helm', helm],
  ]
  test.each(services)('%s: flags and variables are known, and the database is in a mounted folder', (_name, read) => {
    const { command, variables, mounts, database } = read()
    expect(program().parseOptions([...command]).unknown).toEqual([])
    const known = variablesOf()
    const own = variables.filter((name) => /^(FB|FILESTEAD)_/.test(name))
    expect(own.filter((name) => !known.has(name.replace(/^(FB|FILESTEAD)_/, '')))).toEqual([])
    expect(mounts).toContain(dirname(database))
  })

  function runtipi(): Service {
    const { services } = JSON.parse(textOf('runtipi/docker-compose.json'))
    const { environment, volumes } = services[0]
    return {
      command: [],
      variables: environment.map(({ key }: { key: string }) => key),
      mounts: volumes.map(({ containerPath }: { containerPath: string }) => containerPath),
      database: databaseOf([]),
    }
  }

  function pod(): Service {
    const { spec } = Bun.YAML.parse(textOf('omv/filestead.yaml')) as {
      spec: {
        containers: [{ env: { name: string }[]; volumeMounts: { name: string; mountPath: string }[] }]
        volumes: { name: string }[]
      }
    }
    const [{ env, volumeMounts }] = spec.containers
    expect(volumeMounts.map(({ name }) => name)).toEqual(spec.volumes.map(({ name }) => name))
    return {
      command: [],
      variables: env.map(({ name }) => name),
      mounts: volumeMounts.map(({ mountPath }) => mountPath),
      database: databaseOf([]),
    }
  }

  function unraid(): Service {
    const configs = [...textOf('unraid/filestead.xml').matchAll(/Target="([^"]+)".* Type="(\w+)"/g)]
    const targets = (kind: string) => configs.filter(([, , type]) => type === kind).map(([, target = '']) => target)
    expect(targets('Port')).toEqual(['80'])
    return { command: [], variables: targets('Variable'), mounts: targets('Path'), database: databaseOf([]) }
  }

  function homeAssistant(): Service {
    const { environment } = Bun.YAML.parse(textOf('home-assistant/config.yaml')) as {
      environment: Record<string, string>
    }
    const recipe = [...textOf('home-assistant/Dockerfile').matchAll(/^ENV (\w+)=/gm)].map(([, name = '']) => name)
    // Home Assistant always mounts /data.
    const database = databaseOf([], environment)
    return { command: [], variables: [...Object.keys(environment), ...recipe], mounts: ['/data'], database }
  }

  function helm(): Service {
    const { controllers, persistence } = Bun.YAML.parse(textOf('helm/values.yaml')) as {
      controllers: { filestead: { containers: { app: { env: object } } } }
      persistence: Record<string, { globalMounts: { path: string }[] }>
    }
    return {
      command: [],
      variables: Object.keys(controllers.filestead.containers.app.env),
      mounts: Object.values(persistence).flatMap(({ globalMounts }) => globalMounts.map(({ path }) => path)),
      database: databaseOf([]),
    }
  }

  /** Names of variables, without prefix. */
  function variablesOf(): Set<string> {
    const options = ['database', ...Object.keys(ServerOptions.shape), ...Object.keys(FirstStartOptions.shape)]
    return new Set(options.map((name) => name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()))
  }
})

describe('the manual of a release', () => {
  const blockOf = (page: string) => /```\n(.*?)```/s.exec(readFileSync(join(project, page), 'utf8'))?.[1] ?? ''

  test.each([
    ['docs/operating/install.md', ''],
    ['packaging/release/README.md', 'cd filestead-*-linux-x64'],
  ])('%s: its first commands work as they are written', async (page, before) => {
    const at = place(`manual-${page.replaceAll('/', '-')}`)
    for (const path of ['downloads', 'home']) mkdirSync(at(path))
    for (const name of readdirSync(built).filter((name) => /\.tar\.gz$|SHA256SUMS/.test(name)))
      symlinkSync(join(built, name), at(`downloads/${name}`))
    if (before !== '') execFileSync('sh', ['-c', `tar -xzf filestead-*-linux-x64.tar.gz`], { cwd: at('downloads') })
    const port = await freePort()
    const env = { HOME: at('home'), FILESTEAD_PORT: String(port), XDG_STATE_HOME: at('home/state') }
    const script = `set -e\n${before}\n${blockOf(page)}`
    await using running = launch(['-c', script], { command: 'bash', cwd: at('downloads'), env })
    const url = `http://127.0.0.1:${port}`
    await untilHealthy(url, running)
    const password = /randomly generated password: (\S+)/.exec(running.stdout())?.[1] ?? ''
    expect(await signIn(url, { ...admin, password })).toContain('.')
  })
})

describe('Proxmox', () => {
  test("the helper script for File Browser sets up and starts the old archive's program", async () => {
    const at = place('proxmox-old')
    const port = await freePort()
    const database = at('filebrowser.db')
    writeFileSync(database, '', { mode: 0o644 })
    const steps = [
      ['config', 'init', '-a', '0.0.0.0', '-p', String(port), '-d', database],
      ['config', 'set', '-a', '0.0.0.0', '-p', String(port), '-d', database],
      ['users', 'add', 'admin', admin.password, '--perm.admin', '--database', database],
      ['users', 'update', '1', '--perm.admin', '--database', database],
    ]
    for (const words of steps) expect(await run(words, { command: old })).toMatchObject({ code: 0 })
    await using running = launch(['-r', '/', '-d', database, '-p', String(port)], { command: old })
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    expect(await signIn(`http://127.0.0.1:${port}`, admin)).toContain('.')
  })

  test('the helper script without sign-in works, too', async () => {
    const at = place('proxmox-noauth')
    const database = at('filebrowser.db')
    writeFileSync(database, '')
    expect(await run(['config', 'init', '-d', database], { command: old })).toMatchObject({ code: 0 })
    const set = ['config', 'set', '--auth.method=noauth', '--database', database]
    expect(await run(set, { command: old })).toMatchObject({ code: 0 })
    // There is no user yet: the script relies on the failure, and adds one.
    const update = ['users', 'update', '1', '--perm.admin', '--database', database]
    expect((await run(update, { command: old })).code).toBe(1)
    const add = ['users', 'add', 'admin', admin.password, '--perm.admin', '--database', database]
    expect(await run(add, { command: old })).toMatchObject({ code: 0 })
  })

  test.if(Bun.which('curl') !== null)('our script installs the release, which takes over a database', async () => {
    const at = place('proxmox')
    mkdirSync(at('usr/local/community-scripts'), { recursive: true })
    const sample = readFileSync(join(import.meta.dirname, 'samples/filebrowser.db'))
    writeFileSync(at('usr/local/community-scripts/filebrowser.db'), sample)
    for (const path of ['files', 'proc']) mkdirSync(at(path))
    writeFileSync(at('proc/cpuinfo'), 'flags : avx2\n')
    const port = await freePort()
    const env = { FILESTEAD_PREFIX: at('').replace(/\/$/, ''), FILESTEAD_RELEASES: `file://${built}` }
    const { code, stdout, stderr } = await run([channel('proxmox/filestead.sh'), at('files'), String(port)], {
      command: 'bash',
      env,
    })
    expect([code, stderr]).toEqual([0, ''])
    const [command = '', ...words] = /Start it with: (.*)/.exec(stdout)?.[1]?.split(' ') ?? []
    await using running = launch(words, { command })
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    const former = { username: 'admin', password: 'Adm1n-password-xyz' }
    expect(await signIn(`http://127.0.0.1:${port}`, former)).toContain('.')
    expect((await run(['version'], { command: at('usr/local/bin/filebrowser') })).stdout).toStartWith('Filestead ')
  })
})

describe('YunoHost', () => {
  test('the password of a first start is found in the last two lines of the journal', async () => {
    const at = place('yunohost-old')
    mkdirSync(at('files'))
    const port = await freePort()
    const words = ['-d', at('database.db'), '-r', at('files'), '-p', String(port)]
    await using running = launch(words, { command: old })
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    await until(() => running.stdout().includes('shown only now'))
    // The journal keeps no empty lines.
    const script = "grep . | tail -n 2 | grep admin | awk '{print $NF}'"
    const password = execFileSync('sh', ['-c', script], { input: running.stdout(), encoding: 'utf8' }).trim()
    expect(await signIn(`http://127.0.0.1:${port}`, { ...admin, password })).toContain('.')
  })

  test('our package sets up an account and serves below its path', async () => {
    const at = place('yunohost')
    mkdirSync(at('files'))
    const port = await freePort()
    const values: Record<string, string> = { PORT: String(port), PATH: '/files', DATA_DIR: at('').replace(/\/$/, '') }
    const settings = textOf('yunohost/conf/settings.json').replace(/__(\w+?)__/g, (_, name) => values[name] ?? '')
    writeFileSync(at('settings.json'), settings)
    const install = textOf('yunohost/scripts/install')
    const lines = [...install.matchAll(/"\$install_dir\/filestead" (.*)/g)].map(([, words = '']) => words)
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      const env = { data_dir: at('').replace(/\/$/, ''), admin: 'ada', password: admin.password }
      expect(await run(['-c', `"$0" ${line}`, old], { command: 'sh', env })).toMatchObject({ code: 0 })
    }
    await using running = launch(['--config', at('settings.json')], { command: old })
    const url = `http://127.0.0.1:${port}/files`
    await untilHealthy(url, running)
    expect(await signIn(url, { username: 'ada', password: admin.password })).toContain('.')
    await until(() => running.stdout().includes('Filestead starts'))
    expect(install).toContain('--wait_until="Filestead starts"')
  })
})

describe.if(Bun.which('dpkg-deb') !== null)('the package for Debian', () => {
  test('has the program in the path, a unit, and options that an upgrade keeps', async () => {
    const at = place('deb')
    const file = join(built, readdirSync(built).find((name) => name.endsWith('.deb')) ?? '')
    execFileSync('dpkg-deb', ['--raw-extract', file, at('root')])
    expect((await run(['version'], { command: at('root/usr/bin/filestead') })).stdout).toStartWith('Filestead ')
    const unit = readFileSync(at('root/usr/lib/systemd/system/filestead.service'), 'utf8')
    const [, started = ''] = /^ExecStart=(\S+)/m.exec(unit) ?? []
    expect([existsSync(at(`root${started}`)), unit.includes('/opt/')]).toEqual([true, false])
    const info = execFileSync('dpkg-deb', ['--field', file], { encoding: 'utf8' })
    expect(info).toMatch(/^Package: filestead\nVersion: \d+\.\d+\.\d+\n? ?\n?Architecture: amd64$/m)
    expect(readFileSync(at('root/DEBIAN/conffiles'), 'utf8')).toBe('/etc/filestead/environment\n')
    const owners = execFileSync('dpkg-deb', ['--contents', file], { encoding: 'utf8' }).split('\n').filter(Boolean)
    expect(owners.filter((line) => !line.includes(' root/root ') && !line.includes(' 0/0 '))).toEqual([])
  })
})

describe('packages of other systems', () => {
  const version = () => /^pkgver=(.*)$/m.exec(textOf('aur/PKGBUILD'))?.[1] ?? ''

  test('the package for Arch Linux installs the program from the release', async () => {
    const at = place('aur')
    mkdirSync(at('src'))
    execFileSync('tar', ['-xzf', join(built, `filestead-${version()}-linux-x64.tar.gz`), '-C', at('src')])
    const script = 'set -eu; . "$1"; cd "$2"; pkgdir=$3; package'
    const { code, stderr } = await run(['-c', script, 'bash', channel('aur/PKGBUILD'), at('src'), at('pkg')], {
      command: 'bash',
    })
    expect([code, stderr]).toEqual([0, ''])
    expect(lstatSync(at('pkg/usr/bin/filestead')).isSymbolicLink()).toBe(true)
    expect((await run(['version'], { command: at('pkg/usr/bin/filestead') })).stdout).toStartWith('Filestead ')
    const unit = readFileSync(at('pkg/usr/lib/systemd/system/filestead.service'), 'utf8')
    expect(unit).toContain('ExecStart=/usr/lib/filestead/filestead ')
  })

  test('checksums and names are those of the archive', () => {
    const sums = readFileSync(join(built, 'SHA256SUMS'), 'utf8')
    const archive = `filestead-${version()}-linux-x64.tar.gz`
    const sum = new RegExp(`^(\\w+)  ${archive}$`, 'm').exec(sums)?.[1] ?? 'none'
    for (const file of [
      'aur/PKGBUILD',
      'homebrew/filestead.rb',
      'nix/flake.nix',
      'yunohost/manifest.toml',
      'proxmox/filestead.sh',
    ])
      expect([file, textOf(file).includes(sum)]).toEqual([file, true])
    for (const file of ['homebrew/filestead.rb', 'yunohost/manifest.toml', 'proxmox/filestead.sh'])
      expect([file, textOf(file).includes(archive)]).toEqual([file, true])
  })

  test.if(Bun.which('ruby') !== null)('the Homebrew formula is valid Ruby', () => {
    expect(spawnSync('ruby', ['-c', channel('homebrew/filestead.rb')]).status).toBe(0)
  })

  test.if(Bun.which('nix-instantiate') !== null)('the flake and its module are valid Nix', () => {
    for (const name of ['flake.nix', 'module.nix'])
      expect(spawnSync('nix-instantiate', ['--parse', channel(`nix/${name}`)]).status).toBe(0)
  })
})
