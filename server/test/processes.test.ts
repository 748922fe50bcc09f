import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makePair, nameShown } from './certificates.ts'
import { draftsBelow, scratchFolder } from './disk.ts'
import { freePort } from './free-port.ts'
import { headOf } from './line.ts'
import { admin, askAs, askAt, hasGroup, launch, run, serve, signIn, startProgram, until } from './process.ts'
import { lineTo, servingOf, untilServing } from './serving-processes.ts'
import { pieceType, tusOf } from './tus.ts'

setDefaultTimeout(90_000)

const folder = scratchFolder('processes')
const two = ['--processes', '2']

function place(name: string): { root: string; database: string } {
  const root = join(folder, name, 'root')
  mkdirSync(root, { recursive: true })
  return { root, database: join(folder, name, 'filestead.db') }
}

const linesIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

/** One request on a connection to this process. */
async function askProcess(url: string, pid: number, head: string, body: string | Uint8Array = ''): Promise<string> {
  const line = await lineTo(url, pid, head)
  if (body.length > 0) await line.send(body)
  return (await line.received).toString('latin1')
}

const once = (token: string) => ({ 'x-auth': token, connection: 'close' })

test('a first start of several processes tells everything once, and a stop waits for all of them', async () => {
  const { root, database } = place('first')
  await using running = await serve(['-d', database, '-r', root, ...two])
  const pids = await untilServing(running.url, running.pid, 2)
  for (const pid of pids)
    expect(await askProcess(running.url, pid, headOf('GET', '/health', { connection: 'close' }))).toContain(' 200 OK')
  expect(running.stdout().match(/randomly generated password/g)).toHaveLength(1)
  expect(running.stdout().match(/Filestead is serving/g)).toHaveLength(1)
  const password = /randomly generated password: (\S+)/.exec(running.stdout())?.[1] ?? ''
  const token = await signIn(running.url, { username: 'admin', password })

  // A request of each process that is under way is answered before its process ends.
  const content = randomBytes(400_000)
  const head = (at: number) =>
    headOf('POST', `/api/resources/${at}.bin`, { ...once(token), 'content-length': content.length })
  const lines = await Promise.all(pids.map((pid, at) => lineTo(running.url, pid, head(at))))
  for (const line of lines) await line.send(content.subarray(0, 200_000))
  await until(() => draftsBelow(root).length === 2)
  process.kill(running.pid, 'SIGTERM')
  await until(() => linesIn(running.stdout()).some(({ event }) => event === 'stop'))
  for (const line of lines) await line.send(content.subarray(200_000))
  expect(await Promise.all(lines.map(({ status }) => status))).toEqual([200, 200])
  const { code, stderr } = await running.ended
  expect([code, stderr]).toEqual([0, ''])
  expect(hasGroup(running.pid)).toBe(false)
  expect(linesIn(running.stdout()).filter(({ event }) => event === 'start' || event === 'stop')).toMatchObject([
    { event: 'start', processes: 2, pid: running.pid },
    { event: 'stop', signal: 'SIGTERM' },
  ])
  for (const at of [0, 1]) expect(readFileSync(join(root, `${at}.bin`)).equals(content)).toBe(true)
})

test('what cannot be served is refused once, before anything is made', async () => {
  const { root, database } = place('refused')
  const { root: other, database: otherDatabase } = place('in-use')
  await using first = await serve(['-d', otherDatabase, '-r', other, ...two])
  const port = new URL(first.url).port
  const args = ['-d', database, '-r', root, '-a', '127.0.0.1', ...two]
  const taken = await run([...args, '-p', port])
  expect([taken.code, taken.stderr.match(/the port is in use/g)?.length]).toEqual([1, 1])
  const socket = await run(['-d', database, '-r', root, '--socket', join(folder, 'socket'), ...two])
  expect([socket.code, socket.stderr]).toEqual([1, expect.stringContaining('cannot share a unix socket')])
  const log = await run([...args, '-p', '0', '--log', root])
  expect([log.code, log.stderr.match(/Cannot write the log/g)?.length]).toEqual([1, 1])
  expect(() => statSync(database)).toThrow()
})

test('a process that is killed is replaced, its upload goes on at another one, and its numbers stay', async () => {
  const metrics = `127.0.0.1:${await freePort()}`
  await using program = await startProgram({ flags: [...two, '--metrics', metrics] })
  const [first = 0, second = 0] = await untilServing(program.url, program.pid, 2)
  const total = async (name: string) => {
    const text = await (await askAt(`http://${metrics}`, '/metrics')).text()
    const samples = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (.+)$`, 'gm'))]
    return samples.reduce((sum, [, value]) => sum + Number(value), 0)
  }
  const before = await total('filestead_requests_total')
  const health = headOf('GET', '/health', { connection: 'close' })
  for (const pid of [first, first, second]) await askProcess(program.url, pid, health)
  expect(await total('filestead_requests_total')).toBe(before + 3)

  const content = randomBytes(3_000_000)
  const tus = tusOf(program.ask)
  expect((await tus.create('/passed.bin', content.length)).status).toBe(201)
  const headers = { 'x-auth': program.token, 'upload-offset': 0, 'content-type': pieceType }
  const patch = headOf('PATCH', '/api/tus/passed.bin', { ...headers, 'content-length': content.length })
  const line = await lineTo(program.url, first, patch)
  await line.send(content.subarray(0, 2_000_000))
  await until(() => draftsBelow(program.root).some((draft) => statSync(join(program.root, draft)).size > 500_000))
  const counted = await total('filestead_requests_total')
  process.kill(first, 'SIGKILL')
  line.close()
  await until(() => !servingOf(program.pid).includes(first))
  const offset = Number(await tus.offset('/passed.bin'))
  expect(offset).toBeGreaterThan(500_000)
  expect((await tus.append('/passed.bin', offset, content.subarray(offset))).status).toBe(204)
  expect(readFileSync(join(program.root, 'passed.bin')).equals(content)).toBe(true)

  const replaced = await untilServing(program.url, program.pid, 2)
  expect(replaced).toContain(second)
  expect(await total('filestead_requests_total')).toBeGreaterThanOrEqual(counted)
  expect(await total('filestead_processes')).toBe(2)
  process.kill(program.pid, 'SIGTERM')
  const { code, stdout } = await program.terminate()
  expect(code).toBe(0)
  expect(linesIn(stdout).filter(({ event }) => event === 'process-end')).toMatchObject([
    { pid: first, signal: 'SIGKILL' },
  ])
})

test('with the parent all processes end, and the next start goes on with what had arrived', async () => {
  await using program = await startProgram({ flags: two })
  const pids = await untilServing(program.url, program.pid, 2)
  const tus = tusOf(program.ask)
  expect((await tus.create('/half.bin', 6)).status).toBe(201)
  expect((await tus.append('/half.bin', 0, 'abc')).status).toBe(204)
  process.kill(program.pid, 'SIGKILL')
  await until(() => pids.every((pid) => !isThere(pid)))
  await program.start()
  expect(await tus.offset('/half.bin')).toBe(3)
  expect((await tus.append('/half.bin', 3, 'def')).status).toBe(204)
  expect(readFileSync(join(program.root, 'half.bin'), 'utf8')).toBe('abcdef')
})

function isThere(pid: number): boolean {
  try {
    // A zombie has no command line.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
  } catch {
    return false
  }
}

test('what one process knows counts for all: wrong passwords, finished uploads, ended sessions', async () => {
  await using program = await startProgram({ flags: two })
  const pids = await untilServing(program.url, program.pid, 2)
  const [first = 0, second = 0] = pids
  const { url, token } = program

  // An answer that did not come is asked for at another process.
  const tus = tusOf(program.ask)
  expect((await tus.create('/done.txt', 4)).status).toBe(201)
  const patch = { ...once(token), 'upload-offset': 0, 'content-type': pieceType, 'content-length': 4 }
  expect(await askProcess(url, first, headOf('PATCH', '/api/tus/done.txt', patch), 'done')).toContain(' 204 ')
  for (const pid of pids)
    expect(await askProcess(url, pid, headOf('HEAD', '/api/tus/done.txt', once(token)))).toMatch(/upload-offset: 4\r/i)

  const other = await signIn(url, admin)
  for (const pid of pids)
    expect(await askProcess(url, pid, headOf('GET', '/api/resources/', once(other)))).toContain(' 200 ')
  expect(await askProcess(url, first, headOf('POST', '/api/logout', { ...once(other), 'content-length': 0 }))).toMatch(
    / 20\d /,
  )
  expect(await askProcess(url, second, headOf('GET', '/api/resources/', once(other)))).toContain(' 401 ')

  const wrong = JSON.stringify({ ...admin, password: 'wrong' })
  const guess = (pid: number) =>
    askProcess(url, pid, headOf('POST', '/api/login', { connection: 'close', 'content-length': wrong.length }), wrong)
  for (let tries = 0; tries < 5; tries += 1) for (const pid of pids) expect(await guess(pid)).not.toContain(' 429 ')
  for (const pid of pids) expect(await guess(pid)).toContain(' 429 ')
})

test('nothing that was acknowledged is lost, and no line torn, while processes are killed', async () => {
  await using program = await startProgram({ flags: [...two, '--accessLog'] })
  await untilServing(program.url, program.pid, 2)
  const ask = askAs(program.url, program.token)
  const acknowledged = new Map<string, Buffer>()
  const name = (at: number) => `/${'n'.repeat(150)}-${at}.bin`
  const send = async (at: number) => {
    const content = randomBytes(1 + 997 * at)
    for (;;) {
      const answer = await ask(`/api/resources${name(at)}?override=true`, { method: 'POST', body: content }).catch(
        () => undefined,
      )
      if (answer?.status === 200) return acknowledged.set(name(at), content)
    }
  }
  const senders = Array.from({ length: 6 }, async (_, sender) => {
    for (let at = sender; at < 120; at += 6) await send(at)
  })
  for (const goal of [30, 60]) {
    await until(() => acknowledged.size >= goal, 60_000)
    const [victim = 0] = servingOf(program.pid)
    process.kill(victim, 'SIGKILL')
    await until(() => !servingOf(program.pid).includes(victim))
  }
  await Promise.all(senders)
  for (const [path, content] of acknowledged) expect(readFileSync(join(program.root, path)).equals(content)).toBe(true)
  await untilServing(program.url, program.pid, 2)
  await until(() => draftsBelow(program.root).length === 0)
  process.kill(program.pid, 'SIGTERM')
  const { code, stdout } = await program.terminate()
  expect(code).toBe(0)
  // Each of them is parsed: a torn one would fail.
  const logged = linesIn(stdout)
  expect(logged.filter(({ event }) => event === 'process-end')).toHaveLength(2)
  expect(stdout.split('\n').filter((line) => line.includes('"level"') && !line.startsWith('{'))).toEqual([])
})

test.if(Bun.which('openssl') !== null)(
  'all processes serve by TLS, and take a renewed certificate at SIGHUP',
  async () => {
    const { root, database } = place('tls')
    const port = await freePort()
    const [old, renewed] = [makePair(join(folder, 'tls'), 'old'), makePair(join(folder, 'tls'), 'renewed')]
    const args = ['-d', database, '-r', root, '-a', '127.0.0.1', '-p', String(port), '-t', old.cert, '-k', old.key]
    await using running = launch([...args, ...two])
    await untilServing(`https://127.0.0.1:${port}`, running.pid, 2)
    expect(await nameShown(port)).toBe('old')
    for (const part of ['cert', 'key'] as const) copyFileSync(renewed[part], old[part])
    process.kill(running.pid, 'SIGHUP')
    const isRenewed = async () => {
      const shown = await Promise.all(Array.from({ length: 20 }, () => nameShown(port).catch(() => '')))
      return shown.every((name) => name === 'renewed')
    }
    await until(isRenewed)
  },
)
