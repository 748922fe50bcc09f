import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram, until } from './process.ts'

const strace = Bun.which('strace')
const seconds = 3

/** A disk whose first access takes a while. */
test.if(strace !== null)(
  'while one disk access takes seconds, other requests are answered',
  async () => {
    await using program = await startProgram()
    writeFileSync(join(program.root, 'a.txt'), 'a')
    const delay = `inject=openat2:delay_enter=${seconds}s:when=1`
    const tracer = Bun.spawn([strace ?? '', '-f', '-p', String(program.pid), '-e', 'trace=openat2', '-e', delay], {
      stderr: 'pipe',
    })
    let said = ''
    const reading = (async () => {
      for await (const piece of tracer.stderr) said += new TextDecoder().decode(piece)
    })()
    await until(() => said.includes('attached'))
    let isAnswered = false
    const slow = program.ask('/api/raw/a.txt').finally(() => {
      isAnswered = true
    })
    let answered = 0
    const end = performance.now() + (seconds * 1000) / 2
    while (performance.now() < end) {
      expect((await program.ask('/health')).status).toBe(200)
      answered += 1
    }
    expect(isAnswered).toBe(false)
    // With a blocked event loop it would be one or none.
    expect(answered).toBeGreaterThan(3)
    tracer.kill()
    await tracer.exited
    await reading
    expect(await (await slow).text()).toBe('a')
  },
  120_000,
)
