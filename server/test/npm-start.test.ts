import { expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from './disk.ts'
import { freePort, launch, run, until } from './process.ts'

setDefaultTimeout(60_000)

const folder = scratchFolder('npm-start')
const repository = join(import.meta.dirname, '../..')

test.each(['start', 'build', 'test', 'prepare'])('%s.mjs says in one line that Node is too old', async (name) => {
  const pretence = join(folder, 'old-node.cjs')
  writeFileSync(
    pretence,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })`,
  )
  const { code, stdout, stderr } = await run(['--require', pretence, join(repository, `scripts/${name}.mjs`)], {
    command: 'node',
  })
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^Error: Filestead needs Node 20\.19 or newer, and \S+ is Node 18\.20\.4\. Install [^\n]+\n$/,
    ),
  })
})

/** A clone in which nothing has been installed. */
function clone(name: string): string {
  const path = join(folder, name)
  mkdirSync(path)
  for (const part of ['package.json', 'package-lock.json', '.npmrc', 'scripts', 'bin'])
    cpSync(join(repository, part), join(path, part), { recursive: true })
  return path
}

test('without a network the start says so and ends', async () => {
  const cwd = clone('offline')
  const registry = `http://127.0.0.1:${await freePort()}`
  const env = { HOME: folder, npm_config_cache: join(folder, 'npm-cache'), npm_config_registry: registry }
  const { code, stdout, stderr } = await run(['scripts/start.mjs'], { command: 'node', cwd, env })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  const [begun, error, ...rest] = stderr.trimEnd().split('\n')
  expect([begun, rest]).toEqual(['Installing packages …', []])
  expect(error).toStartWith(`Error: The packages cannot be downloaded: no answer from ${registry} (ECONNREFUSED). `)
})

test('the launcher of a clone that is not set up says that Node is missing', async () => {
  const cwd = clone('without-node')
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const name of ['dirname', 'readlink', 'uname']) cpSync(Bun.which(name) ?? '', join(bin, name))
  const { code, stderr } = await run([join(cwd, 'bin/filestead')], { command: '/bin/sh', env: { PATH: bin } })
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^Error: .* needs Node 20\.19 or newer with npm[^\n]+\n$/)])
})

test('a signal to npm reaches the start, and does not leave a server without a parent', async () => {
  const cwd = clone('signals')
  writeFileSync(
    join(cwd, 'scripts/start.mjs'),
    `process.on('SIGTERM', () => { console.log('ended'); process.exit(0) }); setTimeout(() => {}, 30_000); console.log('begun')`,
  )
  await using npm = launch(['start'], { command: 'npm', cwd, env: { HOME: folder } })
  await until(() => npm.stdout().includes('begun'))
  // To npm alone: `signal` would reach the whole group.
  process.kill(npm.pid, 'SIGTERM')
  expect((await npm.ended).stdout).toContain('ended')
})
