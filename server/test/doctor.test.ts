import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { openDatabase } from '../src/database/open.ts'
import { examineTls } from '../src/doctor/tls.ts'
import { scratchFolder } from './disk.ts'
import { freePort } from './free-port.ts'
import { initialise, launch, launcher, type RunOptions, run, until, untilHealthy } from './process.ts'

setDefaultTimeout(120_000)

const folder = scratchFolder('doctor')
const root = join(folder, 'root')
const database = join(folder, 'data/filestead.db')
beforeAll(async () => {
  chmodSync(folder, 0o755)
  mkdirSync(root)
  await initialise(database)
})

/** The lines of the doctor by their mark and what they are about. */
async function examine(args: string[], options: RunOptions = {}) {
  const { code, stdout, stderr } = await run(['doctor', ...args], options)
  const of = (mark: string) =>
    [...stdout.matchAll(new RegExp(`^${mark} +([^:]+): (.*)`, 'gm'))].map(([, about = '', text = '']) => ({
      about,
      text,
    }))
  return { code, stderr, stdout, bad: of('BAD'), warnings: of('WARNING'), good: of('ok'), notes: of('note') }
}

const usual = () => ['-d', database, '-r', root, '-p', '0']

test('a working installation passes and is not changed', async () => {
  const before = readFileSync(database)
  const { code, bad, good, stdout } = await examine(usual())
  expect({ code, bad }).toEqual({ code: 0, bad: [] })
  const topics = good.map(({ about }) => about)
  for (const topic of ['Served folder', 'Permissions', 'Database', 'Cache', 'Clock', 'Address', 'Pictures'])
    expect(topics).toContain(topic)
  expect(stdout).toContain('1 user')
  expect(stdout).toMatch(/\nFilestead will work here: no problems, (no|\d+) warnings?\.\n$/)
  expect(readFileSync(database).equals(before)).toBe(true)
  expect(readdirSync(join(folder, 'data'))).toEqual(['filestead.db'])
})

test('snapshots of the served folder are told', async () => {
  mkdirSync(join(folder, 'served/.snapshots/@GMT-2020.01.01-12.00.00'), { recursive: true })
  mkdirSync(join(folder, 'served/.snapshots/@GMT-2020.01.02-12.00.00'))
  const { code, good } = await examine(['-d', database, '-r', join(folder, 'served'), '-p', '0'])
  expect(code).toBe(0)
  expect(good.find(({ about }) => about === 'Snapshots')?.text).toMatch(
    /served has 2 of samba in .*\/served\/\.snapshots, from 2020-01-01 to 2020-01-02$/,
  )
})

test('an empty folder passes and stays empty', async () => {
  const { code, notes } = await examine(['-d', join(folder, 'new/filestead.db'), '-r', root, '-p', '0'])
  expect(code).toBe(0)
  expect(notes.find(({ about }) => about === 'Database')?.text).toContain('the first start makes it')
  expect(readdirSync(folder)).not.toContain('new')
})

test('a database of File Browser is read and not changed, and an unreadable one is reported', async () => {
  mkdirSync(join(folder, 'old'))
  const sample = readFileSync(join(import.meta.dirname, 'samples/filebrowser.db'))
  const old = written('old/filebrowser.db', sample)
  const { code, notes } = await examine(['-d', old, '-r', root, '-p', '0'])
  expect([code, notes.find(({ about }) => about === 'File Browser')?.text]).toEqual([
    0,
    expect.stringMatching(/takes over \d+ users and \d+ links/),
  ])
  expect(readdirSync(join(folder, 'old'))).toEqual(['filebrowser.db'])
  expect(readFileSync(old).equals(sample)).toBe(true)
  const broken = await examine(['-d', written('old/filebrowser.db', sample.subarray(0, 8192)), '-r', root, '-p', '0'])
  expect([broken.code, broken.bad.map(({ about }) => about)]).toEqual([1, ['File Browser']])
})

describe('a problem that stops the server is reported with a remedy and exit code 1', () => {
  const cases: [string, () => string[] | Promise<string[]>, string, string][] = [
    ['a missing folder', () => ['-d', database, '-r', join(folder, 'nowhere')], 'Served folder', 'does not exist'],
    ['a file for a folder', () => ['-d', database, '-r', '/etc/passwd'], 'Served folder', 'is a file'],
    ['a flag that makes no sense', () => [...usual(), '--cacheSize', 'much'], 'Configuration', '--cacheSize'],
    ['half of a pair', () => [...usual(), '--cert', '/etc/passwd'], 'Configuration', 'only work together'],
    ['no certificate', () => [...usual(), '-t', '/etc/passwd', '-k', '/etc/passwd'], 'Certificate', 'cannot be read'],
    [
      'an address of another machine',
      () => ['-d', database, '-r', root, '-a', '192.0.2.1'],
      'Address',
      'no address of',
    ],
    ['something that is no address', () => ['-d', database, '-r', root, '-a', '300.1.1.1'], 'Address', 'no address of'],
    ['a socket in a missing folder', () => ['-d', database, '-r', root, '--socket', '/nowhere/s'], 'Address', 'socket'],
    [
      'a file of another program',
      () => ['-d', written('letter.db', 'Dear Sir or Madam,'), '-r', root],
      'Configuration',
      'letter.db is ',
    ],
    [
      'a database without users',
      async () => ['-d', await withoutUsers(), '-r', root],
      'Database',
      'nobody can sign in',
    ],
    ['a damaged database', () => ['-d', damaged(), '-r', root], 'Database', 'damaged'],
    ['a database of the future', async () => ['-d', await ofTheFuture(), '-r', root], 'Database', 'newer'],
    [
      'a proxy that signs in and is not believed',
      async () => ['-d', await signedInByProxy(), '-r', root],
      'Proxy',
      'nobody can sign in',
    ],
  ]
  test.each(cases)('%s', async (_name, args, about, words) => {
    const { code, bad, stdout, stderr } = await examine(await args())
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(bad.map((finding) => finding.about)).toEqual([about])
    expect(bad[0]?.text).toContain(words)
    expect(stdout).toMatch(/^BAD .*\n +→ .+/m)
    expect(stdout).toContain('Filestead will not work here: 1 problem, ')
  })

  test('a port of another program is reported, and a port of a running server is not', async () => {
    const taken = createServer((socket) => socket.end('this is no server of ours')).listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const { port: foreign } = taken.address() as AddressInfo
    const { code, bad } = await examine(['-d', database, '-r', root, '-p', String(foreign)])
    taken.close()
    expect([code, bad.map(({ about }) => about)]).toEqual([1, ['Address']])
    const [port, metrics] = [await freePort(), await freePort()]
    const flags = ['-d', database, '-r', root, '-p', String(port), '-b', '/below', '--metrics', `127.0.0.1:${metrics}`]
    await using running = launch(flags)
    await untilHealthy(`http://127.0.0.1:${port}/below`, running)
    const beside = await examine(flags)
    expect(beside.code).toBe(0)
    for (const topic of ['Address', 'Metrics'])
      expect(beside.good.find(({ about }) => about === topic)?.text).toContain('runs already')
    const other = await examine([...usual(), '--metrics', `127.0.0.1:${port}`])
    expect([other.code, other.bad.map(({ about }) => about)]).toEqual([1, ['Metrics']])
  })

  test('a mistyped variable is a warning, and --json has the same findings', async () => {
    const env = { FILESTEAD_PROT: '80' }
    const { warnings } = await examine(usual(), { env })
    expect(warnings.find(({ about }) => about === 'Configuration')?.text).toContain('FILESTEAD_PROT is ignored')
    const { code, stdout } = await examine([...usual(), '--json'], { env })
    const { works, problems, findings } = JSON.parse(stdout)
    expect({ code, works, problems }).toEqual({ code: 0, works: true, problems: 0 })
    expect(findings).toContainEqual(expect.objectContaining({ about: 'Configuration', state: 'warning' }))
  })
})

describe('a warning does not fail', () => {
  const cases: [string, () => string[], string, string][] = [
    ['no administrator', () => ['-d', without('administrator.db'), '-r', root, '-p', '0'], 'Database', 'administrator'],
    ['a database open to others', () => ['-d', open(), '-r', root, '-p', '0'], 'Database', 'Other accounts'],
    ['a cache that is a file', () => [...usual(), '--cacheDir', '/etc/passwd'], 'Cache', 'is a file'],
    ['a clock that was set back', () => ['-d', fromTomorrow(), '-r', root, '-p', '0'], 'Clock', 'set back'],
    [
      'a database among the files',
      () => ['-d', database, '-r', folder, '-p', '0'],
      'Safety',
      'inside the served folder',
    ],
    ['commands', () => [...usual(), '--disableExec=false'], 'Safety', 'Commands and hooks'],
    ['a cache where no file can be', () => [...usual(), '--cacheDir', '/proc/x'], 'Cache', '/proc takes no files'],
    [
      'every address is a trusted proxy',
      () => [...usual(), '--trustedProxies', '10.0.0.1, 0.0.0.0/0'],
      'Safety',
      'Every address is a trusted proxy',
    ],
  ]
  test.each(cases)('%s', async (_name, args, about, words) => {
    const { code, bad, warnings } = await examine(args())
    expect({ code, bad }).toEqual({ code: 0, bad: [] })
    expect(
      warnings
        .filter((finding) => finding.about === about)
        .map(({ text }) => text)
        .join(),
    ).toContain(words)
  })
})

describe.if(Bun.which('openssl') !== null)('certificates', () => {
  function certificate(name: string, days: string): string[] {
    const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
    const request = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=localhost',
      '-days',
      days,
      '-addext',
      'subjectAltName=DNS:localhost',
    ]
    execFileSync('openssl', [...request, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return ['-t', cert, '-k', key]
  }
  test.each([
    ['one for a year', '365', 0, 'ok', 'valid until'],
    ['one for ten days', '10', 0, 'WARNING', 'in 10 days'],
  ])('%s', async (name, days, expected, mark, words) => {
    const { code, stdout } = await examine([...usual(), ...certificate(name.replaceAll(' ', '-'), days)])
    expect(code).toBe(expected)
    expect(stdout).toMatch(new RegExp(`^${mark} +Certificate: .*${words}`, 'm'))
  })

  test('an expired certificate and one that is not valid yet', () => {
    const [, cert = '', , key = ''] = certificate('for-a-day', '1')
    const day = 86_400_000
    const about = (now: number) => examineTls({ cert, key }, now).map(({ state, text }) => `${state}: ${text}`)
    expect(about(Date.now() + 2 * day)).toEqual([expect.stringMatching(/^bad: .* expired on/)])
    expect(about(Date.now() - 2 * day)).toEqual([expect.stringMatching(/^bad: .* not valid yet/)])
  })

  test('the certificate that visitors receive from outside', async () => {
    const pair = certificate('outside', '5')
    const port = await freePort()
    await using running = launch(['-d', database, '-r', root, '-p', String(port), ...pair])
    const health = ['health', '-d', database, '-r', root, '-p', String(port), ...pair]
    const isUp = async () => (await run(health)).code === 0
    await until(isUp)
    const args = [...usual(), '--url', `https://localhost:${port}`]
    const trusted = await examine(args, { env: { NODE_EXTRA_CA_CERTS: pair[1] ?? '' } })
    expect([trusted.code, trusted.warnings.map(({ text }) => text).join()]).toEqual([
      0,
      expect.stringContaining(`https://localhost:${port} expires on`),
    ])
    expect((await examine(args)).bad.map(({ about }) => about)).toEqual(['From outside'])
    running.signal('SIGTERM')
    await running.ended
  })

  test('a key of another certificate', async () => {
    const [flag = '', cert = ''] = certificate('one', '365')
    const { code, bad } = await examine([...usual(), flag, cert, ...certificate('other', '365').slice(2)])
    expect([code, bad[0]?.text]).toEqual([1, expect.stringContaining('does not belong')])
  })
})

const isRoot = process.getuid?.() === 0 && Bun.which('setpriv') !== null

describe.if(isRoot)('as an account with fewer permissions', () => {
  const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups', launcher]
  const asNobody = async (args: string[]) => {
    const { code, stdout } = await run([...nobody, 'doctor', ...args], { command: 'setpriv' })
    return { code, stdout }
  }
  const home = (name: string) => {
    const path = join(folder, name)
    mkdirSync(path)
    chownSync(path, 65_534, 65_534)
    return path
  }

  test('a database without access', async () => {
    const { code, stdout } = await asNobody(['-d', database, '-r', root])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^BAD +Database: Account nobody may not write into/m)
    expect(stdout).toContain('chown nobody')
  })
  test('a folder that cannot be read, and one that can only be read', async () => {
    const own = join(home('own'), 'filestead.db')
    chmodSync(root, 0o700)
    const closed = await asNobody(['-d', own, '-r', root, '-p', '0'])
    expect([closed.code, closed.stdout]).toEqual([
      1,
      expect.stringMatching(/^BAD +Served folder: .*may not look into/m),
    ])
    chmodSync(root, 0o755)
    const readable = await asNobody(['-d', own, '-r', root, '-p', '0'])
    expect([readable.code, readable.stdout]).toEqual([
      0,
      expect.stringMatching(/^WARNING +Permissions: .*not change it/m),
    ])
    expect((await asNobody(['-d', own, '-r', root, '-p', '0', '--readOnly'])).stdout).not.toContain('WARNING')
  })
  test('files of other accounts in its folder', async () => {
    const mixed = home('mixed')
    writeFileSync(join(mixed, 'closed.txt'), '', { mode: 0o600 })
    const { code, stdout } = await asNobody(['-d', join(home('own-too'), 'f.db'), '-r', mixed, '-p', '0'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 of 1 entries')])
  })
})

function written(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

function damaged(): string {
  const bytes = Buffer.from(readFileSync(database))
  bytes.fill(0x5a, 4096)
  return written('damaged.db', bytes)
}

function open(): string {
  const path = written('open.db', readFileSync(database))
  chmodSync(path, 0o644)
  return path
}

function fromTomorrow(): string {
  const path = written('tomorrow.db', readFileSync(database))
  execFileSync('touch', ['-d', 'tomorrow', path])
  return path
}

function without(name: string): string {
  const path = written(name, readFileSync(database))
  execFileSync(process.execPath, [
    '-e',
    `new (require('bun:sqlite').Database)(${JSON.stringify(path)}).run("update user set profile = '{}'")`,
  ])
  return path
}

async function ofTheFuture(): Promise<string> {
  const path = written('future.db', readFileSync(database))
  const db = await openDatabase(path)
  await db
    .insertInto('kysely_migration' as never)
    .values({ name: '9999_beyond', timestamp: 'later' } as never)
    .execute()
  await db.destroy()
  return path
}

async function withoutUsers(): Promise<string> {
  const path = join(folder, 'without-users.db')
  await run(['config', 'init', '-d', path])
  return path
}

async function signedInByProxy(): Promise<string> {
  const path = written('proxy.db', readFileSync(database))
  await run(['config', 'set', '--auth.method', 'proxy', '--auth.header', 'X-User', '-d', path])
  return path
}
