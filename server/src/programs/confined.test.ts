import { afterAll, expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test/process.ts'
import { type Confinement, confinedCommand, runtimeEnvironment } from './confined.ts'
import { run } from './run.ts'
import { call } from './system.ts'

const hasLandlock = call('landlock_create_ruleset', 0, 0, 1) > 0
const folder = mkdtempSync(join(tmpdir(), 'filestead-confined-'))
afterAll(() => rmSync(folder, { recursive: true }))
const secret = join(folder, 'secret.txt')
writeFileSync(secret, 'SECRET')

const program = (argv: string[], confinement: Partial<Confinement> = {}, input?: number) => ({
  argv: confinedCommand([Bun.which(argv[0] ?? '') ?? '', ...argv.slice(1)], { environment: {}, ...confinement }),
  environment: runtimeEnvironment,
  timeLimit: 20_000,
  ...(input !== undefined && { input }),
})

const outputOf = async (...asked: Parameters<typeof program>): Promise<string> => String(await run(program(...asked)))
const fails = (...asked: Parameters<typeof program>): Promise<boolean> =>
  run(program(...asked)).then(
    () => false,
    () => true,
  )

test('a confined program has the environment it is given and nothing of the server', async () => {
  expect(await outputOf(['env'])).toBe('')
  expect(await outputOf(['env'], { environment: { A: 'b c' } })).toBe('A=b c\n')
})

test('a confined program has the standard descriptors and no other', async () => {
  const kept = openSync(secret, 'r')
  try {
    // The last one is that of the folder itself.
    expect((await outputOf(['ls', '/proc/self/fd'])).trim().split('\n')).toEqual(['0', '1', '2', '3'])
  } finally {
    closeSync(kept)
  }
})

test('a confined program cannot gain rights, has a lower priority, leaves no core dump and writes no file', async () => {
  const status = await outputOf(['cat', '/proc/self/status'])
  expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
  expect((await outputOf(['cat', '/proc/self/stat'])).split(' ')[18]).toBe('5')
  const limits = await outputOf(['cat', '/proc/self/limits'])
  expect(limits).toMatch(/Max core file size\s+0\s+0/)
  expect(limits).toMatch(/Max file size\s+0\s+0/)
  expect(await fails(['cp', '/proc/self/limits', join(folder, 'copy')])).toBe(true)
})

test('a confined program cannot allocate more than its limit', async () => {
  const allocate = ['dd', 'if=/proc/self/limits', 'bs=200M', 'count=1']
  expect(await fails(allocate, { memory: 400 << 20 })).toBe(false)
  expect(await fails(allocate, { memory: 64 << 20 })).toBe(true)
})

test.if(hasLandlock)('a confined program reads no file but the one it is given', async () => {
  expect(await fails(['cat', secret])).toBe(true)
  expect(await fails(['cat', '/etc/passwd'])).toBe(true)
  const input = openSync(secret, 'r')
  try {
    expect(await outputOf(['cat'], {}, input)).toBe('SECRET')
    expect(await fails(['cat', '/proc/self/fd/0'], {}, input)).toBe(true)
    expect(await outputOf(['cat', '/proc/self/fd/0'], { reopensInput: true }, input)).toBe('SECRET')
    expect(await fails(['cat', `/proc/${process.pid}/fd/${input}`], { reopensInput: true }, input)).toBe(true)
  } finally {
    closeSync(input)
  }
})

test('a confined program ends with the process that started it', async () => {
  const source = `
    import { confinedCommand, runtimeEnvironment } from ${JSON.stringify(join(import.meta.dirname, 'confined.ts'))}
    const argv = confinedCommand([${JSON.stringify(Bun.which('sleep'))}, '1000'], { environment: {} })
    const child = Bun.spawn(argv, { env: runtimeEnvironment, detached: true })
    console.log(child.pid)
    await child.exited`
  const script = join(folder, 'parent.ts')
  writeFileSync(script, source)
  const parent = Bun.spawn([process.execPath, script], { stdout: 'pipe' })
  const { value } = await parent.stdout.getReader().read()
  const pid = String(new TextDecoder().decode(value)).trim()
  const nameOf = () => (readdirSync('/proc').includes(pid) ? readFileSync(`/proc/${pid}/comm`, 'utf8').trim() : 'gone')
  await until(() => nameOf() === 'sleep')
  parent.kill('SIGKILL')
  await until(() => ['gone', ''].includes(nameOf()) || readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '))
})
