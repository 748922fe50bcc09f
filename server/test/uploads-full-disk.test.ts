import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { draftsBelow } from './disk.ts'
import { startServer, type TestServer } from './server.ts'
import { tusOf } from './tus.ts'

const disk = mkdtempSync(join(tmpdir(), 'filestead-full-'))
const { exitCode, stderr } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk])
const why = exitCode === 0 ? '' : ` (skipped, because no small disk can be mounted: ${stderr.toString().trim()})`

afterAll(() => {
  Bun.spawnSync(['umount', disk], { stderr: 'ignore' })
  rmdirSync(disk)
})

describe.if(why === '')(`On a disk that fills up${why}`, () => {
  let server: TestServer
  let ann: ReturnType<typeof tusOf>
  const content = randomBytes(2_500_000)
  beforeAll(async () => {
    server = await startServer({ root: disk })
    await server.addUser('ann')
    ann = tusOf(await server.as('ann'))
  })
  beforeEach(() => writeFileSync(join(disk, 'old.bin'), 'the old content'))
  afterAll(() => server.stop())

  const ballast = join(disk, 'ballast.bin')

  test('an upload is refused with 507, keeps its bytes, and continues when there is space', async () => {
    expect((await ann.create('/old.bin?override=true', content.length)).status).toBe(201)
    expect((await ann.append('/old.bin', 0, content.subarray(0, 500_000))).status).toBe(204)
    writeFileSync(ballast, Buffer.alloc(2_800_000))
    expect((await ann.append('/old.bin', 500_000, content.subarray(500_000))).status).toBe(507)
    const offset = Number(await ann.offset('/old.bin'))
    expect(offset).toBeGreaterThanOrEqual(500_000)
    expect(readFileSync(join(disk, 'old.bin'), 'utf8')).toBe('the old content')

    rmSync(ballast)
    expect((await ann.append('/old.bin', offset, content.subarray(offset))).status).toBe(204)
    expect(readFileSync(join(disk, 'old.bin')).equals(content)).toBe(true)
    expect(draftsBelow(disk)).toEqual([])
  })

  test('an upload larger than the free space is refused at its creation', async () => {
    expect((await ann.create('/p/q/new.bin', 5_000_000)).status).toBe(507)
    expect((await ann.create('/old.bin?override=true', 5_000_000)).status).toBe(507)
    expect((await ann.create('/new.bin', 3_000_000)).status).toBe(201)
    expect((await ann.cancel('/new.bin')).status).toBe(204)
    expect(readFileSync(join(disk, 'old.bin'), 'utf8')).toBe('the old content')
    expect(draftsBelow(disk)).toEqual([])
  })
})
