import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram, until } from './process.ts'

const strace = Bun.which('strace')
const seconds = 4

test.if(strace !== null)(
  'while every fsync takes seconds, health checks and listings are answered',
  async () => {
    await using program = await startProgram()
    writeFileSync(join(program.root, 'a.txt'), 'a')
    expect((await program.ask('/api/resources/')).status).toBe(200)
    const delay = `inject=fsync,fdatasync:delay_enter=${seconds}s`
    const tracer = Bun.spawn(
      [strace ?? '', '-f', '-p', String(program.pid), '-e', 'trace=fsync,fdatasync', '-e', delay],
      {
        stderr: 'pipe',
      },
    )
    let said = ''
    const reading = (async () => {
      for await (const piece of tracer.stderr) said += new TextDecoder().decode(piece)
    })()
    await until(() => said.includes('attached'), 10_000)
    let saved = 0
    // More than the runtime has threads for the file system.
    const saving = Array.from({ length: 6 }, async (_, count) => {
      const { status } = await program.ask(`/api/resources/${count}.txt`, { method: 'POST', body: 'new' })
      saved += 1
      return status
    })
    await until(() => said.includes('sync('), 10_000)
    const end = performance.now() + (seconds * 1000) / 2
    let answered = 0
    while (performance.now() < end) {
      for (const path of ['/health', '/api/resources/']) expect((await program.ask(path)).status).toBe(200)
      answered += 1
    }
    // The health check looks anew every second, and would wait for the disk each time.
    expect(answered).toBeGreaterThan(3)
    expect(saved).toBe(0)
    tracer.kill()
    await Promise.all([tracer.exited, reading])
    expect(await Promise.all(saving)).toEqual(Array(6).fill(200))
  },
  60_000,
)
