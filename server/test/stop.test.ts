import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { draftsBelow } from './disk.ts'
import { bodyIn, headOf, openLine } from './line.ts'
import { admin, askAt, hasGroup, launch, run, signIn, startProgram, until, untilHealthy } from './process.ts'
import { pieceType, tusOf } from './tus.ts'

test.concurrent('a running download is completed, new connections are refused, and then the server ends', async () => {
  await using program = await startProgram({ flags: ['--stopGrace', '10m'] })
  const large = Buffer.alloc(40 << 20, 'the content of a slow download ')
  writeFileSync(join(program.root, 'large.bin'), large)
  const line = await openLine(program.url)
  await line.send(headOf('GET', '/api/raw/large.bin', { 'x-auth': program.token }))
  expect(await line.status).toBe(200)
  line.socket.pause()

  const ending = program.terminate()
  await until(() => refused(program.url))
  expect(await refused(program.url)).toBe(true)
  expect(hasGroup(program.pid)).toBe(true)
  line.socket.resume()
  expect(bodyIn(await line.received).equals(large)).toBe(true)
  expect((await ending).code).toBe(0)
  expect(hasGroup(program.pid)).toBe(false)
}, 120_000)

/** More than the server reads before it writes. */
const half = 'half of an upload '.repeat(10_000)

test.concurrent('a running upload is completed before the server ends', async () => {
  await using program = await startProgram({ flags: ['--stopGrace', '10m'] })
  const line = await openLine(program.url)
  const headers = { 'x-auth': program.token, 'content-length': 2 * half.length, connection: 'close' }
  await line.send(headOf('POST', '/api/resources/upload.txt', headers))
  await line.send(half)
  await until(() => draftsBelow(program.root).length > 0)
  const ending = program.terminate()
  await until(() => refused(program.url))
  await line.send(half)
  expect(await line.status).toBe(200)
  const { code, stderr } = await ending
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(await Bun.file(join(program.root, 'upload.txt')).text()).toBe(half + half)
}, 120_000)

test.concurrent('an upload that does not finish is waited for during the grace period and leaves nothing', async () => {
  const grace = 2000
  await using program = await startProgram({ flags: ['--stopGrace', '2s'] })
  const line = await openLine(program.url)
  await line.send(
    headOf('POST', '/api/resources/folder/stalled.txt', { 'x-auth': program.token, 'content-length': 2 * half.length }),
  )
  await line.send(half)
  await until(() => draftsBelow(program.root).length > 0)
  const start = performance.now()
  const { code, stdout } = await program.terminate()
  const took = performance.now() - start
  expect(code).toBe(0)
  expect(took).toBeGreaterThan(grace - 200)
  expect(took).toBeLessThan(grace + 30_000)
  expect(stdout).toMatch(/"event":"start".*\n(.*\n)*.*"event":"stop","signal":"SIGTERM"/)
  await program.start()
  await until(() => draftsBelow(program.root).length === 0)
  expect(draftsBelow(program.root)).toEqual([])
  expect(readdirSync(program.root, { recursive: true }).filter((name) => String(name).endsWith('.txt'))).toEqual([])
}, 120_000)

test.concurrent('an upload in pieces that the stop interrupts can be resumed', async () => {
  await using program = await startProgram({ flags: ['--stopGrace', '1s'] })
  const tus = tusOf(program.ask)
  const content = Buffer.alloc(3 << 20, 'resumed after a stop ')
  expect((await tus.create('/resumed.bin', content.length)).status).toBe(201)
  const line = await openLine(program.url)
  const sent = 2 << 20
  await line.send(
    headOf('PATCH', '/api/tus/resumed.bin', {
      'x-auth': program.token,
      'content-type': pieceType,
      'upload-offset': 0,
      'content-length': content.length,
    }),
  )
  await line.send(content.subarray(0, sent))
  const size = () => Math.max(0, ...draftsBelow(program.root).map((name) => statSync(join(program.root, name)).size))
  await until(() => size() === sent)
  expect((await program.terminate()).code).toBe(0)
  await program.start()
  const offset = Number(await tus.offset('/resumed.bin'))
  expect(offset).toBe(sent)
  expect((await tus.append('/resumed.bin', offset, content.subarray(offset))).status).toBe(204)
  expect(readFileSync(join(program.root, 'resumed.bin')).equals(content)).toBe(true)
}, 120_000)

test.concurrent('a second SIGTERM ends the server at once', async () => {
  await using program = await startProgram({ flags: ['--stopGrace', '10m'] })
  const line = await openLine(program.url)
  await line.send(
    headOf('POST', '/api/resources/stalled.txt', { 'x-auth': program.token, 'content-length': 2 * half.length }),
  )
  await line.send(half)
  await until(() => draftsBelow(program.root).length > 0)
  program.signal('SIGTERM')
  await until(() => refused(program.url))
  await Bun.sleep(1100)
  expect((await program.terminate()).code).not.toBe(0)
}, 120_000)

test.concurrent('a signal that arrives twice, from the terminal and from npm, is one', async () => {
  await using program = await startProgram()
  program.signal('SIGINT')
  program.signal('SIGTERM')
  const { code, stdout } = await program.terminate('SIGINT')
  expect({ code, stops: stdout.match(/"event":"stop"/g)?.length }).toEqual({ code: 0, stops: 1 })
  expect(existsSync(`${program.database}-wal`)).toBe(false)
}, 120_000)

test.concurrent('a running command ends with the server, and its socket does not delay the end', async () => {
  await using program = await startProgram()
  await program.terminate()
  const args = ['-d', program.database, '-r', program.root, '-a', '127.0.0.1', '-p', new URL(program.url).port]
  await run(['users', 'update', 'admin', '--commands', 'sleep', '-d', program.database])
  await using server = launch([...args, '--disableExec=false', '--stopGrace', '10m'])
  await untilHealthy(program.url, server)
  const cookie = `auth=${await signIn(program.url, admin)}`
  const socket = new WebSocket(`${program.url.replace('http', 'ws')}/api/command/`, { headers: { cookie } })
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const seconds = String(100_000 + Math.floor(Math.random() * 100_000))
  socket.send(`sleep ${seconds}`)
  const isRunning = () => Bun.spawnSync(['pgrep', '-f', `sleep ${seconds}`]).exitCode === 0
  await until(isRunning)
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve))
  process.kill(server.pid, 'SIGTERM')
  expect((await closed).code).toBe(1001)
  expect((await server.ended).code).toBe(0)
  expect(isRunning()).toBe(false)
}, 120_000)

test.concurrent.each(['SIGTERM', 'SIGINT'] as const)(
  'an idle server with an open connection ends at once on %s',
  async (signal) => {
    await using program = await startProgram({ flags: ['--stopGrace', '10m'] })
    const idle = await openLine(program.url)
    await idle.send(headOf('GET', '/health', {}))
    expect(await idle.status).toBe(200)
    const { code, stderr } = await program.terminate(signal)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(hasGroup(program.pid)).toBe(false)
  },
  120_000,
)

const refused = (url: string): Promise<boolean> =>
  askAt(url, '/health').then(
    () => false,
    () => true,
  )
