import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonIn, statusOf } from './answers.ts'
import { treeOf } from './disk.ts'
import { startServer } from './server.ts'
import { tusOf } from './tus.ts'

const server = await startServer({ disableExec: false })
await server.addUser('eve', { scope: '/users/eve', commands: ['pwd', 'touch'] })
const eve = await server.as('eve')
const eveToken = await server.signIn('eve')
afterAll(() => server.stop())

const outside = join(server.root, '../outside')
const at = (path: string) => join(server.root, path)
const secrets = { 'photo.png': 'CANARY', 'secret.txt': 'CANARY' }

beforeEach(() => {
  for (const folder of [server.root, outside]) rmSync(folder, { recursive: true, force: true })
  mkdirSync(outside)
  for (const [name, content] of Object.entries(secrets)) writeFileSync(join(outside, name), content)
  server.put({ 'users/eve/secret.txt': 'own', 'users/bob/x.txt': 'x' })
  server.link(outside, 'users/bob/ext')
})

/** Replaces the home of eve by a symlink that leads out of the root. */
function swapHome(): void {
  renameSync(at('users/eve'), at('users/eve-old'))
  renameSync(at('users/bob/ext'), at('users/eve'))
  expect(readFileSync(at('users/eve/secret.txt'), 'utf8')).toBe('CANARY')
}

test('a symlink in place of the folder of a user does not lead out of the root', async () => {
  swapHome()
  for (const path of [
    '/api/raw/secret.txt',
    '/api/raw/?files=secret.txt',
    '/api/resources/',
    '/api/resources/secret.txt',
    '/api/resources/?recursive=true',
    '/api/resources/secret.txt?checksum=md5',
    '/api/usage/',
    '/api/search/?query=secret',
    '/api/preview/thumb/photo.png',
  ]) {
    const answer = await eve(path)
    expect([path, answer.status]).toEqual([path, 403])
    expect(await answer.text()).not.toContain('CANARY')
  }
  const send = (method: string, path: string) => statusOf(eve(`/api/resources${path}`, { method, body: 'planted' }))
  expect(await send('POST', '/planted.txt')).toBe(403)
  expect(await send('POST', '/deep/planted.txt')).toBe(403)
  expect(await send('POST', '/folder/')).toBe(403)
  expect(await send('PUT', '/secret.txt')).toBe(403)
  expect(await send('DELETE', '/secret.txt')).toBe(403)
  expect(await send('PATCH', '/secret.txt?action=copy&destination=%2Fcopy.txt')).toBe(403)
  expect(await send('PATCH', '/secret.txt?action=rename&destination=%2Fcopy.txt')).toBe(403)
  expect(await statusOf(tusOf(eve).create('/planted.bin', 3))).toBe(403)
  expect(treeOf(outside)).toEqual(secrets)
})

test('a symlink in place of a folder above does not lead out of the root', async () => {
  mkdirSync(join(outside, 'eve'))
  writeFileSync(join(outside, 'eve/secret.txt'), 'CANARY')
  renameSync(at('users'), at('users-old'))
  symlinkSync(outside, at('users'))
  expect(await statusOf(eve('/api/raw/secret.txt'))).toBe(403)
  expect(await statusOf(eve('/api/resources/planted.txt', { method: 'POST', body: 'x' }))).toBe(403)
  expect(treeOf(outside)).toEqual({ ...secrets, 'eve/': '', 'eve/secret.txt': 'CANARY' })
})

test('an upload or a share from before the swap stays inside the root', async () => {
  const { hash } = await jsonIn<{ hash: string }>(eve('/api/share/secret.txt', { method: 'POST', body: '{}' }))
  const tus = tusOf(eve)
  expect(await statusOf(tus.create('/late.bin', 3))).toBe(201)
  swapHome()
  const shared = await server.ask(`/api/public/dl/${hash}`)
  expect([shared.status >= 400, (await shared.text()).includes('CANARY')]).toEqual([true, false])
  expect((await tus.append('/late.bin', 0, 'abc')).status).toBeGreaterThanOrEqual(400)
  await tus.cancel('/late.bin')
  expect(treeOf(outside)).toEqual(secrets)
})

/** What a command line of eve says, line by line. */
const command = (line: string) =>
  new Promise<string[]>((resolve, reject) => {
    const lines: string[] = []
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/command/`, {
      headers: { cookie: `auth=${eveToken}` },
    })
    socket.onopen = () => socket.send(line)
    socket.onmessage = ({ data }) => void lines.push(String(data))
    socket.onclose = () => resolve(lines)
    socket.onerror = () => reject(new Error('The socket failed'))
  })

test('a command runs in the folder of its user or not at all', async () => {
  expect(await command('pwd')).toContain(at('users/eve'))
  swapHome()
  expect(await command('touch planted')).toContain('Command not allowed.')
  expect(treeOf(outside)).toEqual(secrets)
})

test('a home may be behind a symlink that stays in the root', async () => {
  server.put({ 'box/in.txt': 'inside' })
  server.link('box', 'linked')
  await server.addUser('dora', { scope: '/linked/deeper' })
  expect(lstatSync(at('box/deeper')).isDirectory()).toBe(true)
  const dora = await server.as('dora')
  expect(await statusOf(dora('/api/resources/new.txt', { method: 'POST', body: 'new' }))).toBe(200)
  expect(server.file('box/deeper/new.txt')).toBe('new')

  server.link(outside, 'away')
  for (const scope of ['/away', '/away/deeper'])
    await expect(server.addUser('zoe', { scope })).rejects.toMatchObject({ code: 'invalid' })
  expect(treeOf(outside)).toEqual(secrets)
})

test('with followExternalSymlinks a home may be outside of the root', async () => {
  const trusting = await startServer({ followExternalSymlinks: true })
  try {
    const elsewhere = join(trusting.root, '../elsewhere')
    mkdirSync(elsewhere)
    trusting.link(elsewhere, 'home')
    await trusting.addUser('ann', { scope: '/home' })
    const ann = await trusting.as('ann')
    expect(await statusOf(ann('/api/resources/new.txt', { method: 'POST', body: 'new' }))).toBe(200)
    expect(existsSync(join(elsewhere, 'new.txt'))).toBe(true)
  } finally {
    await trusting.stop()
  }
})

test('a symlink out of the folder of a user tells nothing about pipes and devices behind it', async () => {
  Bun.spawnSync(['mkfifo', join(outside, 'pipe')])
  server.link(outside, 'users/eve/out')
  server.link('/dev', 'users/eve/dev')
  for (const path of ['/out/pipe', '/out/secret.txt', '/dev/null'])
    for (const method of ['GET', 'HEAD'])
      expect([path, await statusOf(eve(`/api/resources${path}`, { method }))]).toEqual([path, 403])
})
