import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Settings, type WebSettings } from '@filestead/contract'
import { saveDocument } from '../src/settings/store.ts'
import { jsonIn, statusOf } from './answers.ts'
import { password, startServer } from './server.ts'

const server = await startServer({ settings: { logoutPage: '/bye', fileMode: 0o600 } })
await server.addUser('admin', { isAdmin: true })
await server.addUser('alice')
const [admin, alice] = [await server.as('admin'), await server.as('alice')]
afterAll(() => server.stop())

const read = () => jsonIn<WebSettings>(admin('/api/settings'))
const put = (wanted: unknown, ask = admin) => ask('/api/settings', { method: 'PUT', body: JSON.stringify(wanted) })
const usual = await read()

beforeEach(async () => {
  expect(await statusOf(put(usual))).toBe(200)
})

const permissions = {
  admin: false,
  execute: false,
  create: false,
  rename: false,
  modify: false,
  delete: false,
  share: false,
  download: false,
}
const noCommands = Object.fromEntries(
  ['after', 'before'].flatMap((when) =>
    ['copy', 'delete', 'rename', 'save', 'upload'].map((event) => [`${when}_${event}`, [] as string[]]),
  ),
)

test('the settings have the format of File Browser', async () => {
  expect(usual).toEqual({
    signup: false,
    hideLoginButton: true,
    createUserDir: false,
    minimumPasswordLength: 12,
    userHomeBasePath: '/users',
    defaults: {
      scope: '.',
      locale: 'en',
      viewMode: 'mosaic',
      singleClick: false,
      redirectAfterCopyMove: true,
      sorting: { by: '', asc: false },
      perm: permissions,
      commands: [],
      hideDotfiles: false,
      dateFormat: false,
      aceEditorTheme: '',
    },
    authMethod: 'json',
    rules: [],
    branding: { name: '', disableExternal: false, disableUsedPercentage: false, files: '', theme: '', color: '' },
    tus: { chunkSize: 10_485_760, retryCount: 5 },
    shell: [],
    commands: noCommands,
  })
  expect(Object.keys(usual)).toEqual([
    'signup',
    'hideLoginButton',
    'createUserDir',
    'minimumPasswordLength',
    'userHomeBasePath',
    'defaults',
    'authMethod',
    'rules',
    'branding',
    'tus',
    'shell',
    'commands',
  ])
  expect(Object.keys(usual.commands)).toEqual(Object.keys(usual.commands).sort())
})

test('the settings are open to administrators only', async () => {
  expect(await statusOf(alice('/api/settings'))).toBe(403)
  expect(await statusOf(put({ ...usual, signup: true }, alice))).toBe(403)
  expect(await read()).toEqual(usual)
})

test('the settings are replaced as a whole', async () => {
  const wanted: WebSettings = {
    ...usual,
    signup: true,
    hideLoginButton: false,
    createUserDir: true,
    minimumPasswordLength: 20,
    userHomeBasePath: '/homes',
    defaults: { ...usual.defaults, locale: 'fr', perm: { ...permissions, download: true } },
    rules: [{ regex: true, allow: false, path: '', regexp: { raw: '^/x' } }],
    branding: { ...usual.branding, name: 'Ours', theme: 'dark' },
    tus: { chunkSize: 1, retryCount: 0 },
    shell: ['/bin/sh', '-c'],
    commands: { ...usual.commands, after_save: ['echo $FILE'] },
  }
  const response = await put(wanted)
  expect([response.status, await response.text()]).toEqual([200, '200 OK\n'])
  expect(await read()).toEqual(wanted)

  const { signup: _signup, branding: _branding, ...without } = wanted
  expect(await statusOf(put(without))).toBe(200)
  expect(await read()).toEqual({ ...wanted, signup: false, branding: usual.branding })
})

test('what a request leaves out is off, also where the first start switches it on', async () => {
  expect(await statusOf(put({}))).toBe(200)
  expect(await read()).toEqual({
    ...usual,
    hideLoginButton: false,
    defaults: { ...usual.defaults, redirectAfterCopyMove: false },
  })
  expect(await statusOf(put({ defaults: { locale: 'fr' } }))).toBe(200)
  expect((await read()).defaults).toEqual({ ...usual.defaults, locale: 'fr', redirectAfterCopyMove: false })
})

test('the sign-in method cannot be changed over the web', async () => {
  expect(await statusOf(put({ ...usual, authMethod: 'noauth', signup: true }))).toBe(200)
  expect(await read()).toMatchObject({ authMethod: 'json', signup: true })
})

test('settings that are not part of the API stay unchanged', async () => {
  const hidden = { logoutPage: 'https://evil.example', fileMode: 0o777, dirMode: 0o777, key: 'AAAA' }
  expect(await statusOf(put({ ...usual, ...hidden }))).toBe(200)
  expect(Object.keys(await read())).toEqual(Object.keys(usual))
  expect(await server.app.deps.settings()).toMatchObject({ logoutPage: '/bye', fileMode: 0o600, dirMode: 0o750 })
  expect(await statusOf(admin('/api/resources/'))).toBe(200)
})

test.each<[string, object, object]>([
  ['no minimum', { minimumPasswordLength: 0 }, { minimumPasswordLength: 12 }],
  ['no folder for homes', { userHomeBasePath: '' }, { userHomeBasePath: '/users' }],
  ['no upload settings', { tus: { chunkSize: 0, retryCount: 0 } }, { tus: { chunkSize: 10_485_760, retryCount: 5 } }],
  ['no language', { defaults: { locale: '' } }, { defaults: { locale: 'en' } }],
  ['no view', { defaults: { viewMode: '' } }, { defaults: { viewMode: 'mosaic' } }],
  ['no lists', { rules: null, shell: null }, { rules: [], shell: [] }],
  ['no events', { commands: {} }, { commands: noCommands }],
  ['some events', { commands: { after_save: null } }, { commands: noCommands }],
])('%s in a change means the default', async (_what, wanted, expected) => {
  expect(await statusOf(put({ ...usual, ...wanted }))).toBe(200)
  expect(await read()).toMatchObject(expected)
})

test('a rule without a leading slash gets one', async () => {
  const rules = [{ regex: false, allow: false, path: 'private' }]
  expect(await statusOf(put({ ...usual, rules }))).toBe(200)
  expect((await read()).rules).toEqual([{ regex: false, allow: false, path: '/private', regexp: null }])
})

test('a change with one invalid value changes nothing', async () => {
  for (const bad of [
    { minimumPasswordLength: -1 },
    { branding: { name: 'New', theme: 'blue' } },
    { rules: [{ regex: true, regexp: { raw: '(' } }] },
    { tus: { chunkSize: 'large' } },
  ])
    expect(await statusOf(put({ ...usual, signup: true, ...bad }))).toBe(400)
  expect(await read()).toEqual(usual)
})

test('a change applies to the next request', async () => {
  server.put({ 'closed/a.txt': 'a' })
  expect(await statusOf(alice('/api/raw/closed/a.txt'))).toBe(200)
  expect(await statusOf(put({ ...usual, rules: [{ path: '/closed' }] }))).toBe(200)
  expect(await statusOf(alice('/api/raw/closed/a.txt'))).toBe(403)

  expect(await statusOf(put({ ...usual, minimumPasswordLength: 40 }))).toBe(200)
  const data = { username: 'x', password: 'thirty characters are no longer' }
  const body = JSON.stringify({ what: 'user', which: [], current_password: password, data })
  expect(await (await admin('/api/users', { method: 'POST', body })).text()).toContain('minimum length is 40')
})

test('the signing key is in no answer', async () => {
  const text = JSON.stringify(await read())
  const row = await server.app.deps.db
    .selectFrom('setting')
    .selectAll()
    .where('name', '=', 'key')
    .executeTakeFirstOrThrow()
  expect(row.value.length).toBeGreaterThan(80)
  expect(text).not.toContain(JSON.parse(row.value))
  expect(text).not.toContain('"key"')
})

test('the settings of a new instance are valid', () => {
  expect(Settings.parse(Settings.parse({}))).toEqual(Settings.parse({}))
})

test('the branding folder cannot be set or removed over the web', async () => {
  const host = mkdtempSync(join(tmpdir(), 'filestead-host-'))
  mkdirSync(join(host, 'img'))
  writeFileSync(join(host, 'img/logo.png'), 'picture')
  const branding = { ...usual.branding, files: host }
  expect(await statusOf(put({ ...usual, branding, signup: true }))).toBe(403)
  expect(await read()).toEqual(usual)
  expect(await (await server.ask('/static/img/logo.png')).text()).not.toBe('picture')

  await saveDocument(server.app.deps.db, 'settings', { ...(await server.app.deps.settings()), branding })
  expect(await (await server.ask('/static/img/logo.png')).text()).toBe('picture')
  for (const files of [host, '']) expect(await statusOf(put({ ...usual, branding: { ...branding, files } }))).toBe(200)
  expect((await read()).branding.files).toBe(host)

  writeFileSync(join(host, 'secret.txt'), 'secret')
  writeFileSync(join(host, 'img/key.txt'), 'secret')
  mkdirSync(join(host, '../filestead-outside'), { recursive: true })
  writeFileSync(join(host, '../filestead-outside/photo.png'), 'secret')
  symlinkSync(join(host, '../filestead-outside/photo.png'), join(host, 'img/link.png'))
  for (const name of ['key.txt', 'link.png', '../secret.txt', '%2e%2e/secret.txt']) {
    const response = await server.ask(`/static/img/${name}`)
    expect([name, response.status, (await response.text()).includes('secret')]).toEqual([name, 404, false])
  }
  await saveDocument(server.app.deps.db, 'settings', {
    ...(await server.app.deps.settings()),
    branding: usual.branding,
  })
  for (const folder of [host, join(host, '../filestead-outside')]) rmSync(folder, { recursive: true })
})

test('of two concurrent changes of the settings the second is refused', async () => {
  const [one, two] = [await admin('/api/settings'), await admin('/api/settings')]
  const version = one.headers.get('etag') ?? ''
  expect(two.headers.get('etag')).toBe(version)
  const rules = [{ regex: false, allow: false, path: '/private', regexp: { raw: '' } }]
  const putAt = (tag: string, wanted: object) =>
    admin('/api/settings', { method: 'PUT', body: JSON.stringify(wanted), headers: { 'if-match': tag } })

  const saved = await putAt(version, { ...usual, rules })
  expect(saved.status).toBe(200)
  expect(await statusOf(putAt(version, { ...usual, signup: true }))).toBe(412)
  expect(await read()).toEqual({ ...usual, rules })

  const latest = (await admin('/api/settings')).headers.get('etag') ?? ''
  expect(saved.headers.get('etag')).toBe(latest)
  expect(await statusOf(putAt(`W/${latest}`, { ...usual, rules, signup: true }))).toBe(200)
  expect(await statusOf(putAt('*', usual))).toBe(200)
})
