import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { admin, askAs, initialise, launch, launcher, type Running, signIn, untilHealthy } from './process.ts'
import type { Ask } from './server.ts'

const packages = join(import.meta.dirname, '../../node_modules')
const optional = ['bzip2-wasm', 'lz4-napi', 'lzma-native', 'snappy']
const folder = mkdtempSync(join(tmpdir(), 'filestead-libraries-'))

/** Covers the packages with empty folders in a mount namespace of the started program only. */
const hidden = `${optional.map((name) => `mount --bind "$1" "${packages}/${name}"`).join(' && ')} && shift && exec "$@"`
const command = (...words: string[]) => ['--mount', 'sh', '-c', hidden, 'sh', join(folder, 'empty'), ...words]
mkdirSync(join(folder, 'empty'))
mkdirSync(join(folder, 'root/box'), { recursive: true })
writeFileSync(join(folder, 'root/box/a.txt'), 'A')
const canHide = spawnSync('unshare', command('true')).status === 0

let running: Running | undefined
let ask: Ask

beforeAll(async () => {
  if (!canHide) return
  const database = join(folder, 'filestead.db')
  await initialise(database)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const flags = ['-d', database, '-r', join(folder, 'root'), '-a', '127.0.0.1', '-p', String(port)]
  running = launch(command(launcher, ...flags), { command: 'unshare' })
  await untilHealthy(url, running)
  ask = askAs(url, await signIn(url, admin))
})
afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

test.if(canHide).each([
  ['tarbz2', '.tar.bz2'],
  ['tarlz4', '.tar.lz4'],
  ['tarsz', '.tar.sz'],
  ['tarxz', '.tar.xz'],
])('%s is refused with a message when its library is missing', async (algo, suffix) => {
  for (const method of ['GET', 'HEAD', 'GET']) {
    const response = await ask(`/api/raw/box?algo=${algo}`, { method, headers: { accept: 'application/json' } })
    expect(response.status).toBe(501)
    if (method === 'GET')
      expect(await response.json()).toEqual({
        code: 'not-installed',
        message: `This server cannot make ${suffix}: the library for it is not installed`,
      })
  }
})

test.if(canHide).each(['zip', 'tar', 'targz', 'tarbr', 'tarzst'])('%s needs no optional library', async (algo) => {
  const response = await ask(`/api/raw/box?algo=${algo}`)
  expect([response.status, (await response.bytes()).length > 20]).toEqual([200, true])
})
