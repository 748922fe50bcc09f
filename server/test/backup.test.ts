import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { isOnPostgres } from './database.ts'
import { scratchFolder } from './disk.ts'
import { admin, askAt, initialise, type Program, run, serve, signIn, startProgram, until } from './process.ts'

setDefaultTimeout(120_000)

const folder = scratchFolder('backup')

const namesIn = async (ask: Program['ask']) =>
  ((await (await ask('/api/users')).json()) as { username: string }[]).map(({ username }) => username)

async function addUser(ask: Program['ask'], username: string): Promise<void> {
  const data = { username, password: 'a password of their own', scope: '/', perm: {} }
  const body = JSON.stringify({ what: 'user', which: [], data, current_password: admin.password })
  const answer = await ask('/api/users', { method: 'POST', body })
  if (answer.status !== 201) throw new Error(`adding ${username} answered ${answer.status} ${await answer.text()}`)
}

test('a backup made during writes is complete, and a server restored from it has its users and shares', async () => {
  await using program = await startProgram()
  let count = 0
  let isOver = false
  const writing = (async () => {
    for (; !isOver; count += 1) await addUser(program.ask, `user-${count}`)
  })()
  const sharing = (async () => {
    writeFileSync(join(program.root, 'shared.txt'), 'shared')
    while (!isOver) await (await program.ask('/api/share/shared.txt', { method: 'POST', body: '{}' })).text()
  })()
  await until(() => count >= 5)
  const known = count
  const file = join(folder, 'under-load.tar.gz')
  const made = await run(['backup', file, '-d', program.database])
  const atMost = count + 1
  isOver = true
  await Promise.all([writing, sharing])
  expect([made.code, made.stdout]).toEqual([0, `Wrote ${file} with filestead.db\n`])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['under-load.tar.gz'])

  // Refused while the server runs, and nothing has changed by that.
  const refused = await run(['restore', file, '-d', program.database])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('stop it first')])
  expect(await namesIn(program.ask)).toHaveLength(count + 1)

  const oldToken = program.token
  await program.terminate()
  const { code, stdout } = await run(['restore', file, '-d', program.database])
  expect([code, stdout]).toEqual([0, expect.stringContaining('is kept as')])
  await program.start()
  expect((await askAt(program.url, '/api/users', { headers: { 'x-auth': oldToken } })).status).toBe(401)
  program.token = await signIn(program.url, admin)
  const restored = await namesIn(program.ask)
  expect(restored).toEqual(['admin', ...Array.from({ length: restored.length - 1 }, (_, index) => `user-${index}`)])
  expect(restored.length - 1).toBeGreaterThanOrEqual(known)
  expect(restored.length - 1).toBeLessThanOrEqual(atMost)
  expect(((await (await program.ask('/api/shares')).json()) as unknown[]).length).toBeGreaterThan(0)

  // What was replaced is whole, too: a database, or a backup of one that is in no file.
  let aside = /is kept as (.*)/.exec(stdout)?.[1] ?? ''
  if (isOnPostgres) {
    const unpacked = join(folder, 'aside/filestead.db')
    expect((await run(['restore', aside, '-d', unpacked])).code).toBe(0)
    aside = unpacked
  }
  await using before = await serve(['-d', aside, '-r', program.root])
  const { url } = before
  const headers = { 'x-auth': await signIn(url, admin) }
  expect(await namesIn((path) => askAt(url, path, { headers }))).toHaveLength(count + 1)
}, 120_000)

describe('a backup', () => {
  let database: string
  let file: string
  beforeAll(async () => {
    database = join(folder, 'own/filestead.db')
    file = join(folder, 'own.tar.gz')
    mkdirSync(join(folder, 'own'))
    writeFileSync(join(folder, 'own/settings.yaml'), `database: ${database}\nport: 4321\n`)
    await initialise(database, ['--branding.name', 'As it was'])
    expect((await run(['backup', file, '-c', join(folder, 'own/settings.yaml')])).code).toBe(0)
  })

  const shown = async (place: string) => (await run(['config', 'cat', '-d', place])).stdout
  /** The archive with something changed in its tar. */
  const changed = (name: string, change: (tar: Buffer) => Buffer) => {
    const path = join(folder, name)
    writeFileSync(path, gzipSync(change(gunzipSync(readFileSync(file)))))
    return path
  }
  const replaced = (from: string, to: string) => (tar: Buffer) => {
    const at = tar.indexOf(from)
    if (at === -1 || from.length !== to.length) throw new Error(`cannot replace ${from}`)
    return Buffer.concat([tar.subarray(0, at), Buffer.from(to), tar.subarray(at + from.length)])
  }

  test('is one archive that tar reads, with the config file', () => {
    const out = join(folder, 'unpacked')
    mkdirSync(out)
    execFileSync('tar', ['-xzf', file, '-C', out])
    expect(readdirSync(out).sort()).toEqual(['config.yaml', 'filestead.db', 'manifest.json'])
    const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'))
    for (const { name, sha256, size } of manifest.files) {
      const bytes = readFileSync(join(out, name))
      expect([name, sha256, size]).toEqual([
        name,
        new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
        bytes.length,
      ])
    }
    expect(readFileSync(join(out, 'config.yaml'), 'utf8')).toContain('port: 4321')
  })

  test('is restored where there was no database, readable only by the owner', async () => {
    const place = join(folder, 'elsewhere/new.db')
    const { code, stdout } = await run(['restore', file, '-d', place])
    expect([code, stdout]).toEqual([0, expect.stringContaining('elsewhere/new.db.config.yaml')])
    expect(await shown(place)).toContain('As it was')
    expect(readdirSync(join(folder, 'elsewhere')).sort()).toEqual(['new.db', 'new.db.config.yaml'])
    expect(statSync(place).mode & 0o777).toBe(0o600)
  })

  test('is not written over an existing file', async () => {
    const { code, stderr } = await run(['backup', database, '-d', database])
    expect([code, stderr]).toEqual([1, `Error: ${database} exists already; name a new file\n`])
    expect(await shown(database)).toContain('As it was')
  })

  test('replaces a damaged database and keeps a copy of it', async () => {
    const place = join(folder, 'damaged/filestead.db')
    mkdirSync(join(folder, 'damaged'))
    const bytes = Buffer.from(readFileSync(database)).fill(0x5a, 100)
    writeFileSync(place, bytes)
    const { code } = await run(['restore', file, '-d', place])
    expect(code).toBe(0)
    expect(await shown(place)).toContain('As it was')
    const [aside = ''] = readdirSync(join(folder, 'damaged')).filter((name) => name.includes('replaced'))
    expect(readFileSync(join(folder, 'damaged', aside)).equals(bytes)).toBe(true)
  })

  test('is restored with the drafts of the database that it replaces', async () => {
    const place = join(folder, 'unfinished/filestead.db')
    mkdirSync(join(folder, 'unfinished'))
    copyFileSync(database, place)
    const sql = "insert into draft (place, target, owner) values ('/srv/.draft', null, 'dead')"
    const statement = (text: string) =>
      execFileSync(process.execPath, [
        '-e',
        `console.log(JSON.stringify(new (require('bun:sqlite').Database)('${place}').query(\`${text}\`).all()))`,
      ])
    statement(sql)
    expect((await run(['restore', file, '-d', place])).code).toBe(0)
    expect(JSON.parse(String(statement('select place from draft')))).toEqual([{ place: '/srv/.draft' }])
  })

  const bad: [string, () => string, string][] = [
    ['that is not there', () => join(folder, 'nowhere.tar.gz'), 'does not exist'],
    ['that is something else', () => join(import.meta.dirname, 'backup.test.ts'), 'damaged'],
    ['that is cut off', () => cut(), 'damaged'],
    ['with one bit fallen over, which gzip notices', () => flipped(), 'damaged'],
    [
      'with one bit fallen over, which gzip cannot notice',
      () => changed('bit.tar.gz', replaced('As it was', 'As it wos')),
      'damaged',
    ],
    ['of a newer format', () => changed('format.tar.gz', replaced('"format": 1', '"format": 2')), 'newer'],
    ['of a newer database', () => changed('newer.tar.gz', replaced('0001_foundation', '9001_foundation')), 'newer'],
    [
      'that smuggles in another file',
      () => changed('more.tar.gz', (tar) => Buffer.concat([tar.subarray(0, 1024), tar])),
      'damaged',
    ],
    ['without its manifest', () => changed('headless.tar.gz', (tar) => tar.subarray(firstEntry(tar))), 'damaged'],
  ]
  test.each(bad)('%s is refused and nothing changes', async (_name, make, words) => {
    const place = join(folder, 'kept/filestead.db')
    mkdirSync(join(folder, 'kept'), { recursive: true })
    copyFileSync(database, place)
    const before = readFileSync(place)
    const { code, stderr } = await run(['restore', make(), '-d', place])
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)])
    expect(readFileSync(place).equals(before)).toBe(true)
    expect(readdirSync(join(folder, 'kept'))).toEqual(['filestead.db'])
  })

  test('is not restored over a file that is no database', async () => {
    const letter = join(folder, 'letter.txt')
    writeFileSync(letter, 'Dear Sir or Madam, this is no database at all')
    const { code } = await run(['restore', file, '-d', letter])
    expect([code, readFileSync(letter, 'utf8').slice(0, 4)]).toEqual([1, 'Dear'])
    expect(existsSync(`${letter}.restoring`)).toBe(false)
  })

  function cut(): string {
    const path = join(folder, 'cut.tar.gz')
    const bytes = readFileSync(file)
    writeFileSync(path, bytes.subarray(0, bytes.length - 20))
    return path
  }
  function flipped(): string {
    const path = join(folder, 'flipped.tar.gz')
    const bytes = readFileSync(file)
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1)
    writeFileSync(path, bytes)
    return path
  }
})

/** Behind the manifest: its header, and its content in blocks of 512 bytes. */
const firstEntry = (tar: Buffer): number =>
  512 + Math.ceil(Number.parseInt(tar.toString('latin1', 124, 136), 8) / 512) * 512
