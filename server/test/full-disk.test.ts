import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, linkSync, mkdtempSync, readFileSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { draftsBelow } from './disk.ts'
import { type Ask, startServer, type TestServer } from './server.ts'

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

  test('a save of a file with a second name is refused with 507 and changes nothing; with space it works', async () => {
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

  test('reading and removing go on', async () => {
    await ann('/api/resources/new/file.bin', { method: 'POST', body: fresh })
    expect((await ann('/api/resources/')).status).toBe(200)
    expect(Buffer.from(await (await ann('/api/raw/old.bin')).arrayBuffer()).equals(old)).toBe(true)
    expect((await ann('/api/resources/old.bin', { method: 'DELETE' })).status).toBe(204)
    expect(existsSync(join(disk, 'old.bin'))).toBe(false)
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
  beforeAll(async () => {
    server = await startServer({ database: join(databaseDisk, 'filestead.db') })
    await server.addUser('ann')
  })
  afterAll(() => server.stop())

  test('a change happens whole or is refused as a whole, and reading goes on', async () => {
    const ann = await server.as('ann')
    server.put({ 'note.txt': 'version 0' })
    fillUp(databaseDisk)
    const statuses = new Set<number>()
    for (let round = 1; round <= 40; round += 1) {
      const before = server.file('note.txt')
      const { status } = await ann('/api/resources/note.txt', { method: 'PUT', body: `version ${round}` })
      statuses.add(status)
      expect(server.file('note.txt')).toBe(status === 200 ? `version ${round}` : before)
      expect((await ann('/api/raw/note.txt')).status).toBe(200)
    }
    expect([...statuses].filter((status) => status !== 200)).toEqual([507])
    expect(draftsBelow(server.root)).toEqual([])

    rmSync(join(databaseDisk, 'ballast'))
    expect((await ann('/api/resources/note.txt', { method: 'PUT', body: 'the last' })).status).toBe(200)
  })
})

/** What stands in the way of mounting a disk of that size; nothing when it is there. */
function mount(folder: string, size: string): string {
  const { exitCode, stderr } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
  return exitCode === 0 ? '' : stderr.toString().trim() || 'mount failed'
}

function fillUp(folder: string): void {
  const page = Buffer.alloc(4096)
  try {
    for (;;) writeFileSync(join(folder, 'ballast'), page, { flag: 'a' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
