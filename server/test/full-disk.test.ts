import { Database as Sqlite } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { draftsBelow } from './disk.ts'
import { freePort } from './free-port.ts'
import { admin, askAs, askAt, initialise, launch, signIn, until } from './process.ts'
import { type Ask, password, startServer, type TestServer } from './server.ts'

const disk = mkdtempSync(join(tmpdir(), 'filestead-full-'))
const databaseDisk = mkdtempSync(join(tmpdir(), 'filestead-full-'))
const refusal = mount(disk, '4m') || mount(databaseDisk, '1m')
const why = refusal && ` (skipped, because no small disk can be mounted: ${refusal})`

afterAll(() => {
  for (const folder of [disk, databaseDisk]) {
    Bun.spawnSync(['umount', folder], { stderr: 'ignore' })
    rmdirSync(folder)
  }
})

describe.if(!refusal)(`On a full disk${why}`, () => {
  let server: TestServer
  let ann: Ask
  beforeAll(async () => {
    server = await startServer({ root: disk })
    await server.addUser('ann')
    ann = await server.as('ann')
  })
  beforeEach(() => {
    for (const name of ['new', 'copy.bin', 'copies', 'second.bin'])
      rmSync(join(disk, name), { recursive: true, force: true })
    writeFileSync(join(disk, 'old.bin'), old)
    writeFileSync(join(disk, 'ballast.bin'), ballast)
  })
  afterAll(() => server.stop())

  const old = Buffer.alloc(600_000, 'the old content ')
  const fresh = Buffer.alloc(2_000_000, 'the new content ')
  const ballast = Buffer.alloc(2_600_000, 'what fills the disk ')
  const chunked = () => new Blob([fresh]).stream()

  test.each([
    ['a save', 'PUT', '/old.bin', 'old.bin'],
    ['an upload over an old file', 'POST', '/old.bin?override=true', 'old.bin'],
    ['an upload of a new file in new folders', 'POST', '/new/folder/file.bin', 'new/folder/file.bin'],
  ])('%s is refused with 507 and changes nothing; with space it works', async (_what, method, path, file) => {
    for (const body of [fresh, chunked()]) {
      const before = contents()
      const refused = await ann(`/api/resources${path}`, { method, body })
      expect(refused.status).toBe(507)
      expect(contents()).toEqual(before)
    }
    rmSync(join(disk, 'ballast.bin'))
    const accepted = await ann(`/api/resources${path}`, { method, body: fresh })
    expect(accepted.status).toBe(200)
    expect(readFileSync(join(disk, file)).equals(fresh)).toBe(true)
  })

  test('a save of a file with a second hard link is refused with 507 and changes nothing; with space it works', async () => {
    linkSync(join(disk, 'old.bin'), join(disk, 'second.bin'))
    const before = contents()
    expect((await ann('/api/resources/old.bin', { method: 'PUT', body: fresh })).status).toBe(507)
    expect(contents()).toEqual(before)
    // Enough for the draft, not for the file as well.
    writeFileSync(join(disk, 'ballast.bin'), ballast.subarray(0, 1_000_000))
    const smaller = contents()
    expect((await ann('/api/resources/old.bin', { method: 'PUT', body: fresh })).status).toBe(507)
    expect(contents()).toEqual(smaller)

    rmSync(join(disk, 'ballast.bin'))
    expect((await ann('/api/resources/old.bin', { method: 'PUT', body: fresh.subarray(0, 1_500_000) })).status).toBe(
      200,
    )
    expect(readFileSync(join(disk, 'second.bin')).equals(fresh.subarray(0, 1_500_000))).toBe(true)
  })

  test.each([
    ['a file', 'ballast.bin', 'copy.bin'],
    ['a file into new folders', 'ballast.bin', 'copies/of/it.bin'],
    ['a file over another', 'ballast.bin', 'old.bin'],
  ])('a copy of %s is refused with 507 and changes nothing; with space it works', async (_what, from, to) => {
    const copying = () =>
      ann(`/api/resources/${from}?action=copy&override=true&destination=/${encodeURIComponent(to)}`, {
        method: 'PATCH',
      })
    const before = contents()
    expect((await copying()).status).toBe(507)
    expect(contents()).toEqual(before)
    writeFileSync(join(disk, from), ballast.subarray(0, 900_000))
    expect((await copying()).status).toBe(200)
    expect(readFileSync(join(disk, to)).equals(ballast.subarray(0, 900_000))).toBe(true)
  })

  test('a copy of a folder is refused with 507 and changes nothing', async () => {
    rmSync(join(disk, 'ballast.bin'))
    await ann('/api/resources/new/', { method: 'POST' })
    for (const name of ['a', 'b', 'c']) writeFileSync(join(disk, 'new', name), ballast.subarray(0, 800_000))
    const before = contents()
    const copied = await ann('/api/resources/new?action=copy&destination=/copies', { method: 'PATCH' })
    expect(copied.status).toBe(507)
    expect(contents()).toEqual(before)
  })

  test('listing, reading and deleting of files and folders work', async () => {
    mkdirSync(join(disk, 'new'))
    writeFileSync(join(disk, 'new/in.txt'), 'in')
    await ann('/api/resources/new/file.bin', { method: 'POST', body: fresh })
    expect((await ann('/api/resources/')).status).toBe(200)
    expect(Buffer.from(await (await ann('/api/raw/old.bin')).arrayBuffer()).equals(old)).toBe(true)
    for (const name of ['old.bin', 'new']) {
      expect((await ann(`/api/resources/${name}`, { method: 'DELETE' })).status).toBe(204)
      expect(existsSync(join(disk, name))).toBe(false)
    }
  })

  /** Also how much is taken: space that was claimed and not given back is in no file. */
  function contents(): Record<string, unknown> {
    const { blocks, bfree } = statfsSync(disk)
    const files = ['old.bin', 'ballast.bin'].map((name) => [
      name,
      existsSync(join(disk, name)) && Bun.hash(readFileSync(join(disk, name))).toString(),
    ])
    const made = ['new/folder', 'copy.bin', 'copies'].filter((name) => existsSync(join(disk, name)))
    return { ...Object.fromEntries(files), made, drafts: draftsBelow(disk), taken: blocks - bfree }
  }
})

describe.if(!refusal)(`With a database on a full disk${why}`, () => {
  let server: TestServer
  let ann: Ask
  let link: string
  beforeEach(async () => {
    rmSync(join(databaseDisk, 'ballast'), { force: true })
    server = await startServer({ database: join(databaseDisk, 'filestead.db') })
    await server.addUser('ann')
    ann = await server.as('ann')
    server.put({ 'note.txt': 'version 0', 'box/in.txt': 'in', 'lone.txt': 'alone', 'shared/in.txt': 'shared' })
    link = await share('/shared')
    await share('/lone.txt')
  })
  afterEach(async () => {
    await server.stop()
    for (const name of readdirSync(databaseDisk)) rmSync(join(databaseDisk, name), { recursive: true })
  })

  const share = async (path: string): Promise<string> =>
    ((await (await ann(`/api/share${path}`, { method: 'POST', body: '{}' })).json()) as { hash: string }).hash
  const logIn = (secret = password) =>
    server.ask('/api/login', { method: 'POST', body: JSON.stringify({ username: 'ann', password: secret }) })

  test('list, read, delete, shares and sign-in work, at once and hours later', async () => {
    fillUpWholly()
    for (const later of [0, 61, 3600, 3600]) {
      server.clock.now += later
      server.put({ 'box/in.txt': 'in', 'lone.txt': 'alone' })
      const statuses = {
        list: (await ann('/api/resources/')).status,
        read: await (await ann('/api/raw/note.txt')).text(),
        file: (await ann('/api/resources/lone.txt', { method: 'DELETE' })).status,
        folder: (await ann('/api/resources/box', { method: 'DELETE' })).status,
        shares: (await ann('/api/shares')).status,
        link: await (await server.ask(`/api/public/dl/${link}/in.txt`)).text(),
        renewed: (await ann('/api/renew', { method: 'POST' })).status,
        wrong: (await logIn('wrong')).status,
        save: (await ann('/api/resources/note.txt', { method: 'PUT', body: 'version 1' })).status,
      }
      expect(statuses).toEqual({
        ...{ list: 200, read: 'version 0', file: 204, folder: 204, shares: 200, link: 'shared' },
        ...{ renewed: 200, wrong: 403, save: 507 },
      })
      expect([existsSync(join(server.root, 'box')), existsSync(join(server.root, 'lone.txt'))]).toEqual([false, false])
      expect(draftsBelow(server.root)).toEqual([])

      const fresh = await (await logIn()).text()
      const as = (path: string, init = {}) => server.ask(path, { ...init, headers: { 'x-auth': fresh } })
      expect((await as('/api/resources/')).status).toBe(200)
      const sessions = (await (await as('/api/sessions')).json()) as { current: boolean }[]
      expect(sessions.filter(({ current }) => current)).toHaveLength(1)
      expect((await as('/api/logout', { method: 'POST' })).status).toBe(200)
      expect((await as('/api/resources/')).status).toBe(401)
      ann = await server.as('ann')
    }
  })

  test('the share of a deleted file shows nothing, even when another file takes its name', async () => {
    fillUpWholly()
    expect((await ann('/api/resources/shared', { method: 'DELETE' })).status).toBe(204)
    server.put({ 'shared/in.txt': 'PRIVATE' })
    expect((await server.ask(`/api/public/dl/${link}/in.txt`)).status).toBe(404)
  })

  test('wrong passwords are counted', async () => {
    fillUpWholly()
    for (let tries = 0; tries < 10; tries += 1) expect((await logIn(`wrong ${tries}`)).status).toBe(403)
    expect((await logIn()).status).toBe(429)
  })

  test('a session started meanwhile is stored when there is space, and ends with a change of the password', async () => {
    await server.addUser('boss', { isAdmin: true })
    const boss = await server.as('boss')
    const { id } = ((await (await boss('/api/users')).json()) as { id: number; username: string }[]).find(
      ({ username }) => username === 'ann',
    ) as { id: number }
    fillUpWholly()
    const [kept, ended] = [await server.as('ann'), await server.as('ann')]
    const changing = () =>
      boss(`/api/users/${id}`, {
        method: 'PUT',
        body: JSON.stringify({
          what: 'user',
          which: ['password'],
          current_password: password,
          data: { id, password: 'another horse battery' },
        }),
      })
    expect((await changing()).status).toBe(507)
    expect((await kept('/api/resources/')).status).toBe(200)

    rmSync(join(databaseDisk, 'ballast'))
    server.clock.now += 60
    expect((await kept('/api/resources/')).status).toBe(200)
    await sessionsWritten()
    expect((await kept('/api/resources/')).status).toBe(200)
    expect((await changing()).status).toBe(200)
    for (const token of [kept, ended]) expect((await token('/api/resources/')).status).toBe(401)
  })

  /** Until what was kept in memory stands in the database: the first session, and the two that came on the full disk. */
  async function sessionsWritten(): Promise<void> {
    const count = async () => (await server.app.deps.db.selectFrom('session').selectAll().execute()).length
    await until(async () => (await count()) === 4)
    expect(await count()).toBe(4)
  }

  test('/health answers 503 with the reason, and 200 when there is space', async () => {
    expect(await healthOnce(200)).toEqual({ status: 'OK' })
    fillUpWholly()
    expect(await healthOnce(503)).toEqual({ status: 'Unavailable', reason: 'The disk of the database is full' })
    rmSync(join(databaseDisk, 'ballast'))
    expect(await healthOnce(200)).toEqual({ status: 'OK' })
  })

  async function healthOnce(status: number): Promise<unknown> {
    const asked = async () => {
      const response = await server.ask('/health')
      return { status: response.status, body: await response.json() }
    }
    await until(async () => (await asked()).status === status)
    const answer = await asked()
    expect(answer.status).toBe(status)
    return answer.body
  }

  test('a save is complete or refused with 507, and reading works for longer than a minute', async () => {
    fillUpWholly()
    const statuses = new Set<number>()
    for (let round = 1; round <= 40; round += 1) {
      const before = server.file('note.txt')
      const { status } = await ann('/api/resources/note.txt', { method: 'PUT', body: `version ${round}` })
      statuses.add(status)
      expect(server.file('note.txt')).toBe(status === 200 ? `version ${round}` : before)
      // A session whose last use is older than a minute is written again.
      server.clock.now += 61
      expect((await ann('/api/raw/note.txt')).status).toBe(200)
    }
    expect([...statuses].filter((status) => status !== 200)).toEqual([507])
    expect(draftsBelow(server.root)).toEqual([])

    rmSync(join(databaseDisk, 'ballast'))
    expect((await ann('/api/resources/note.txt', { method: 'PUT', body: 'the last' })).status).toBe(200)
  })
})

test.if(!refusal)(`with files and database on one full disk, deleting frees space${why}`, async () => {
  const root = join(databaseDisk, 'root')
  for (const folder of ['', 'box', 'box/deep']) mkdirSync(join(root, folder))
  for (const name of ['file.txt', 'box/in.txt', 'box/deep/in.txt']) writeFileSync(join(root, name), 'in')
  try {
    await using server = await startServer({ root, database: join(databaseDisk, 'filestead.db') })
    await server.addUser('ann')
    const ann = await server.as('ann')
    /** A session whose last use is older than a minute is written again. */
    const later: Ask = (path, init) => {
      server.clock.now += 61
      return ann(path, init)
    }
    fillUpWholly(root)
    const save = () => later('/api/resources/file.txt', { method: 'PUT', body: 'x'.repeat(20_000) })
    expect((await save()).status).toBe(507)
    expect((await later('/api/resources/')).status).toBe(200)
    expect(await (await later('/api/raw/box/deep/in.txt')).text()).toBe('in')
    expect((await later('/api/resources/box', { method: 'DELETE' })).status).toBe(204)
    expect((await later('/api/resources/ballast', { method: 'DELETE' })).status).toBe(204)
    expect(readdirSync(root)).toEqual(['file.txt'])
    expect((await save()).status).toBe(200)
  } finally {
    for (const name of readdirSync(databaseDisk)) rmSync(join(databaseDisk, name), { recursive: true })
  }
})

describe.if(!refusal)(`A server started with a database that cannot be written${why}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-full-'))
  const database = join(databaseDisk, 'started.db')
  afterAll(() => {
    rmSync(folder, { recursive: true })
    for (const name of readdirSync(databaseDisk)) rmSync(join(databaseDisk, name), { recursive: true })
  })

  test('answers, signs users in and deletes their files on a full disk', async () => {
    await initialise(database)
    const sqlite = new Sqlite(database)
    const columns = 'id, user_id, location, place, length, override, may_rewind, expires_at'
    sqlite.run(`insert into upload (${columns}) values ('1', 1, '/gone', '/gone', 5, 0, 0, 1)`)
    const ofShare = 'hash, user_id, location, expires_at, password_hash, change_id'
    sqlite.run(`insert into share (${ofShare}) values ('hash', 1, '/gone', 0, '', 'a change')`)
    sqlite.close()
    fillUp(databaseDisk)
    mkdirSync(join(folder, 'box'))

    await using program = await started()
    expect((await program.ask('/api/resources/')).status).toBe(200)
    expect((await program.ask('/api/resources/box', { method: 'DELETE' })).status).toBe(204)
    expect((await program.ask('/api/public/dl/hash')).status).toBe(404)
    expect(existsSync(join(folder, 'box'))).toBe(false)

    rmSync(join(databaseDisk, 'ballast'))
    expect((await program.ask('/api/resources/new.txt', { method: 'POST', body: 'new' })).status).toBe(200)
    program.signal('SIGTERM')
    await program.ended
  })

  test('answers, signs users in and deletes their files on a read-only disk', async () => {
    remount('ro')
    try {
      mkdirSync(join(folder, 'box'))
      await using program = await started()
      expect((await program.ask('/api/resources/')).status).toBe(200)
      expect((await program.ask('/api/resources/box', { method: 'DELETE' })).status).toBe(204)
      expect((await program.ask('/api/resources/new.txt', { method: 'PUT', body: 'newer' })).status).toBe(503)
      expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('new')
    } finally {
      remount('rw')
    }
  })

  const remount = (how: 'ro' | 'rw') =>
    expect(Bun.spawnSync(['mount', '-o', `remount,${how}`, databaseDisk]).exitCode).toBe(0)

  async function started() {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const running = launch(['-d', database, '-r', folder, '-a', '127.0.0.1', '-p', String(port)])
    return { ...running, ask: askAs(url, await signInOnce(url)) }
  }

  /** /health tells that the disk is full; that it answers is all there is to wait for. */
  async function signInOnce(url: string): Promise<string> {
    const isAnswering = () =>
      askAt(url, '/health').then(
        () => true,
        () => false,
      )
    await until(isAnswering)
    return signIn(url, admin)
  }
})

/** What stands in the way of mounting a disk of that size; nothing when it is there. */
function mount(folder: string, size: string): string {
  const { exitCode, stderr } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
  return exitCode === 0 ? '' : stderr.toString().trim() || 'mount failed'
}

/** Also the room that pages of the database would leave which were written before. */
function fillUpWholly(folder = databaseDisk): void {
  const other = new Sqlite(join(databaseDisk, 'filestead.db'))
  other.run('pragma wal_checkpoint(truncate)')
  other.close()
  fillUp(folder)
}

function fillUp(folder: string): void {
  const page = Buffer.alloc(4096)
  try {
    for (;;) writeFileSync(join(folder, 'ballast'), page, { flag: 'a' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
