import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, chownSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { scratchFolder } from './disk.ts'
import { freePort } from './free-port.ts'
import { admin, initialise, launch, launcher, type RunOptions, run, until, untilHealthy } from './process.ts'

setDefaultTimeout(120_000)

const folder = scratchFolder('mistakes')
const root = join(folder, 'root')
const database = join(folder, 'filestead.db')
const at = (name: string) => join(folder, name)
let taken: Server

beforeAll(async () => {
  chmodSync(folder, 0o755)
  mkdirSync(root)
  await initialise(database)
  taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  writeFileSync(at('a-file'), 'this is neither a folder nor a database')
  writeFileSync(at('broken.yaml'), 'port: 80\nlog: [stdout\nroot: /srv\n')
  writeFileSync(at('broken.json'), '{\n  "port": 80,\n  "root": }\n')
  writeFileSync(at('broken.db'), `SQLite format 3\0${'x'.repeat(4096)}`)
  const foreign = new Database(at('foreign.db'))
  foreign.run('create table songs (title text)')
  foreign.close()
  copyFileSync(database, at('future.db'))
  const future = new Database(at('future.db'))
  future.run("insert into kysely_migration values ('9999_beyond', 'later')")
  future.close()
})
afterAll(() => void taken.close())

interface Mistake {
  args: string[]
  options?: RunOptions
  /** Every part of the line that the person needs. */
  says: (string | RegExp)[]
}

const usual = () => ['-d', database, '-r', root]
const takenPort = () => String((taken.address() as AddressInfo).port)

/** Exit code 1, nothing on standard output and one line on standard error. */
async function expectOneLine({ args, options = {}, says }: Mistake): Promise<void> {
  // A start that does not notice the mistake must not fail for another reason.
  const env = { FB_PORT: '0', ...options.env }
  const { code, stdout, stderr } = await run(args, { ...options, env })
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^Error: [^\n]+\n$/) })
  for (const part of says) expect(stderr).toMatch(part)
}

describe('a mistake ends the program with one line that names the culprit and the way out', () => {
  test.concurrent.each<[string, () => Mistake]>([
    [
      'a busy port',
      () => ({ args: [...usual(), '-p', takenPort()], says: [`port ${takenPort()}`, 'in use', '--port'] }),
    ],
    [
      'a busy port for metrics',
      () => ({
        args: [...usual(), '--metrics', `127.0.0.1:${takenPort()}`],
        says: [takenPort(), 'in use', '--metrics'],
      }),
    ],
    ['a root that is not there', () => ({ args: ['-d', database, '-r', at('none')], says: [at('none'), '--root'] })],
    ['a root that is a file', () => ({ args: ['-d', database, '-r', at('a-file')], says: [at('a-file'), '--root'] })],
    ['a mistyped flag', () => ({ args: [...usual(), '--prot', '1'], says: ['--prot', 'Did you mean --port'] })],
    ['a mistyped command', () => ({ args: ['user', 'ls'], says: ["'user'", 'Did you mean users'] })],
    ['an unknown command', () => ({ args: ['serve-it-all'], says: ["'serve-it-all'", 'filestead help'] })],
    [
      'a port that is no number',
      () => ({ args: [...usual(), '-p', 'eighty'], says: ['--port "eighty"', /0 to 65535/] }),
    ],
    ['a port out of range', () => ({ args: [...usual(), '-p', '70000'], says: ['--port "70000"', /0 to 65535/] })],
    [
      'a bad value in a variable',
      () => ({ args: usual(), options: { env: { FILESTEAD_PORT: 'x' } }, says: ['FILESTEAD_PORT "x"', /0 to 65535/] }),
    ],
    ['a base URL without a slash', () => ({ args: [...usual(), '-b', 'base'], says: ['--baseURL "base"', '/files'] })],
    [
      'an address of another machine',
      () => ({ args: [...usual(), '-a', '192.0.2.1'], says: ['192.0.2.1', '--address'] }),
    ],
    [
      'something that is no address',
      () => ({ args: [...usual(), '-a', '300.1.1.1'], says: ['300.1.1.1', '--address'] }),
    ],
    [
      'an address with a port',
      () => ({ args: [...usual(), '-a', 'localhost:80'], says: ['localhost:80', '--address'] }),
    ],
    [
      'a list of proxies that is none',
      () => ({ args: [...usual(), '--trustedProxies', '10.0.0.0/99'], says: ['--trustedProxies', '10.0.0.0/8'] }),
    ],
    ['YAML with a mistake', () => ({ args: ['-c', at('broken.yaml')], says: [at('broken.yaml'), 'line 2'] })],
    ['JSON with a mistake', () => ({ args: ['-c', at('broken.json')], says: [at('broken.json'), 'line 3'] })],
    ['a missing config file', () => ({ args: ['-c', at('none.yaml')], says: [at('none.yaml'), 'does not exist'] })],
    [
      'a foreign file as database',
      () => ({ args: ['-d', at('a-file'), '-r', root], says: [at('a-file'), '--database'] }),
    ],
    [
      'a database of another program',
      () => ({ args: ['-d', at('foreign.db'), '-r', root], says: [at('foreign.db'), 'another program', '--database'] }),
    ],
    [
      'a database of a newer version',
      () => ({ args: ['-d', at('future.db'), '-r', root], says: [at('future.db'), 'newer version', 'restore'] }),
    ],
    ['a damaged database', () => ({ args: ['-d', at('broken.db'), '-r', root], says: [at('broken.db'), 'restore'] })],
    ['a database that is a folder', () => ({ args: ['-d', root, '-r', root], says: [root, 'is a folder'] })],
    [
      'a database where no file can be',
      () => ({ args: ['-d', '/proc/f.db', '-r', root], says: ['/proc/f.db', '--database'] }),
    ],
    [
      'a certificate that is not there',
      () => ({ args: [...usual(), '-t', at('c.pem'), '-k', at('k.pem')], says: [at('c.pem'), '--cert'] }),
    ],
    [
      'a certificate that is none',
      () => ({ args: [...usual(), '-t', at('a-file'), '-k', at('a-file')], says: [at('a-file'), 'PEM', '--cert'] }),
    ],
    ['a certificate without a key', () => ({ args: [...usual(), '-t', at('a-file')], says: ['--cert', '--key'] })],
    ['a log that is a folder', () => ({ args: [...usual(), '--log', root], says: [root, 'is a folder', '--log'] })],
    [
      'a socket in a missing folder',
      () => ({
        args: [...usual(), '--socket', at('none/s')],
        options: { env: { FB_PORT: '' } },
        says: [at('none/s'), 'folder'],
      }),
    ],
    [
      'a password that is no hash',
      () => ({ args: ['-d', at('new.db'), '--password', 'x'], says: ['--password', 'filestead hash'] }),
    ],
    [
      'a command without a database',
      () => ({ args: ['users', 'ls', '-d', at('none.db')], says: [at('none.db'), 'config init'] }),
    ],
    ['no such user', () => ({ args: ['users', 'find', 'ann', '-d', database], says: ['There is no user "ann"'] })],
    ['a taken name', () => ({ args: ['users', 'add', 'admin', admin.password, '-d', database], says: ['username'] })],
    [
      'a backup into a missing folder',
      () => ({ args: ['backup', at('none/b.tar.gz'), '-d', database], says: [at('none/b.tar.gz'), 'no such'] }),
    ],
    [
      'a backup that is none',
      () => ({ args: ['restore', at('a-file'), '-d', database], says: [at('a-file'), 'no backup'] }),
    ],
    [
      'the health of a server that is not there',
      () => ({ args: ['health', ...usual(), '-p', takenPort(), '-a', '127.0.0.2'], says: ['127.0.0.2', '--port'] }),
    ],
  ])('%s', async (_what, mistake) => expectOneLine(mistake()))

  test('the database of another program stays as it was', async () => {
    const foreign = new Database(at('foreign.db'))
    expect(foreign.query('pragma journal_mode').get()).toEqual({ journal_mode: 'delete' })
    expect(foreign.query('select name from sqlite_master').all()).toEqual([{ name: 'songs' }])
    foreign.close()
  })
})

const isRoot = process.getuid?.() === 0 && Bun.which('setpriv') !== null

describe.if(isRoot)('so does a missing permission', () => {
  const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups', launcher]
  const own = () => at('own/filestead.db')
  beforeAll(() => {
    mkdirSync(at('own'))
    chownSync(at('own'), 65_534, 65_534)
    copyFileSync(database, own())
    chownSync(own(), 65_534, 65_534)
    mkdirSync(at('closed'), { mode: 0o700 })
    mkdirSync(at('closed/root'))
  })

  test.concurrent.each<[string, () => Omit<Mistake, 'options'>]>([
    [
      'to use a port below 1024',
      () => ({ args: ['-d', own(), '-r', root, '-p', '80'], says: ['port 80', 'nobody', '--port'] }),
    ],
    ['to make a database', () => ({ args: ['-d', at('new.db'), '-r', root], says: [folder, 'nobody', '--database'] })],
    ['to read the database', () => ({ args: ['-d', database, '-r', root], says: [database, 'nobody', 'root'] })],
    [
      'to reach the root',
      () => ({ args: ['-d', own(), '-r', at('closed/root')], says: [at('closed/root'), 'nobody'] }),
    ],
    [
      'to write the log',
      () => ({ args: ['-d', own(), '-r', root, '-l', at('f.log')], says: [at('f.log'), 'nobody', '--log'] }),
    ],
    ['to write a backup', () => ({ args: ['backup', at('b.tar.gz'), '-d', own()], says: [at('b.tar.gz'), 'nobody'] })],
    [
      'to write an export',
      () => ({ args: ['users', 'export', at('u.json'), '-d', own()], says: [at('u.json'), 'nobody'] }),
    ],
  ])('%s', async (_what, mistake) => {
    const { args, says } = mistake()
    // On many machines every port is free to all; there the port alone would be no mistake.
    const isFree =
      args.includes('80') && Number(await Bun.file('/proc/sys/net/ipv4/ip_unprivileged_port_start').text()) <= 80
    if (!isFree) await expectOneLine({ args: [...nobody, ...args], options: { command: 'setpriv' }, says })
  })
})

const small = [
  '--mount',
  'sh',
  '-c',
  'mount -t tmpfs -o size=16k none "$1" && head -c 16384 /dev/zero > "$1/f"; shift; exec "$@"',
  'sh',
]
const canMount = Bun.spawnSync(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).exitCode === 0

test.if(canMount)('so does a full disk', async () => {
  mkdirSync(at('full'))
  const start = [...small, at('full'), launcher, '-d', at('full/f.db'), '-r', root]
  await expectOneLine({
    args: start,
    options: { command: 'unshare' },
    says: [at('full/f.db'), 'disk is full', '--database'],
  })
})

describe('a mistake that leaves the server working is a warning at its start', () => {
  async function expectWarnings(parts: RegExp[], flags: string[], options: RunOptions = {}, file = database) {
    const port = await freePort()
    await using running = launch(['-d', file, '-r', root, '-p', String(port), ...flags], options)
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    for (const part of parts) await until(() => part.test(running.stderr()))
    return running.stderr()
  }

  test('a mistyped variable, while those of Kubernetes are none', async () => {
    const env = {
      FILESTEAD_PROT: '80',
      FILESTEAD_PORT: 'tcp://10.96.0.7:80',
      FILESTEAD_PORT_80_TCP: 'tcp://10.96.0.7:80',
      FILESTEAD_SERVICE_HOST: '10.96.0.7',
    }
    const typo = /^Warning: Unknown variable FILESTEAD_PROT is ignored; did you mean "FILESTEAD_PORT"\?$/m
    expect((await expectWarnings([typo], [], { env })).match(/Unknown/g)).toHaveLength(1)
  })

  test('a mistyped key of the config file', async () => {
    writeFileSync(at('typo.yaml'), 'cachesize: 1GB\nreadonyl: true\n')
    const typo = /^Warning: Unknown key "readonyl" in \S+typo.yaml is ignored; did you mean "readOnly"\?$/m
    expect((await expectWarnings([typo], ['-c', at('typo.yaml')])).match(/Unknown/g)).toHaveLength(1)
  })

  test('a cache that cannot be written, and proxies that are everybody', async () => {
    const cache = /^Warning: \/proc takes no files: .* --cacheDir\.$/m
    const proxies = /^Warning: Every address is a trusted proxy: .* --trustedProxies, such as 127\.0\.0\.1\.$/m
    await expectWarnings([cache, proxies], ['--cacheDir', '/proc/x', '--trustedProxies', '::/0'])
  })

  test('a database without users', async () => {
    await run(['config', 'init', '-d', at('empty.db')])
    const nobody =
      /^Warning: There is no user: nobody can sign in\. .* filestead users add NAME --perm\.admin -d \S+\.db$/m
    await expectWarnings([nobody], [], {}, at('empty.db'))
  })

  test('a second server on the same database', async () => {
    const port = await freePort()
    await using running = launch([...usual(), '-p', String(port)])
    await untilHealthy(`http://127.0.0.1:${port}`, running)
    await expectWarnings([/^Another server works with this database\. Both have to serve the same folder/m], [])
  })
})
