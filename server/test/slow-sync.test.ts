import { expect, test } from 'bun:test'
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linuxKernel } from '../src/storage/linux/kernel.ts'
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
  120_000,
)

test.if(strace !== null && isSyncedAsAWhole(tmpdir()))(
  'while the sync of a copied folder takes seconds, other changes of the same disk are made',
  async () => {
    await using program = await startProgram()
    mkdirSync(join(program.root, 'many'))
    for (let count = 0; count < 20; count += 1) writeFileSync(join(program.root, 'many', `${count}.txt`), 'a')
    const copy = (to: string) =>
      program
        .ask(`/api/resources/many?action=copy&destination=/${to}`, { method: 'PATCH' })
        .then(({ status }) => status)
    // The thread for such calls has started by then.
    expect(await copy('first')).toBe(200)
    const delay = `inject=syncfs:delay_enter=${seconds}s`
    const tracer = Bun.spawn([strace ?? '', '-f', '-p', String(program.pid), '-e', 'trace=syncfs', '-e', delay], {
      stderr: 'pipe',
    })
    let said = ''
    const reading = (async () => {
      for await (const piece of tracer.stderr) said += new TextDecoder().decode(piece)
    })()
    await until(() => said.includes('attached'), 10_000)
    let isCopied = false
    const copying = copy('second').finally(() => {
      isCopied = true
    })
    await until(() => said.includes('syncfs('), 10_000)
    for (let count = 0; count < 5; count += 1) {
      const { status } = await program.ask(`/api/resources/${count}.txt`, { method: 'POST', body: 'new' })
      expect(status).toBe(200)
    }
    expect([isCopied, existsSync(join(program.root, 'second'))]).toEqual([false, false])
    tracer.kill()
    await Promise.all([tracer.exited, reading])
    expect(await copying).toBe(200)
    expect(existsSync(join(program.root, 'second', '19.txt'))).toBe(true)
  },
  120_000,
)

function isSyncedAsAWhole(folder: string): boolean {
  const fd = openSync(folder, 'r')
  try {
    return linuxKernel().canSyncFileSystem(fd)
  } finally {
    closeSync(fd)
  }
}
