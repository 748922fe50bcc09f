import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtRelease } from './built-release.ts'
import { freePort } from './free-port.ts'
import { admin, launch, run, signIn, until, untilHealthy } from './process.ts'

setDefaultTimeout(120_000)

// The image, built by its recipe from a release and run by Podman. Nothing is downloaded: the base image is made of
// programs and libraries of this machine.

const project = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'filestead-image-'))
const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs']
const base = 'docker.io/library/debian:bookworm-slim'
const runtime = Bun.which('runc') === null ? [] : ['--runtime', 'runc']
const podman = (...args: string[]) => [...runtime, ...store, ...args]
// Limits that are those of this machine: a container may not raise them.
const limits = ['--network', 'host', '--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024']

const missing = whatIsMissing()
if (missing !== undefined) process.stdout.write(`skip tests of the container image: ${missing}\n`)

function whatIsMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can run them'
  const programs = ['buildah', 'podman', 'setpriv', 'curl', 'wget', 'ldd'].filter((name) => Bun.which(name) === null)
  if (programs.length > 0) return `${programs.join(' and ')} not installed`
  const made = makeBase()
  const { status, stderr } = spawnSync('podman', podman('run', '--rm', ...limits, base, 'true'), { encoding: 'utf8' })
  return status === 0 ? undefined : `podman cannot run a container here: ${made}${stderr.trim().split('\n').at(-1)}`
}

/** The programs that the entry script and health checks call, with their libraries. */
function makeBase(): string {
  const script = `
    set -eu
    cd "$1" && mkdir -p usr/bin usr/lib usr/lib64 tmp etc proc sys dev run
    ln -s usr/bin bin; ln -s usr/lib lib; ln -s usr/lib64 lib64
    for name in sh stat id find chown chmod sed grep head tr dirname ls ln mkdir readlink setpriv curl wget true; do
      cp -L "$(which "$name")" usr/bin/
      ldd "$(which "$name")" | grep -o '/[^ ]*' >>tmp/libraries || true
    done
    ldd "$2" | grep -o '/[^ ]*' >>tmp/libraries
    sort -u tmp/libraries | while read -r file; do mkdir -p ".\${file%/*}"; cp -nL "$file" ".$file"; done
    rm tmp/libraries`
  const root = join(folder, 'base')
  mkdirSync(root)
  const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', root, process.execPath], { encoding: 'utf8' })
  if (status !== 0) return `${stderr} `
  execFileSync('tar', ['-cf', join(folder, 'base.tar'), '-C', root, '.'])
  return spawnSync('podman', podman('import', '--quiet', join(folder, 'base.tar'), base), { encoding: 'utf8' })
    .status === 0
    ? ''
    : 'no base image. '
}

afterAll(() => {
  if (missing === undefined) spawnSync('podman', podman('rm', '--all', '--force', '--time', '1'))
  rmSync(folder, { recursive: true, force: true })
})

describe.if(missing === undefined)('the container image', () => {
  beforeAll(async () => {
    const release = await builtRelease()
    const name = readdirSync(release).find((name) => name.endsWith('-linux-x64')) ?? ''
    // Takes the place of the first stage of the recipe, which builds the same from the sources.
    cpSync(join(release, name), join(folder, 'built/release/filestead'), { recursive: true })
    const recipe = ['--file', join(project, 'packaging/container/Dockerfile'), '--tag', 'filestead']
    const how = ['--isolation', 'chroot', '--format', 'docker', '--build-context', `build=${join(folder, 'built')}`]
    execFileSync('buildah', [...store, 'build', ...how, ...recipe, project], { stdio: 'pipe' })
  }, 300_000)

  /** Folders of the host, as `mkdir` makes them for root. */
  function place(name: string) {
    const at = (path: string) => join(folder, name, path)
    for (const path of ['files', 'database', 'config']) mkdirSync(at(path), { recursive: true })
    return at
  }

  /** Starts a container, and ends it with the test. */
  async function start(name: string, options: string[], args: string[] = []) {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const numbered = [...options, ...args].map((word) => word.replace('%port', String(port)))
    const image = numbered.slice(0, options.length)
    const command = ['run', '--rm', '--name', name, ...limits, ...image, 'filestead', ...numbered.slice(options.length)]
    const running = launch(podman(...command), { command: 'podman' })
    await untilHealthy(url, running)
    const inside = (...words: string[]) => run(podman('exec', name, ...words), { command: 'podman' })
    const stop = async () => {
      await run(podman('stop', '--time', '15', name), { command: 'podman' })
      return running.ended
    }
    return { url, port, running, inside, stop, [Symbol.asyncDispose]: running[Symbol.asyncDispose] }
  }

  const sample = join(import.meta.dirname, 'samples/filebrowser.db')
  const old = { username: 'admin', password: 'Adm1n-password-xyz' }

  test('runs as the compose file starts it, with its health checks, and restores a backup', async () => {
    const at = place('compose')
    const locked = [
      '--read-only',
      '--read-only-tmpfs=false',
      '--cap-drop',
      'ALL',
      '--security-opt',
      'no-new-privileges',
    ]
    const rights = [
      '--cap-add',
      'CHOWN',
      '--cap-add',
      'SETUID',
      '--cap-add',
      'SETGID',
      '-e',
      'PUID=4321',
      '-e',
      'PGID=8765',
    ]
    const mounts = ['-v', `${at('files')}:/srv`, '-v', `${at('database')}:/database`, '-v', `${at('config')}:/config`]
    const options = [...locked, ...rights, ...mounts]
    await using served = await start('compose', [...options, '-e', 'FILESTEAD_PORT=%port'])
    const password = /randomly generated password: (\S+)/.exec(served.running.stdout())?.[1] ?? ''
    const headers = { 'x-auth': await signIn(served.url, { ...admin, password }) }
    expect((await fetch(`${served.url}/api/resources/a.txt`, { method: 'POST', headers, body: 'a' })).status).toBe(200)
    expect(await served.inside('filestead', 'health')).toMatchObject({ code: 0, stdout: 'OK\n' })
    expect((await served.inside('/healthcheck.sh')).code).toBe(0)
    const health = `http://localhost:${served.port}/health`
    expect((await served.inside('curl', '-sf', health)).code).toBe(0)
    expect((await served.inside('wget', '-q', '--spider', health)).code).toBe(0)
    expect((await served.inside('filestead', 'backup', '/database/backup.tar.gz')).code).toBe(0)
    const { code, stdout, stderr } = await served.stop()
    expect([code, `${stdout}${stderr}`]).toEqual([0, expect.not.stringContaining('filebrowser')])
    const restore = ['run', '--rm', ...limits, ...options, 'filestead', 'restore', '/database/backup.tar.gz']
    expect(await run(podman(...restore), { command: 'podman' })).toMatchObject({ code: 0 })
    await using again = await start('restored', [...options, '-e', 'FILESTEAD_PORT=%port'])
    expect(await signIn(again.url, { ...admin, password })).toContain('.')
    await again.stop()
    const owners = ['files', 'database'].flatMap((name) =>
      readdirSync(at(name), { recursive: true, encoding: 'utf8' }).map((file) => statSync(join(at(name), file)).uid),
    )
    expect([...new Set(owners)]).toEqual([4321])
  })

  test('runs as any user without capabilities or mounted folders, and warns of the loss', async () => {
    await using served = await start('any', ['--user', '31337:31337', '--cap-drop', 'ALL', '-e', 'FB_PORT=%port'])
    expect((await served.inside('filestead', 'users', 'ls')).stdout).toContain('admin')
    expect((await served.stop()).stderr).toContain('Warning: /database is not mounted')
  })

  test('takes over a database and settings that are mounted as single files', async () => {
    const at = place('single')
    writeFileSync(at('old.db'), readFileSync(sample))
    writeFileSync(at('old.json'), '{"port": 80, "address": "", "database": "/database.db", "root": "/srv"}')
    const mounts = ['-v', `${at('files')}:/srv`, '-v', `${at('old.db')}:/database.db`]
    const options = [...mounts, '-v', `${at('old.json')}:/.filebrowser.json`]
    await using served = await start('single', [...options, '-e', 'PUID=0'], ['--port', '%port'])
    expect(await signIn(served.url, old)).toContain('.')
    expect((await served.inside('filebrowser', 'users', 'ls')).stdout).toContain('jürgen')
    expect((await served.stop()).code).toBe(0)
    expect(readFileSync(at('old.db')).equals(readFileSync(sample))).toBe(true)
  })

  test.each([
    [
      'truenas',
      ['--user', '568:568', '--cap-drop', 'ALL', '-v', '%files:/data', '-v', '%config:/config'],
      [
        '--config',
        '/config/filebrowser.json',
        '--database',
        '/config/filebrowser.db',
        '--port',
        '%port',
        '--address',
        '0.0.0.0',
        '--root',
        '/data',
      ],
    ],
    [
      'unraid',
      ['-e', 'PUID=99', '-e', 'PGID=100', '-e', 'FILESTEAD_PORT=%port', '-v', '%files:/srv', '-v', '%config:/database'],
      [],
    ],
    [
      'umbrel',
      [
        '--user',
        '1000:1000',
        '-e',
        'FB_PORT=%port',
        '-e',
        'FB_DATABASE=/data/filebrowser.db',
        '-e',
        'FB_ROOT=/files',
        '-e',
        'FB_NOAUTH=true',
        '-v',
        '%files:/files',
        '-v',
        '%config:/data',
      ],
      [],
    ],
  ])('starts as %s started File Browser, on its volumes', async (name, options, args) => {
    const at = place(name)
    // Owned by everybody: each of these systems gives the folders to its own account.
    for (const path of ['files', 'config']) execFileSync('chmod', ['777', at(path)])
    writeFileSync(at('config/filebrowser.json'), '{"port": 8080, "log": "stdout"}', { mode: 0o644 })
    cpSync(sample, at('config/filebrowser.db'))
    execFileSync('chmod', ['666', at('config/filebrowser.db')])
    const mounted = options.map((word) => word.replace('%files', at('files')).replace('%config', at('config')))
    await using served = await start(name, mounted, args)
    expect(await signIn(served.url, old).catch(() => 'no sign-in')).not.toBe('no sign-in')
    await until(() => readdirSync(at('config')).includes('filestead.db'))
    expect((await served.stop()).code).toBe(0)
  })
})
