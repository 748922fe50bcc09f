import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Errno } from '../linux/errno.ts'
import { type Kernel, linuxKernel } from '../linux/kernel.ts'
import { makeFolder, removeFolders } from '../testing/disk.fixture.ts'
import { recordingKernel } from '../testing/recording.fixture.ts'
import { type GrowingFile, growingFile } from './growing.ts'

afterAll(removeFolders)

const linux = linuxKernel()
const megabyte = 1 << 20

/** A file that holds `before`, so many bytes of which are safe, and grows through the given kernel. */
async function grow(kernel: Kernel, before = '', safe = 0) {
  const path = join(await makeFolder(), 'file')
  writeFileSync(path, before)
  const fd = openSync(path, 'r+')
  return { file: growingFile(kernel, fd, before.length, safe), path, [Symbol.dispose]: () => closeSync(fd) }
}

async function* piecesFrom(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces
}

test('thousands of small pieces, empty ones among them, arrive in order', async () => {
  using growing = await grow(linux, 'before ')
  const words = Array.from({ length: 5000 }, (_, index) => (index % 7 === 0 ? '' : `word ${index} `))
  await growing.file.receive(piecesFrom(words.map((word) => Buffer.from(word))))
  const text = `before ${words.join('')}`
  expect(readFileSync(growing.path, 'utf8')).toBe(text)
  expect(growing.file.size).toBe(text.length)
})

test('large pieces arrive whole, though writes overlap with what comes after', async () => {
  using growing = await grow(linux)
  const pieces = Array.from({ length: 80 }, (_, index) => new Uint8Array(megabyte + index).fill(index))
  const expected = createHash('sha256')
  for (const piece of pieces) expected.update(piece)
  await growing.file.receive(piecesFrom(pieces))
  expect(createHash('sha256').update(readFileSync(growing.path)).digest('hex')).toBe(expected.digest('hex'))
})

test('the memory of a large piece is given back when it is written, but not what shares its buffer', async () => {
  using growing = await grow(linux)
  const [whole, shared] = [new Uint8Array(megabyte).fill(1), new Uint8Array(megabyte).fill(2)]
  const part = shared.subarray(1)
  await growing.file.receive(piecesFrom([whole, part]))
  expect([whole.length, shared.length, part.length]).toEqual([0, megabyte, megabyte - 1])
  expect(statSync(growing.path).size).toBe(2 * megabyte - 1)
})

test('what comes during a slow write is in the file before more comes', async () => {
  const slow: Kernel = {
    ...linux,
    async write(...args) {
      await Bun.sleep(50)
      return linux.write(...args)
    },
  }
  using growing = await grow(slow)
  const first = new Uint8Array(megabyte)
  async function* pieces() {
    yield first
    yield Buffer.from('a little more')
    while (statSync(growing.path).size < megabyte + 13) await Bun.sleep(1)
  }
  await growing.file.receive(pieces())
  expect(growing.file.size).toBe(megabyte + 13)
})

test('what a slow sender has sent is in the file before more comes', async () => {
  using growing = await grow(linux)
  const seen: string[] = []
  async function* slowly() {
    for (const word of ['one ', 'two ']) {
      yield Buffer.from(word)
      for (let tries = 0; tries < 100 && !readFileSync(growing.path, 'utf8').endsWith(word); tries += 1)
        await Bun.sleep(10)
      seen.push(readFileSync(growing.path, 'utf8'))
    }
  }
  await growing.file.receive(slowly())
  expect(seen).toEqual(['one ', 'one two '])
})

test('the disk is at work on a large file while it still arrives', async () => {
  const calls: [keyof Kernel, unknown][] = []
  using growing = await grow(recordingKernel(linux, calls))
  await growing.file.receive(piecesFrom(Array.from({ length: 100 }, () => new Uint8Array(megabyte))))
  const names = calls.map(([name]) => name)
  expect(names).toContain('sync')
  expect(names.indexOf('sync')).toBeLessThan(names.lastIndexOf('write'))
})

test('a sender that breaks off leaves what it sent, and no write under way', async () => {
  let underWay = 0
  const slow: Kernel = {
    ...linux,
    async write(...args) {
      underWay += 1
      await Bun.sleep(20)
      await linux.write(...args)
      underWay -= 1
    },
  }
  using growing = await grow(slow)
  async function* breaking() {
    yield new Uint8Array(megabyte / 2).fill(1)
    yield Buffer.from('the last word')
    throw new Error('the connection broke')
  }
  await expect(growing.file.receive(breaking())).rejects.toThrow('the connection broke')
  expect(underWay).toBe(0)
  expect(readFileSync(growing.path, 'latin1').endsWith('the last word')).toBe(true)
  expect(growing.file.size).toBe(megabyte / 2 + 13)
})

test('when the disk is full, the sender is stopped and what fitted stays', async () => {
  let writes = 0
  const full: Kernel = {
    ...linux,
    async write(fd, pieces, position) {
      writes += 1
      if (writes > 2) throw new Errno('ENOSPC', 'test')
      await linux.write(fd, pieces, position)
    },
  }
  using growing = await grow(full)
  let sent = 0
  async function* endlessly() {
    for (; sent < 1000; sent += 1) yield new Uint8Array(megabyte)
  }
  await expect(growing.file.receive(endlessly())).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(sent).toBeLessThan(10)
  expect(writes).toBe(3)
  expect(growing.file.size).toBe(statSync(growing.path).size)
  expect(growing.file.size).toBeGreaterThan(0)
})

test.each([
  ['while more arrives', 0],
  ['after a part was safe', 1],
])('bytes that the disk failed to keep are cut off, %s', async (_, succeeding) => {
  let syncs = 0
  const first = Promise.withResolvers<void>()
  const failing: Kernel = {
    ...linux,
    async sync() {
      syncs += 1
      if (syncs === 1) first.resolve()
      if (syncs > succeeding) throw new Errno('EIO', 'test')
      // Without the disk, whose speed would decide how many bytes arrive meanwhile.
    },
  }
  using growing = await grow(failing, 'before', 6)
  async function* much() {
    for (let sent = 0; sent < 150; sent += 1) {
      // Enough for the first sync beside the writes, which is over before more is sent.
      if (sent === 40) await first.promise
      yield new Uint8Array(megabyte).fill(7)
    }
  }
  await expect(growing.file.receive(much())).rejects.toMatchObject({ code: 'EIO' })
  const { size } = statSync(growing.path)
  expect(growing.file.size).toBe(size)
  if (succeeding === 0) expect(size).toBe(6)
  else expect(size > 32 * megabyte && size < 150 * megabyte).toBe(true)
  // No hole where a write landed behind the cut.
  expect(readFileSync(growing.path).subarray(6).indexOf(0)).toBe(-1)
})

test('what cannot be made safe at the end is not counted', async () => {
  using growing = await grow({ ...linux, sync: failingOnce(linux.sync) }, 'before', 6)
  await growing.file.receive(piecesFrom([Buffer.from(' after')]))
  expect(growing.file.size).toBe(12)
  await expect(growing.file.secure()).rejects.toMatchObject({ code: 'EIO' })
  expect([growing.file.size, readFileSync(growing.path, 'utf8')]).toEqual([6, 'before'])
})

test.each([
  ['at its end', async () => {}],
  ['when more comes', (file: GrowingFile) => file.receive(piecesFrom([Buffer.from(' after')]))],
])('what was there before is not taken for safe: the disk may fail to keep it, too, %s', async (_, goOn) => {
  using growing = await grow({ ...linux, sync: failingOnce(linux.sync) }, 'before')
  const ending = goOn(growing.file).then(() => growing.file.secure())
  await expect(ending).rejects.toMatchObject({ code: 'EIO' })
  expect([growing.file.size, statSync(growing.path).size]).toEqual([0, 0])
})

test('what could not even be cut off is not taken for safe afterwards', async () => {
  const kernel = { ...linux, sync: failingOnce(linux.sync), truncate: failingOnce(linux.truncate) }
  using growing = await grow(kernel)
  const much = piecesFrom(Array.from({ length: 40 }, () => new Uint8Array(megabyte)))
  await expect(growing.file.receive(much)).rejects.toMatchObject({ code: 'EIO' })
  await growing.file.secure()
  expect([growing.file.size, statSync(growing.path).size]).toEqual([0, 0])
})

function failingOnce<Args extends unknown[]>(call: (...args: Args) => Promise<void>, failing = 1) {
  let calls = 0
  return async (...args: Args) => {
    calls += 1
    if (calls === failing) throw new Errno('EIO', 'test')
    await call(...args)
  }
}
