import { afterAll, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Grant, ShareLink } from '@filestead/contract'
import { jsonIn, statusOf } from './answers.ts'
import { type Ask, startServer } from './server.ts'

const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'filestead-around-')))
const photos = join(elsewhere, 'disk/photos')
mkdirSync(photos, { recursive: true })
const server = await startServer({ followExternalSymlinks: true, mount: `Photos=${photos}` } as never)
afterAll(async () => {
  await server.stop()
  rmSync(elsewhere, { recursive: true, force: true })
})
await server.addUser('admin', { isAdmin: true })
await server.addUser('bob', { scope: '/bob' })
await server.addUser('mike', { scope: '/mike' })
const [admin, bob, mike] = [await server.as('admin'), await server.as('bob'), await server.as('mike')]
const users = await jsonIn<{ id: number; username: string }[]>(admin('/api/users'))
const subjectOf = (name: string) => `user:${users.find(({ username }) => username === name)?.id}`
const everything = ['see', 'download', 'create', 'change', 'delete', 'share']

const grant = async (name: string, folder: string, rights: readonly string[]) => {
  const body = JSON.stringify({ subject: subjectOf(name), mount: 2, folder, rights })
  expect(await statusOf(admin('/api/grants', { method: 'POST', body }))).toBe(201)
}
const transfer = (action: 'copy' | 'rename', from: string, to: string, query = '') =>
  statusOf(
    bob(`/api/resources${from}?action=${action}&destination=${encodeURIComponent(to)}${query}`, { method: 'PATCH' }),
  )
const contentOf = async (ask: Ask, path: string) => {
  const response = await ask(`/api/raw${path}`)
  return response.status === 200 ? response.text() : response.status
}

beforeEach(async () => {
  for (const { id } of await jsonIn<Grant[]>(admin('/api/grants')))
    await admin(`/api/grants/${id}`, { method: 'DELETE' })
  for (const path of [join(server.root, 'bob'), join(elsewhere, 'disk/beside')])
    rmSync(path, { recursive: true, force: true })
  for (const name of ['secret', 'open', 'other']) rmSync(join(photos, name), { recursive: true, force: true })
  for (const folder of ['disk/photos/secret', 'disk/photos/open', 'disk/beside'])
    mkdirSync(join(elsewhere, folder), { recursive: true })
  writeFileSync(join(photos, 'secret/b.txt'), 'secret')
  writeFileSync(join(photos, 'open/a.txt'), 'open')
  writeFileSync(join(elsewhere, 'disk/beside/c.txt'), 'beside')
  writeFileSync(join(elsewhere, 'machine.txt'), 'of the machine')
  server.put({ 'bob/new/photos/secret/b.txt': 'changed', 'bob/new/d.txt': 'd' })
  symlinkSync(elsewhere, join(server.root, 'bob/around'))
  symlinkSync(photos, join(server.root, 'bob/to-photos'))
})

test('a folder behind a symlink that holds a mount is not moved, copied, replaced or removed', async () => {
  for (const action of ['copy', 'rename'] as const)
    for (const folder of ['disk', 'disk/photos'])
      expect([action, folder, await transfer(action, `/Home/around/${folder}`, '/Home/taken')]).toEqual([
        action,
        folder,
        403,
      ])
  expect(await transfer('rename', '/Home/new', '/Home/around/disk', '&override=true')).toBe(403)
  expect(await transfer('copy', '/Home/new', '/Home/around/disk', '&override=true')).toBe(403)
  for (const folder of ['disk', 'disk/photos'])
    expect(await statusOf(bob(`/api/resources/Home/around/${folder}`, { method: 'DELETE' }))).toBe(403)
  expect(existsSync(join(server.root, 'bob/taken'))).toBe(false)
  expect(readFileSync(join(photos, 'secret/b.txt'), 'utf8')).toBe('secret')
})

test('what lies beside a mount behind a symlink is moved and removed', async () => {
  expect(await transfer('copy', '/Home/around/disk/beside', '/Home/copied')).toBe(200)
  expect(await transfer('rename', '/Home/around/disk/beside', '/Home/moved')).toBe(200)
  expect(await contentOf(bob, '/Home/moved/c.txt')).toBe('beside')
  expect(await transfer('rename', '/Home/moved', '/Home/around/disk/beside')).toBe(200)
  expect(await statusOf(bob('/api/resources/Home/around/disk/beside', { method: 'DELETE' }))).toBe(204)
})

test('a symlink of a mount that follows none outwards is not taken to one that does', async () => {
  await grant('bob', '/open', everything)
  symlinkSync(join(elsewhere, 'machine.txt'), join(photos, 'open/out.txt'))
  mkdirSync(join(photos, 'open/deep'))
  symlinkSync('../../../../machine.txt', join(photos, 'open/deep/out.txt'))
  expect(await contentOf(bob, '/Photos/open/out.txt')).toBe(403)
  for (const path of ['/Photos/open/out.txt', '/Photos/open/deep'])
    expect([path, await transfer('rename', path, '/Home/taken')]).toEqual([path, 403])
  expect(await transfer('copy', '/Photos/open/deep', '/Home/taken')).toBe(403)
  expect(existsSync(join(server.root, 'bob/taken'))).toBe(false)
  expect(await transfer('rename', '/Photos/open/a.txt', '/Home/taken')).toBe(200)
})

test('grants follow a folder that is moved or removed by a symlink from another mount', async () => {
  await grant('mike', '/', ['see', 'download'])
  await grant('mike', '/secret', [])
  await grant('bob', '/', everything)
  expect(await transfer('rename', '/Home/to-photos/secret', '/Home/to-photos/other')).toBe(200)
  expect([await contentOf(bob, '/Photos/other/b.txt'), await contentOf(mike, '/Photos/other/b.txt')]).toEqual([
    'secret',
    403,
  ])
  expect(await statusOf(bob('/api/resources/Home/to-photos/other', { method: 'DELETE' }))).toBe(204)
  const left = await jsonIn<Grant[]>(admin(`/api/grants?subject=${subjectOf('mike')}`))
  expect(left.map(({ folder }) => folder)).toEqual(['/'])
})

test('a link follows a file that is moved by a symlink from another mount', async () => {
  await grant('bob', '/', everything)
  const { hash } = await jsonIn<ShareLink>(bob('/api/share/Photos/secret/b.txt', { method: 'POST', body: '{}' }))
  expect(await transfer('rename', '/Home/to-photos/secret', '/Home/to-photos/other')).toBe(200)
  mkdirSync(join(photos, 'secret'))
  writeFileSync(join(photos, 'secret/b.txt'), 'never shared')
  expect(await (await server.ask(`/api/public/dl/${hash}`)).text()).toBe('secret')
})

test('a link to a folder behind a symlink that holds a mount shows nothing of the mount', async () => {
  const { hash } = await jsonIn<ShareLink>(bob('/api/share/Home/around', { method: 'POST', body: '{}' }))
  const shown = async (path: string) => (await server.ask(`/api/public${path}`)).status
  expect(await shown(`/dl/${hash}/disk/beside/c.txt`)).toBe(200)
  expect([await shown(`/share/${hash}/disk/photos`), await shown(`/dl/${hash}/disk/photos`)]).toEqual([404, 404])
  for (const path of ['/disk/photos/secret', '/disk/photos/secret/b.txt', '/disk/photos/nothing'])
    expect([path, await shown(`/share/${hash}${path}`), await shown(`/dl/${hash}${path}`)]).toEqual([path, 403, 403])
  const archive = await (await server.ask(`/api/public/dl/${hash}/?algo=tar`)).text()
  expect([archive.includes('c.txt'), archive.includes('b.txt')]).toEqual([true, false])
})
