import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { noteDraft } from './database.ts'
import { draftsBelow } from './disk.ts'
import { freePort } from './free-port.ts'
import { headOf, openLine } from './line.ts'
import { askAs, launch, launcher, type Program, type Running, startProgram, until, untilHealthy } from './process.ts'
import { pieceType, tusOf } from './tus.ts'

/** What a container has of its own: process ids, and a view of them. */
const container = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']
const { exitCode, stderr } = Bun.spawnSync([...container, 'true'])
const why = exitCode === 0 ? '' : ` (skipped, because there are no namespaces: ${stderr.toString().trim()})`

let program: Program
beforeAll(async () => {
  program = await startProgram()
}, 120_000)
afterAll(() => program?.end())

/** Starts another server over the same files and database, and waits until it has cleared the leftovers. */
async function startSecond(words: string[]): Promise<Running & { url: string }> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const args = ['-d', program.database, '-r', program.root, '-a', '127.0.0.1', '-p', String(port)]
  const [command = '', ...before] = [...words, launcher]
  // The draft of a dead node disappears when the clearing is done. Its name is new: another server may still have to
  // delete the row of the last one, whose file is gone.
  const left = join(program.root, `.filestead-draft-left-${port}`)
  writeFileSync(left, 'of a process that is gone')
  await noteDraft(program.database, left)
  const running = launch([...before, ...args], { command })
  await untilHealthy(url, running)
  await until(() => !existsSync(left))
  expect(existsSync(left)).toBe(false)
  return { ...running, url }
}

describe.each([
  ['beside it', [], ''],
  ['in another container', container, why],
])('A second server %s', (_, words, obstacle) => {
  test.if(obstacle === '')(
    `keeps the drafts and uploads of the first one${obstacle}`,
    async () => {
      const content = randomBytes(3_000_000)
      const line = await openLine(program.url)
      const length = { 'x-auth': program.token, 'content-length': content.length }
      await line.send(headOf('POST', '/api/resources/up.bin?override=true', length))
      await line.send(content.subarray(0, 2_000_000))
      const tus = tusOf(program.ask)
      expect((await tus.create('/kept.bin?override=true', 6)).status).toBe(201)
      expect((await tus.append('/kept.bin', 0, 'abc')).status).toBe(204)
      await until(() => draftsBelow(program.root).length === 2)

      await using _second = await startSecond(words)
      expect(draftsBelow(program.root)).toHaveLength(2)
      await line.send(content.subarray(2_000_000))
      expect(await line.status).toBe(200)
      line.close()
      expect(readFileSync(join(program.root, 'up.bin')).equals(content)).toBe(true)
      expect((await tus.append('/kept.bin', 3, 'def')).status).toBe(204)
      expect(readFileSync(join(program.root, 'kept.bin'), 'utf8')).toBe('abcdef')
      expect(draftsBelow(program.root)).toEqual([])
    },
    120_000,
  )
})

test('a suspended server keeps its drafts while a second one starts', async () => {
  await using first = await startSecond([])
  const content = randomBytes(2_000_000)
  const line = await openLine(first.url)
  const length = { 'x-auth': program.token, 'content-length': content.length }
  await line.send(headOf('POST', '/api/resources/stopped.bin?override=true', length))
  await line.send(content.subarray(0, 1_000_000))
  await until(() => draftsBelow(program.root).length === 1)
  first.signal('SIGSTOP')
  try {
    // The second server clears only the draft of the dead node.
    await using _second = await startSecond([])
    expect(draftsBelow(program.root)).toHaveLength(1)
  } finally {
    first.signal('SIGCONT')
  }
  await line.send(content.subarray(1_000_000))
  expect(await line.status).toBe(200)
  line.close()
  expect(readFileSync(join(program.root, 'stopped.bin')).equals(content)).toBe(true)
}, 120_000)

/** Begins an upload at a server, and a request that sends all of it; resolves when a part has arrived. */
async function sendPart(url: string, name: string, content: Buffer) {
  expect((await tusOf(askAs(url, program.token)).create(name, content.length)).status).toBe(201)
  const line = await openLine(url)
  const headers = { 'x-auth': program.token, 'upload-offset': 0, 'content-type': pieceType }
  await line.send(headOf('PATCH', `/api/tus${name}`, { ...headers, 'content-length': content.length }))
  await line.send(content.subarray(0, 2_000_000))
  await until(() => draftsBelow(program.root).some((draft) => statSync(join(program.root, draft)).size > 500_000))
  return line
}

test('two servers never write to one upload at the same time', async () => {
  await using second = await startSecond([])
  const content = randomBytes(3_000_000)
  const line = await sendPart(program.url, '/both.bin', content)
  const tus = tusOf(askAs(second.url, program.token))
  // Announced again, so that it may begin anew.
  expect((await tus.create('/both.bin', content.length)).status).toBe(201)
  expect((await tus.append('/both.bin', 0, 'other bytes')).status).toBe(423)
  await line.send(content.subarray(2_000_000))
  expect(await line.status).toBe(204)
  line.close()
  expect(readFileSync(join(program.root, 'both.bin')).equals(content)).toBe(true)
}, 120_000)

test('an upload that a killed server was receiving goes on at another one', async () => {
  await using second = await startSecond([])
  await using first = await startSecond([])
  const content = randomBytes(3_000_000)
  const line = await sendPart(first.url, '/passed.bin', content)
  first.signal('SIGKILL')
  await first.ended
  line.close()
  const tus = tusOf(askAs(second.url, program.token))
  const offset = Number(await tus.offset('/passed.bin'))
  expect(offset).toBeGreaterThan(500_000)
  expect((await tus.append('/passed.bin', offset, content.subarray(offset))).status).toBe(204)
  expect(readFileSync(join(program.root, 'passed.bin')).equals(content)).toBe(true)
}, 120_000)

test('a draft of a killed server is removed while its process is a zombie', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const args = ['-d', program.database, '-r', program.root, '-a', '127.0.0.1', '-p', String(port)]
  // The shell becomes a program that never waits for its child.
  const script = '"$@" & echo "pid $!"; exec sleep 1000'
  await using parent = launch(['-c', script, 'sh', launcher, ...args], { command: '/bin/sh' })
  await untilHealthy(url, parent)
  const pid = Number(/pid (\d+)/.exec(parent.stdout())?.[1])
  const line = await openLine(url)
  await line.send(headOf('POST', '/api/resources/cut.bin', { 'x-auth': program.token, 'content-length': 100_000 }))
  await line.send('half')
  await until(() => draftsBelow(program.root).length === 1)
  process.kill(pid, 'SIGKILL')
  await until(() => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')))
  expect(draftsBelow(program.root)).toHaveLength(1)

  await using _second = await startSecond([])
  await until(() => draftsBelow(program.root).length === 0)
  expect(draftsBelow(program.root)).toEqual([])
  expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /)
}, 120_000)
