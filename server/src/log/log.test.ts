import { expect, test } from 'bun:test'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from './log.ts'

test('a disk that is full ends neither a request nor the server', () => {
  const log = createLog('/dev/full')
  for (let lines = 0; lines < 3; lines += 1) log.error({ err: new Error('broken') }, 'a line')
})

test('lines that standard output does not take do no harm, and are not kept for ever', () => {
  const script = `
    const { createLog } = await import(${JSON.stringify(join(import.meta.dir, 'log.ts'))})
    const log = createLog('stdout')
    for (let lines = 0; lines < 100_000; lines += 1) log.warn({ text: 'x'.repeat(2000) }, 'a line')
    Bun.gc(true)
    process.exit(process.memoryUsage.rss() < 150_000_000 ? 0 : 3)`
  const full = openSync('/dev/full', 'w')
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, '-e', script], { stdout: full, stderr: 'pipe' })
  closeSync(full)
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
})
