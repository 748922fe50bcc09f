import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { isStoreName } from '../src/storage/store-names.ts'
import { namesIn } from './answers.ts'
import { scratchFolder } from './disk.ts'
import { sample } from './file-browser-database.ts'
import { freePort } from './free-port.ts'
import {
  admin,
  askAs,
  initialise,
  launch,
  type Program,
  run,
  serve,
  signIn,
  startProgram,
  stateFolder,
  until,
} from './process.ts'
import { notRefused } from './refusals.ts'

setDefaultTimeout(120_000)

const folder = scratchFolder('reserved')

/** Listing, flat list, search and archive of the whole folder, as one text. */
async function everythingSaid(ask: Program['ask'], word: string): Promise<string> {
  const addresses = [
    '/api/resources/',
    '/api/resources/?recursive=true',
    `/api/search/?query=${word}`,
    '/api/raw/?algo=tar',
  ]
  const texts = await Promise.all(addresses.map(async (address) => (await ask(address)).text()))
  return texts.join('\n')
}

describe('in the folder of the database, which is the working folder', () => {
  let program: Program
  beforeAll(async () => {
    program = await startProgram({
      database: 'root/filestead.db',
      cwd: 'root',
      env: { FILESTEAD_LOG: 'server.log', HOME: '/nonexistent' },
    })
    writeFileSync(join(program.root, 'bait.txt'), 'bait')
    writeFileSync(join(program.root, 'other.txt'), 'other')
  })
  afterAll(() => program?.end())

  // Written while the server runs, by hand or by the product itself.
  const later = [
    '.filestead.json',
    '.filebrowser.yaml',
    '.filestead.json~',
    '.filestead.toml.swp',
    'filestead.db.replaced-2026-11-15T20-08-28',
    'filestead.db.config.yaml',
    'filestead.db.users-2026-11-15T20-08-28.json',
    'filestead.db-backup',
    'FileStead.DB.bak',
    'filebrowser.db',
    'filebrowser.db-journal',
    'filestead.filestead.db',
    'users.backup.json',
    'server.log',
    'server.log.2026-11-15T20-08-28',
  ]
  test.each(later)('%s is not found by any request', async (name) => {
    const place = join(program.root, name)
    const draft = join(folder, 'draft')
    writeFileSync(draft, 'SECRET')
    renameSync(draft, place)
    const { ino } = statSync(place)
    expect(await notRefused(program.ask, `/${encodeURIComponent(name)}`)).toEqual({})
    expect([readFileSync(place, 'utf8').slice(0, 6), statSync(place).ino]).toEqual(['SECRET', ino])
    expect(await everythingSaid(program.ask, 'e')).not.toContain('SECRET')
    expect(await namesIn(program.ask, '/')).toEqual(['bait.txt', 'other.txt'])
    rmSync(place)
  })

  test.each(['.FILESTEAD.json', 'FILEBROWSER.db', 'file%C5%BFtead.db', '.filestead.json.', 'filestead.db-wal2'])(
    '%s cannot be created',
    async (name) => {
      expect(await notRefused(program.ask, `/${name}`)).toEqual({})
      expect(await namesIn(program.ask, '/')).toEqual(['bait.txt', 'other.txt'])
      const ours = ['filestead.db', 'filestead.db-cache', 'filestead.db-drafts', 'filestead.db-shm', 'filestead.db-wal']
      expect(
        readdirSync(program.root)
          .filter((there) => !['bait.txt', 'other.txt', 'server.log'].includes(there))
          .sort(),
      ).toEqual(ours)
    },
  )

  test('a folder with a reserved name and everything below it are not found', async () => {
    mkdirSync(join(program.root, 'filestead.db.old/deep'), { recursive: true })
    writeFileSync(join(program.root, 'filestead.db.old/deep/secret.txt'), 'SECRET')
    for (const path of ['/filestead.db.old', '/filestead.db.old/deep', '/filestead.db.old/deep/secret.txt'])
      expect(await notRefused(program.ask, path)).toEqual({})
    expect(await everythingSaid(program.ask, 'secret')).not.toContain('SECRET')
    expect(existsSync(join(program.root, 'filestead.db.old/deep/secret.txt'))).toBe(true)
    rmSync(join(program.root, 'filestead.db.old'), { recursive: true })
  })

  test('a copy of the folder above leaves out reserved names, and elsewhere the names are free', async () => {
    mkdirSync(join(program.root, 'sub'))
    for (const name of ['filebrowser.db', '.filestead.json', 'users.backup.json']) {
      expect((await program.ask(`/api/resources/sub/${name}`, { method: 'POST', body: 'mine' })).status).toBe(200)
      expect(await (await program.ask(`/api/raw/sub/${name}`)).text()).toBe('mine')
    }
    expect((await program.ask('/api/resources/sub', { method: 'DELETE' })).status).toBe(204)
  })
})

test('a working folder below the root cannot be moved or replaced', async () => {
  await using program = await startProgram({ cwd: 'root/../root' })
  const root = join(program.root, 'deep/place')
  mkdirSync(root, { recursive: true })
  await program.terminate()
  await using running = await serve(['-d', program.database, '-r', program.root], { cwd: root })
  const ask = askAs(running.url, await signIn(running.url, admin))
  mkdirSync(join(program.root, 'bait'))
  writeFileSync(join(program.root, 'bait/.filestead.json'), '{"root":"/"}')
  const statuses: number[] = []
  for (const [method, address] of [
    ['PATCH', '/api/resources/deep/place?action=rename&destination=/away'],
    ['PATCH', '/api/resources/deep?action=rename&destination=/away'],
    ['DELETE', '/api/resources/deep/place'],
    ['PATCH', '/api/resources/bait?action=rename&destination=/deep/place&override=true'],
    ['PATCH', '/api/resources/bait?action=copy&destination=/deep/place&override=true'],
    ['POST', '/api/resources/deep/place/.filestead.json'],
  ] as const)
    statuses.push((await ask(address, { method, body: method === 'POST' ? '{}' : undefined })).status)
  expect(statuses).toEqual([403, 403, 403, 403, 403, 403])
  expect(readdirSync(root)).toEqual([])
  expect((await ask('/api/resources/deep/place/note.txt', { method: 'POST', body: 'x' })).status).toBe(200)
})

test('a symlink that names the database can be neither removed nor replaced', async () => {
  const root = join(folder, 'linked')
  mkdirSync(join(root, 'real'), { recursive: true })
  symlinkSync('real', join(root, 'way'))
  symlinkSync('way/own.db', join(root, 'own.db'))
  const database = join(root, 'own.db')
  await initialise(database)
  await using running = await serve(['-d', database, '-r', root])
  const ask = askAs(running.url, await signIn(running.url, admin))
  writeFileSync(join(root, 'bait.txt'), 'bait')
  expect(await notRefused(ask, '/own.db')).toEqual({})
  for (const [method, address] of [
    ['DELETE', '/api/resources/way'],
    ['PATCH', '/api/resources/way?action=rename&destination=/away'],
    ['PATCH', '/api/resources/bait.txt?action=rename&destination=/way&override=true'],
    ['DELETE', '/api/resources/real'],
  ] as const)
    expect((await ask(address, { method })).status).toBe(403)
  expect(
    readdirSync(root)
      .filter((name) => !isStoreName(name))
      .sort(),
  ).toEqual(['bait.txt', 'own.db', 'real', 'way'])
})

test('a key renewed behind a symlink, and the targets of followed symlinks, cannot be reached', async () => {
  const root = join(folder, 'renewed')
  const database = join(folder, 'renewed.db')
  mkdirSync(join(root, 'live'), { recursive: true })
  mkdirSync(join(root, 'archive'))
  const pair = Bun.spawnSync([
    ...['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
    ...['-keyout', join(root, 'archive/key1.pem'), '-out', join(root, 'live/cert.pem')],
  ])
  if (pair.exitCode !== 0) throw new Error(String(pair.stderr))
  symlinkSync('../archive/key1.pem', join(root, 'live/key.pem'))
  await initialise(database)
  const port = await freePort()
  const args = ['-d', database, '-r', root, '-p', String(port), '--followExternalSymlinks']
  const files = ['-t', join(root, 'live/cert.pem'), '-k', join(root, 'live/key.pem')]
  await using running = launch([...args, ...files])
  const url = `https://127.0.0.1:${port}`
  const tls = { rejectUnauthorized: false }
  const insecure = (path: string, init?: RequestInit) =>
    fetch(url + path, { ...init, tls, keepalive: false } as RequestInit)
  await until(async () => (await insecure('/health').catch(() => undefined))?.status === 200)
  const body = JSON.stringify(admin)
  const token = await (await insecure('/api/login', { method: 'POST', body })).text()
  const status = async (path: string) => (await insecure(path, { headers: { 'x-auth': token } })).status

  copyFileSync(join(root, 'archive/key1.pem'), join(root, 'archive/key2.pem'))
  symlinkSync('../archive/key2.pem', join(root, 'live/next'))
  renameSync(join(root, 'live/next'), join(root, 'live/key.pem'))
  linkSync(join(root, 'archive/key2.pem'), join(root, 'hard.pem'))
  symlinkSync('live/key.pem', join(root, 'soft.pem'))
  // The server looks at most once a second what has been renewed.
  await until(async () => (await status('/api/raw/hard.pem')) === 404)
  for (const path of ['hard.pem', 'soft.pem', 'live/key.pem', 'archive/key2.pem'])
    expect([path, await status(`/api/raw/${path}`)]).toEqual([path, 404])
  writeFileSync(join(root, 'live/key.pem.old'), 'SECRET')
  symlinkSync('live/key.pem.old', join(root, 'old.pem'))
  expect(await status('/api/raw/old.pem')).toBe(404)
  // The replaced key is not used any more.
  expect(await status('/api/raw/archive/key1.pem')).toBe(200)
  expect(running.pid).toBeGreaterThan(0)
})

test('backups and exports in the served folder are not served', async () => {
  await using program = await startProgram({ cwd: 'root' })
  const made = ['backup.tar.gz', 'users.json', 'settings.yaml']
  for (const [index, words] of [['backup'], ['users', 'export'], ['config', 'export']].entries()) {
    const { code } = await run([...words, made[index] ?? '', '-d', program.database], { cwd: program.root })
    expect([words, code]).toEqual([words, 0])
  }
  expect(readdirSync(program.root).sort()).toEqual(made.toSorted())
  // The server looks at most once a second what has appeared.
  await until(async () => (await namesIn(program.ask, '/')).length === 0)
  expect(await namesIn(program.ask, '/')).toEqual([])
  for (const name of made) expect((await program.ask(`/api/raw/${name}`)).status).toBe(404)
  rmSync(join(program.root, 'users.json'))
  expect((await run(['backup', join(folder, 'again.tar.gz'), '-d', program.database])).code).toBe(0)
  expect(JSON.parse(readFileSync(`${program.database}.private`, 'utf8'))).toEqual([
    join(program.root, 'backup.tar.gz'),
    join(program.root, 'settings.yaml'),
    join(folder, 'again.tar.gz'),
  ])
})

describe('started without the option for the database', () => {
  const serveIn = async (cwd: string) => {
    const running = await serve([], { cwd })
    const end = () => {
      running.signal('SIGTERM')
      return running.ended
    }
    return { url: running.url, end }
  }
  const made = (name: string) => {
    const place = join(folder, name)
    mkdirSync(place)
    return place
  }
  const owned = async (file: string) => {
    await run(['config', 'init', '-d', file, '--disableExec=false', '--root', '/'])
    await run(['users', 'add', 'owned', 'Owned-pass-123', '--perm.admin', '-d', file])
  }
  const users = async (cwd: string) => (await run(['users', 'ls'], { cwd })).stdout

  test('the database is created outside of the served folder, every command finds it, and the start prints its path', async () => {
    const place = made('fresh')
    const first = await serveIn(place)
    expect(await run(['users', 'add', 'mallory', 'Mallory-pass-1'], { cwd: place })).toMatchObject({ code: 0 })
    const { stdout, stderr } = await first.end()
    const [, file = ''] = /\n {2}database (.*)\n/.exec(stdout) ?? []
    expect(file).toStartWith(join(stateFolder, 'fresh-'))
    expect([stderr, readdirSync(place)]).toEqual(['', []])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await users(place)).toContain('mallory')
    expect((await run(['config', 'cat'], { cwd: place })).stderr).toContain(`Using database: ${file}\n`)
    expect((await run(['backup', join(folder, 'fresh.tar.gz')], { cwd: place })).code).toBe(0)
  })

  test.each([
    ['filebrowser.db', 'ours'],
    ['filestead.db', 'ours'],
    ['filebrowser.db', 'of File Browser'],
  ])('%s (%s) put into the folder does not become the database', async (name, kind) => {
    const place = made(`planted-${name}-${kind.length}`)
    const evil = join(folder, `evil-${name}-${kind.length}`)
    if (kind === 'ours') await owned(evil)
    else copyFileSync(sample.database, evil)
    const first = await serveIn(place)
    expect((await run(['users', 'add', 'mallory', 'Mallory-pass-1'], { cwd: place })).code).toBe(0)
    const ask = askAs(first.url, await signIn(first.url, { username: 'mallory', password: 'Mallory-pass-1' }))
    const uploaded = await ask(`/api/resources/${name}`, { method: 'POST', body: readFileSync(evil) })
    expect([uploaded.status, existsSync(join(place, name))]).toEqual([403, false])
    await first.end()

    // Nor when it came by another way.
    copyFileSync(evil, join(place, name))
    const second = await serveIn(place)
    expect(await signIn(second.url, { username: 'mallory', password: 'Mallory-pass-1' })).not.toBe('')
    const { stderr } = await second.end()
    expect(stderr).toContain(`${join(place, name)} is not used`)
    expect(await users(place)).not.toContain('owned')
  })

  test('an installation of an earlier version continues with ./filestead.db beside any other file', async () => {
    const place = made('earlier')
    await initialise(join(place, 'filestead.db'))
    const evil = join(place, 'filebrowser.db')
    await owned(evil)
    const one = await serveIn(place)
    expect(await signIn(one.url, admin)).not.toBe('')
    expect((await one.end()).stderr).toContain(`${evil} is not used`)
    for (const suffix of ['', '-wal', '-shm']) rmSync(evil + suffix, { force: true })
    copyFileSync(sample.database, evil)
    const two = await serveIn(place)
    expect(await signIn(two.url, admin)).not.toBe('')
    const { stderr } = await two.end()
    expect(stderr).toContain(`${evil} is not used`)
    expect(stderr).toContain('is inside the served folder')
  })

  test('a database that was not named is refused, and works when it is named', async () => {
    const place = made('unnamed')
    await initialise(join(place, 'filebrowser.db'))
    for (const words of [
      ['-p', '0'],
      ['users', 'ls'],
      ['config', 'init'],
      ['backup', 'x.tar.gz'],
    ]) {
      const { code, stderr } = await run(words, { cwd: place })
      expect([words, code, stderr]).toEqual([words, 1, expect.stringContaining('-d ')])
    }
    expect((await run(['users', 'ls', '-d', 'filebrowser.db'], { cwd: place })).stdout).toContain('admin')
  })
})
