import { expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, cpSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scratchFolder } from './disk.ts'
import { freePort } from './free-port.ts'
import { launch, run, until } from './process.ts'

setDefaultTimeout(120_000)

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

test('the launcher runs the bundle of the server, and the sources where one is newer or where there is no bundle', async () => {
  const cwd = clone('bundle')
  const place = (name: string, content: string, seconds: number) => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), content)
    utimesSync(join(cwd, name), seconds, seconds)
  }
  const age = (...names: string[]) => {
    for (const name of names) utimesSync(join(cwd, name), 1000, 1000)
  }
  for (const system of ['linux', 'darwin'])
    for (const processor of ['x64', 'aarch64', 'x64-musl', 'aarch64-musl']) {
      const runtime = `node_modules/@oven/bun-${system}-${processor}/bin/bun`
      place(runtime, '#!/bin/sh\nfor word; do case $word in *main*) echo "$word";; esac; done\n', 1000)
      chmodSync(join(cwd, runtime), 0o755)
    }
  place('web/dist/index.html', '', 1000)
  place('server/src/main.ts', '', 1000)
  place('contract/src/index.ts', '', 1000)
  const started = async () => {
    const { stdout } = await run([join(cwd, 'bin/filestead')], { command: '/bin/sh' })
    return stdout.trim().slice(cwd.length + 1)
  }
  expect(await started()).toBe('server/src/main.ts')
  place('server/dist/.built-from', '', 2000)
  age('server/src', 'contract/src', 'package.json', 'package-lock.json')
  expect(await started()).toBe('server/dist/main.mjs')
  place('contract/src/index.ts', '', 3000)
  expect(await started()).toBe('server/src/main.ts')
  place('contract/src/index.ts', '', 1000)
  expect(await started()).toBe('server/dist/main.mjs')
  // A file that is gone has changed its folder.
  utimesSync(join(cwd, 'server/src'), 3000, 3000)
  expect(await started()).toBe('server/src/main.ts')
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
