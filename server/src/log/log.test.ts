import { expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from './log.ts'

test('a disk that is full ends neither a request nor the server', async () => {
  const log = createLog('/dev/full')
  for (let lines = 0; lines < 3; lines += 1) log.error({ err: new Error('broken') }, 'a line')
  await log.flush()
})

test('a level leaves out what is below it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-log-'))
  const written = async (level: 'error' | 'info' | 'debug') => {
    const file = join(folder, level)
    const log = createLog(file, level)
    for (const name of ['error', 'warn', 'info', 'debug'] as const) log[name]({ event: name }, 'said')
    await log.flush()
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).level)
  }
  expect(await written('error')).toEqual(['error'])
  expect(await written('info')).toEqual(['error', 'warn', 'info'])
  expect(await written('debug')).toEqual(['error', 'warn', 'info', 'debug'])
  rmSync(folder, { recursive: true })
})

test('a name can neither send commands to a terminal nor break a line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-log-'))
  const file = join(folder, 'names')
  const user = 'a\u001b[31m\u007f\u0085\u009b31m\u2028\u202eb\u2066 ä👩‍💻\n'
  const log = createLog(file)
  log.info({ user }, 'said')
  await log.flush()
  const text = readFileSync(file, 'utf8')
  expect([JSON.parse(text).user, text.match(/[\p{Cc}\u2028-\u202e\u2066]/gu)]).toEqual([user, ['\n']])
  rmSync(folder, { recursive: true })
})

const script = (body: string) => `
  const { createLog } = await import(${JSON.stringify(join(import.meta.dir, 'log.ts'))})
  const log = createLog('stdout')
  ${body}`

test('lines that standard output does not take do no harm, and are not kept for ever', () => {
  const full = openSync('/dev/full', 'w')
  const { exitCode, stderr } = Bun.spawnSync(
    [
      process.execPath,
      '-e',
      script(`
        for (let lines = 0; lines < 100_000; lines += 1) log.warn({ text: 'x'.repeat(2000) }, 'a line')
        Bun.gc(true)
        process.exit(process.memoryUsage.rss() < 150_000_000 ? 0 : 3)`),
    ],
    { stdout: full, stderr: 'pipe' },
  )
  closeSync(full)
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
})

test('a pipe that is not read delays nothing, and does not keep the process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'filestead-log-'))
  Bun.spawnSync(['mkfifo', join(folder, 'pipe')])
  const unread = openSync(join(folder, 'pipe'), 'r+')
  const child = Bun.spawn(
    [
      process.execPath,
      '-e',
      script(`
        // More than a pipe holds: writing it in place would not come back.
        for (let lines = 0; lines < 1000; lines += 1) log.warn({ text: 'x'.repeat(2000) }, 'a line')
        await Bun.sleep(1500)
        process.stderr.write('alive')
        process.exit(0)`),
    ],
    { stdout: unread, stderr: 'pipe' },
  )
  expect(await new Response(child.stderr).text()).toBe('alive')
  expect(await child.exited).toBe(0)
  closeSync(unread)
  rmSync(folder, { recursive: true })
}, 20_000)

test('the last lines before the process ends are written', () => {
  const { stdout } = Bun.spawnSync([process.execPath, '-e', script(`log.info('the last'); process.exit(0)`)])
  expect(JSON.parse(stdout.toString()).msg).toBe('the last')
})
