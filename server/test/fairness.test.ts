import { afterAll, expect, test } from 'bun:test'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { statusOf } from './answers.ts'
import { fillFolder } from './disk.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
const alice = await server.as('alice')
afterAll(() => server.stop())

const at = (path: string) => join(server.root, path)
const names = Array.from({ length: 50_000 }, (_, index) => `file ${index}.txt`)

/** Without holes, which would be copied in no time. */
function makeLarge(path: string, size: number): void {
  const fd = openSync(at(path), 'w')
  const piece = Buffer.alloc(1 << 20, 'x')
  for (let written = 0; written < size; written += piece.length) writeSync(fd, piece)
  closeSync(fd)
}

/** How many other requests are answered before some long work has ended. */
async function answeredDuring(work: Promise<number>): Promise<{ status: number; answered: number }> {
  let isDone = false
  const finished = work.finally(() => {
    isDone = true
  })
  let answered = 0
  while (!isDone) {
    await statusOf(server.ask('/health'))
    if (!isDone) answered += 1
  }
  return { status: await finished, answered }
}

fillFolder(at('huge'), names)
makeLarge('large.bin', 2 ** 28)

test.each([
  ['a huge folder is listed', 'GET', 'huge', 200],
  ['a huge folder is listed with all below it', 'GET', 'huge?recursive=true', 200],
  ['a checksum is computed', 'GET', 'large.bin?checksum=sha256', 200],
  ['a large file is copied', 'PATCH', 'large.bin?action=copy&destination=%2Fcopy.bin', 200],
  ['a huge folder is removed', 'DELETE', 'huge', 204],
])(
  'other requests are answered while %s',
  async (_what, method, path, expected) => {
    const { status, answered } = await answeredDuring(statusOf(alice(`/api/resources/${path}`, { method })))
    expect(status).toBe(expected)
    expect(answered).toBeGreaterThan(5)
  },
  30_000,
)

test('other requests are answered while many ask for large subtitles', async () => {
  const cues = Array.from({ length: 50_000 }, (_, index) => `${index}\n00:00:01,000 --> 00:00:02,000\nx\n`)
  server.put({ 'film.srt': cues.join('\n').slice(0, 2 * 1024 * 1024) })
  const asked = Array.from({ length: 10 }, () => statusOf(alice('/api/subtitle/film.srt')))
  const { status, answered } = await answeredDuring(Promise.all(asked).then((all) => Math.max(...all)))
  expect(status).toBe(200)
  // Parsed without pauses, ten files leave room for ten questions at most.
  expect(answered).toBeGreaterThan(20)
})

test('other requests are answered while nothing is found of all that was chosen', async () => {
  const body = new URLSearchParams(names.map((name): [string, string] => ['files', `none/${name}`]))
  const { status, answered } = await answeredDuring(statusOf(alice('/api/raw/?algo=tar', { method: 'POST', body })))
  expect(status).toBe(200)
  expect(answered).toBeGreaterThan(5)
})

test('a checksum that nobody waits for any more is given up', async () => {
  const signal = AbortSignal.timeout(50)
  await statusOf(alice('/api/resources/large.bin?checksum=sha512', { signal })).catch(() => {})
  const log = () => JSON.stringify(server.logged)
  for (let tries = 0; tries < 50 && !log().includes('/api/resources/large.bin'); tries += 1) await Bun.sleep(20)
  expect(log()).toContain('/api/resources/large.bin')
})
