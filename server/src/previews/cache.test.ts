import { afterAll, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheIn, cachePlaces, makeCacheFolder } from './cache.ts'
import { trimCache } from './cache-trim.ts'

const made: string[] = []
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-cache-'))
  made.push(folder)
  return folder
}

const keyOf = (name: string) => createHash('sha256').update(name).digest('hex')
const placeOf = (folder: string, key: string) => join(folder, key.slice(0, 1), key.slice(1, 3), key)
const files = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => statSync(join(folder, path)).isFile())

test('the cache reads what was written, and finds nothing under other keys', async () => {
  const cache = cacheIn(makeFolder(), 1e6)
  await cache.write(keyOf('a'), Buffer.from('picture'))
  expect(Buffer.from((await cache.read(keyOf('a'))) ?? []).toString()).toBe('picture')
  expect(await cache.read(keyOf('b'))).toBeUndefined()
})

test('the cache finds no picture that is damaged', async () => {
  const folder = makeFolder()
  const cache = cacheIn(folder, 1e6)
  await cache.write(keyOf('a'), Buffer.from('picture'))
  const place = placeOf(folder, keyOf('a'))
  const whole = readFileSync(place)
  for (const damaged of [whole.subarray(0, -1), whole.subarray(0, 4), Buffer.alloc(0), Buffer.alloc(whole.length)]) {
    writeFileSync(place, damaged)
    expect(await cache.read(keyOf('a'))).toBeUndefined()
  }
})

test('a picture that was read lately is kept in memory, up to a limit', async () => {
  const folder = makeFolder()
  const cache = cacheIn(folder, 1e9)
  const names = Array.from({ length: 50 }, (_, index) => String(index))
  for (const name of [...names, 'large'])
    await cache.write(keyOf(name), Buffer.alloc(name === 'large' ? 70_000 : 60_000, name))
  for (const name of [...names, 'large']) await cache.read(keyOf(name))
  rmSync(folder, { recursive: true })
  const kept = await Array.fromAsync(names, async (name) => [name, await cache.read(keyOf(name))] as const)
  const found = kept.filter(([, picture]) => picture !== undefined)
  expect(found.map(([name]) => name)).toEqual(names.slice(-34))
  for (const [name, picture] of found) expect(Buffer.alloc(60_000, name).equals(picture as Uint8Array)).toBe(true)
  expect(await cache.read(keyOf('large'))).toBeUndefined()
})

test('write to a folder that cannot be written does not fail', async () => {
  const cache = cacheIn('/proc/nothing', 1e6)
  await cache.write(keyOf('a'), Buffer.from('picture'))
  expect(await cache.read(keyOf('a'))).toBeUndefined()
  expect(makeCacheFolder('/proc/nothing')).toBeUndefined()
})

test('the cache stays below its limit', async () => {
  const folder = makeFolder()
  const cache = cacheIn(folder, 100_000)
  for (let at = 0; at < 200; at += 1) await cache.write(keyOf(String(at)), randomBytes(1000))
  const total = files(folder).reduce((sum, path) => sum + statSync(join(folder, path)).size, 0)
  expect(total).toBeLessThanOrEqual(106_000)
  expect(total).toBeGreaterThan(80_000)
  expect(await cache.read(keyOf('199'))).toBeDefined()
})

test('trimming keeps the pictures used last and files with other names', async () => {
  const folder = makeFolder()
  const cache = cacheIn(folder, 1e6)
  for (const name of ['old', 'older', 'used']) await cache.write(keyOf(name), Buffer.alloc(1000))
  for (const [name, seconds] of Object.entries({ old: 3000, older: 2000, used: 1000 }))
    utimesSync(placeOf(folder, keyOf(name)), seconds, seconds)
  mkdirSync(join(folder, 'a/bc'), { recursive: true })
  writeFileSync(join(folder, 'a/bc/mine.txt'), 'x'.repeat(5000))
  const draft = `${placeOf(folder, keyOf('old'))}.1-1.draft`
  writeFileSync(draft, 'x')
  utimesSync(draft, 1000, 1000)

  await trimCache(folder, 2500, [placeOf(folder, keyOf('used'))])
  const left = files(folder).map((path) => path.split('/').at(-1))
  expect(left.sort()).toEqual([keyOf('old'), keyOf('used'), 'mine.txt'].sort())
})

test('the cache is not served, but a served folder that holds it is', () => {
  const folder = makeFolder()
  expect(cachePlaces({ cacheDir: folder, root: '/srv' })).toEqual([folder])
  expect(cachePlaces({ cacheDir: folder, root: join(folder, 'files') })).toEqual([join(folder, 'previews')])
  expect(cachePlaces({ cacheDir: folder, root: folder })).toEqual([join(folder, 'previews')])
  expect(cachePlaces({ cacheDir: '', root: folder })).toEqual([])
  expect(statSync(join(folder, 'previews')).mode & 0o777).toBe(0o700)
})
