import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { runtimeCommand } from '../src/programs/confined.ts'
import { openBeneath } from '../src/storage/testing/open-files.fixture.ts'
import { until } from './process.ts'
import { type Ask, startServer, type TestServer } from './server.ts'

const fake = fileURLToPath(new URL('../src/previews/decoder/faulty-decoder.fixture.ts', import.meta.url))
const faulty = { argv: [...runtimeCommand, fake], timeLimit: 60_000, watchEvery: 10 }
const picture = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'red' } })
  .jpeg()
  .toBuffer()

/** An image that makes its decoder behave as the word in it says. */
const pictureWith = (word: string) => Buffer.concat([picture, Buffer.from(` ${word}`)])

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
const nameOf = (pid: number): string => readFileSync(`/proc/${pid}/comm`, 'utf8').trim()

async function serverWith(options: Parameters<typeof startServer>[0]): Promise<{ server: TestServer; alice: Ask }> {
  const server = await startServer(options)
  await server.addUser('alice')
  return { server, alice: await server.as('alice') }
}

const thumb = (ask: Ask, name: string, init?: RequestInit) => ask(`/api/preview/thumb/${name}`, init)
const statusOfThumb = async (ask: Ask, name: string) => (await thumb(ask, name)).status
/** The process that made the preview. */
const makerOf = async (ask: Ask, name: string) => (await thumb(ask, name)).text()

test.each(['crash', 'exits', 'junk_'])('a file that makes its decoder %s costs one preview', async (word) => {
  const { server, alice } = await serverWith({ decoders: faulty, cacheDir: '' })
  try {
    server.put({ 'bad.jpg': pictureWith(word), 'good.jpg': pictureWith('fine') })
    const [bad, good] = await Promise.all([thumb(alice, 'bad.jpg'), thumb(alice, 'good.jpg')])
    expect([bad.status, good.status]).toEqual([501, 200])
    // A file that ended a decoder is not given to the next one.
    const maker = await makerOf(alice, 'good.jpg')
    expect(await statusOfThumb(alice, 'bad.jpg')).toBe(501)
    expect(await makerOf(alice, 'good.jpg')).toBe(maker)
    // A new version of the file is.
    server.put({ 'bad.jpg': pictureWith(`mended by now, ${word.toUpperCase()}`) })
    expect(await statusOfThumb(alice, 'bad.jpg')).toBe(200)
  } finally {
    await server.stop()
  }
})

test('a decoder that hangs is killed at its time limit, and the others continue', async () => {
  const { server, alice } = await serverWith({ decoders: { ...faulty, timeLimit: 2000 }, cacheDir: '' })
  try {
    server.put({ 'bad.jpg': pictureWith('hangs'), 'good.jpg': pictureWith('fine') })
    const [bad, good] = await Promise.all([thumb(alice, 'bad.jpg'), thumb(alice, 'good.jpg')])
    expect([bad.status, good.status]).toEqual([501, 200])
  } finally {
    await server.stop()
  }
})

test('a decoder is killed at its memory limit', async () => {
  const memoryLimit = 256 << 20
  const { server, alice } = await serverWith({ decoders: { ...faulty, memoryLimit }, cacheDir: '' })
  try {
    server.put({ 'bad.jpg': pictureWith('grows'), 'good.jpg': pictureWith('fine') })
    expect(await statusOfThumb(alice, 'bad.jpg')).toBe(501)
    expect(await statusOfThumb(alice, 'good.jpg')).toBe(200)
  } finally {
    await server.stop()
  }
})

test('a decoder killed during its work is replaced, and the preview is made', async () => {
  const { server, alice } = await serverWith({ decoders: faulty, cacheDir: '' })
  try {
    server.put({ 'a.jpg': pictureWith('slow_') })
    const before = new Set(childrenOf(process.pid))
    const answer = makerOf(alice, 'a.jpg')
    const working = () => childrenOf(process.pid).find((pid) => !before.has(pid) && nameOf(pid) === 'slow')
    await until(() => working() !== undefined)
    const killed = working() ?? 0
    process.kill(killed, 'SIGKILL')
    expect(await answer).toMatch(/^\d+$/)
    expect(await answer).not.toBe(String(killed))
  } finally {
    await server.stop()
  }
})

test('a decoder program that does not start disables previews and nothing else', async () => {
  const decoders = { argv: ['/nowhere/decoder'], pauseAfterFailure: 60_000 }
  const { server, alice } = await serverWith({ decoders, cacheDir: '' })
  try {
    server.put({ 'a.jpg': picture })
    expect([await statusOfThumb(alice, 'a.jpg'), await statusOfThumb(alice, 'a.jpg')]).toEqual([501, 501])
    expect((await alice('/api/raw/a.jpg')).status).toBe(200)
  } finally {
    await server.stop()
  }
})

test('fifty waiting clients hold no files open and leave nothing behind when they disconnect', async () => {
  const { server, alice } = await serverWith({ decoders: faulty, cacheDir: '', imageProcessors: 1 })
  try {
    const names = Array.from({ length: 50 }, (_, count) => `${count}.jpg`)
    server.put(Object.fromEntries(names.map((name) => [name, pictureWith('slow_')])))
    server.put({ 'good.jpg': pictureWith('fine') })
    const before = new Set(childrenOf(process.pid))
    const left = new AbortController()
    const asked = names.map((name) => thumb(alice, name, { signal: left.signal }).catch(() => undefined))
    await until(() => childrenOf(process.pid).some((pid) => !before.has(pid) && nameOf(pid) === 'slow'))
    await until(() => openBeneath(server.root).length <= 1)
    left.abort()
    await Promise.all(asked)
    expect(await statusOfThumb(alice, 'good.jpg')).toBe(200)
    await until(() => openBeneath(server.root).length === 0)
    expect(childrenOf(process.pid).filter((pid) => !before.has(pid)).length).toBeLessThanOrEqual(1)
  } finally {
    await server.stop()
  }
})

test('an idle decoder ends after a while', async () => {
  const { server, alice } = await serverWith({ decoders: { idleTime: 50 }, cacheDir: '' })
  try {
    server.put({ 'a.jpg': picture })
    const before = new Set(childrenOf(process.pid))
    const others = () => childrenOf(process.pid).filter((pid) => !before.has(pid))
    expect(await statusOfThumb(alice, 'a.jpg')).toBe(200)
    await until(() => others().length === 0)
    expect(await statusOfThumb(alice, 'a.jpg')).toBe(200)
  } finally {
    await server.stop()
  }
})

test('a decoder has no descriptors, environment or privileges of the server', async () => {
  const { server, alice } = await serverWith({ cacheDir: '' })
  try {
    server.put({ 'a.jpg': picture })
    const before = new Set(childrenOf(process.pid))
    expect(await statusOfThumb(alice, 'a.jpg')).toBe(200)
    const [pid] = childrenOf(process.pid).filter((child) => !before.has(child))
    const open = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
    expect(open.filter((target) => /^\/(?!dev\/null|proc\/)/.test(target))).toEqual([])
    expect(open.filter((target) => target.startsWith('socket:')).length).toBeLessThanOrEqual(2)
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
    expect(environment.filter((line) => !/^(BUN|MALLOC)_/.test(line))).toEqual([])
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^NoNewPrivs:\s+1$/m)
  } finally {
    await server.stop()
  }
})

test('images that need much memory are decoded one at a time', async () => {
  const { server, alice } = await serverWith({ cacheDir: '' })
  try {
    // Read in passes, it has to be held as a whole: 69 MB.
    const large = sharp({ create: { width: 4800, height: 4800, channels: 3, background: 'red' } })
    const bytes = await large.png({ progressive: true, compressionLevel: 1 }).toBuffer()
    server.put({ 'a.png': bytes, 'b.png': Buffer.concat([bytes, Buffer.from('b')]) })
    expect(await Promise.all([statusOfThumb(alice, 'a.png'), statusOfThumb(alice, 'b.png')])).toEqual([200, 200])
  } finally {
    await server.stop()
  }
})

const isRoot = process.getuid?.() === 0
const volume = mkdtempSync(join(tmpdir(), 'filestead-full-cache-'))
let isMounted = false
beforeAll(() => {
  isMounted = isRoot && Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', volume]).exitCode === 0
})
afterAll(() => {
  if (isMounted) Bun.spawnSync(['umount', '-l', volume])
  rmSync(volume, { recursive: true, force: true })
})

test.if(isRoot)('previews are made while the disk of the cache is full', async () => {
  if (!isMounted) return
  const { server, alice } = await serverWith({ cacheDir: join(volume, 'cache') })
  try {
    server.put({ 'a.jpg': picture })
    expect(() => writeFileSync(join(volume, 'filler'), Buffer.alloc(1 << 20))).toThrow()
    for (let round = 0; round < 3; round += 1) expect(await statusOfThumb(alice, 'a.jpg')).toBe(200)
    // And kept again when there is room.
    rmSync(join(volume, 'filler'))
    expect(await statusOfThumb(alice, 'a.jpg')).toBe(200)
    const kept = () => readdirSync(join(volume, 'cache'), { recursive: true, encoding: 'utf8' })
    await until(() => kept().some((path) => /[0-9a-f]{64}$/.test(path)))
  } finally {
    await server.stop()
  }
})
