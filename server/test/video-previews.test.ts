import { afterAll, expect, spyOn, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { until } from './process.ts'
import { startServer } from './server.ts'

const ffmpeg = Bun.which('ffmpeg')
const server = await startServer()
afterAll(() => server.stop())
await server.addUser('alice')
await server.addUser('watcher', { lacks: ['download', 'share'] })
const alice = await server.as('alice')

/** A film of one colour. */
function makeFilm(name: string, seconds: number): void {
  const picture = `color=c=red:size=320x180:rate=10:duration=${seconds}`
  const made = Bun.spawnSync([ffmpeg ?? '', '-y', '-f', 'lavfi', '-i', picture, join(server.root, name)])
  expect(made.exitCode).toBe(0)
}

test.if(ffmpeg !== null).each([
  ['film.mp4', 3],
  ['film.mkv', 3],
  ['film.webm', 3],
  ['film.avi', 3],
  ['short.mp4', 0.5],
])(
  '%s (%p s) has a still image as its preview',
  async (name, seconds) => {
    makeFilm(name, seconds)
    const response = await alice(`/api/preview/thumb/${name}?inline=true`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/jpeg')
    const { width, height } = await sharp(await response.arrayBuffer()).metadata()
    expect([width, height]).toEqual([256, 256])
  },
  120_000,
)

test.if(ffmpeg !== null)('a playlist named like a video makes ffmpeg read no other file', async () => {
  server.put({
    'secret.txt': 'SECRET',
    'list.mp4': `#EXTM3U\n#EXTINF:1,\nfile://${server.root}/secret.txt\n`,
    'junk.mkv': 'junk',
  })
  for (const name of ['list.mp4', 'junk.mkv']) {
    const response = await alice(`/api/preview/thumb/${name}`)
    expect(response.status).toBe(501)
    expect(await response.text()).not.toContain('SECRET')
  }
})

test.if(ffmpeg !== null)('a video with frames over the pixel limit has no preview', async () => {
  const frame = ['-f', 'lavfi', '-i', 'color=c=red:size=7000x7000:rate=1:duration=1']
  const made = Bun.spawnSync([ffmpeg ?? '', '-y', ...frame, '-c:v', 'png', join(server.root, 'giant.mkv')])
  expect(made.exitCode).toBe(0)
  expect((await alice('/api/preview/thumb/giant.mkv')).status).toBe(501)
})

test.if(ffmpeg !== null)('a video without an image is given to ffmpeg once, until it changes', async () => {
  const spawned = spyOn(Bun, 'spawn')
  try {
    server.put({ 'cut.mkv': Buffer.from('1a45dfa3934282886d6174726f736b61', 'hex') })
    expect((await alice('/api/preview/thumb/cut.mkv')).status).toBe(501)
    const first = spawned.mock.calls.length
    expect(first).toBeGreaterThan(0)
    expect((await alice('/api/preview/thumb/cut.mkv')).status).toBe(501)
    expect(spawned.mock.calls.length).toBe(first)
    server.put({ 'cut.mkv': Buffer.from('1a45dfa3934282886d6174726f736b6100', 'hex') })
    expect((await alice('/api/preview/thumb/cut.mkv')).status).toBe(501)
    expect(spawned.mock.calls.length).toBeGreaterThan(first)
  } finally {
    spawned.mockRestore()
  }
})

test.if(ffmpeg !== null)('ffmpeg ends when the client disconnects', async () => {
  makeFilm('left.mp4', 3)
  const spawn = Bun.spawn
  const started: number[] = []
  // Stopped at its start, it would never end by itself.
  const spawned = spyOn(Bun, 'spawn').mockImplementation(((...words: Parameters<typeof spawn>) => {
    const child = spawn(...words)
    started.push(child.pid)
    process.kill(child.pid, 'SIGSTOP')
    return child
  }) as typeof spawn)
  const isThere = (pid: number) => existsSync(`/proc/${pid}`)
  try {
    const left = new AbortController()
    const asked = alice('/api/preview/thumb/left.mp4', { signal: left.signal }).catch(() => 'gone')
    await until(() => started.length > 0)
    expect(started.filter(isThere)).toHaveLength(1)
    left.abort()
    expect(await asked).toBe('gone')
    await until(() => !started.some(isThere))
    expect(started.filter(isThere)).toEqual([])
  } finally {
    spawned.mockRestore()
  }
})

test('a preview of a video needs the permission to download', async () => {
  server.put({ 'any.mp4': 'x' })
  expect((await (await server.as('watcher'))('/api/preview/thumb/any.mp4')).status).toBe(202)
})
