import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderResource, Grant, Mount, Resource } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { startServer, type TestServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('boss', { isAdmin: true })
await server.addUser('ann', { scope: '/home/ann' })
server.put({
  'public/a.txt': 'public',
  'public/box/in.txt': 'in',
  'public/.hidden': 'dots',
  'private/b.txt': 'secret',
  'letters/old.txt': 'a letter',
  'home/ann/c.txt': 'of ann',
})
const boss = await server.as('boss')

async function grant(folder: string, rights: string[], on = server): Promise<Grant> {
  const ask = await on.as('boss')
  const body = JSON.stringify({ subject: 'guest', mount: 1, folder, rights })
  return jsonIn<Grant>(ask('/api/grants', { method: 'POST', body }))
}

async function endGrants(): Promise<void> {
  for (const { id } of await jsonIn<Grant[]>(boss('/api/grants'))) await boss(`/api/grants/${id}`, { method: 'DELETE' })
}

/** Sends no token and no cookie. */
const guest = (path: string, init?: RequestInit) => fetch(server.url + path, init)
const statusOf = async (path: string, init?: RequestInit) => (await guest(path, init)).status
const namesIn = async (path: string) =>
  (await jsonIn<FolderResource>(guest(`/api/resources${path}`))).items.map(({ name }) => name)
const pageOf = async (on: TestServer, path = '/files/', init?: RequestInit) => (await fetch(on.url + path, init)).text()

beforeEach(endGrants)

test('without a grant for guests nothing is open, and the page says nothing of guests', async () => {
  expect(await statusOf('/api/resources/')).toBe(401)
  expect(await statusOf('/api/raw/public/a.txt')).toBe(401)
  expect(await statusOf('/api/mounts')).toBe(401)
  expect(await pageOf(server)).not.toContain('Guests')
})

test('a grant opens its folder, the way to it, and nothing else', async () => {
  await grant('/public', ['see', 'download'])
  expect(await namesIn('/')).toEqual(['public'])
  expect((await namesIn('/public/')).toSorted()).toEqual(['.hidden', 'a.txt', 'box'])
  expect(await (await guest('/api/raw/public/a.txt')).text()).toBe('public')
  for (const path of ['private', 'private/b.txt', 'letters', 'home/ann/c.txt', 'nothing-of-this-name'])
    expect([path, await statusOf(`/api/resources/${path}`)]).toEqual([path, 403])
  expect(await statusOf('/api/raw/private/b.txt')).toBe(403)
  const found = await (await guest('/api/search/?query=txt')).text()
  expect(found).toContain('a.txt')
  expect(found).not.toContain('b.txt')
})

test('a grant to look does not let guests read or change', async () => {
  await grant('/public', ['see'])
  const file = await jsonIn<Resource>(guest('/api/resources/public/a.txt'))
  expect([file.can, file.content]).toEqual([['see'], undefined])
  expect(await statusOf('/api/raw/public/a.txt')).toBe(403)
  expect(await statusOf('/api/raw/public?files=a.txt')).toBe(403)
  expect(await statusOf('/api/resources/public/new.txt', { method: 'POST', body: 'x' })).toBe(403)
  expect(await statusOf('/api/resources/public/a.txt', { method: 'PUT', body: 'x' })).toBe(403)
  expect(await statusOf('/api/resources/public/a.txt', { method: 'DELETE' })).toBe(403)
  const move = '/api/resources/public/a.txt?action=rename&destination=/public/z.txt'
  expect(await statusOf(move, { method: 'PATCH' })).toBe(403)
  expect(server.file('public/a.txt')).toBe('public')
})

test('guests may put letters into a letter box, and see none', async () => {
  await grant('/letters', ['create'])
  expect(await statusOf('/api/resources/letters/new.txt', { method: 'POST', body: 'hello' })).toBe(200)
  expect(server.file('letters/new.txt')).toBe('hello')
  expect(await namesIn('/letters/')).toEqual([])
  expect((await jsonIn<FolderResource>(guest('/api/resources/letters/'))).can).toEqual(['create'])
  expect(await statusOf('/api/raw/letters/new.txt')).toBe(403)
  const over = await guest('/api/resources/letters/old.txt?override=true', { method: 'POST', body: 'gone' })
  expect(over.ok).toBe(false)
  expect(server.file('letters/old.txt')).toBe('a letter')
})

test('guests may upload in pieces where they may create', async () => {
  await grant('/letters', ['create'])
  const tus = { 'tus-resumable': '1.0.0' }
  const begun = await guest('/api/tus/letters/long.bin', { method: 'POST', headers: { ...tus, 'upload-length': '6' } })
  expect(begun.status).toBe(201)
  const piece = { ...tus, 'content-type': 'application/offset+octet-stream' }
  const send = (offset: number, body: string) =>
    statusOf('/api/tus/letters/long.bin', {
      method: 'PATCH',
      headers: { ...piece, 'upload-offset': String(offset) },
      body,
    })
  expect(await send(0, 'abc')).toBe(204)
  expect(await send(3, 'def')).toBe(204)
  expect(server.file('letters/long.bin')).toBe('abcdef')
})

test('a guest neither continues nor ends the upload of a guest elsewhere', async () => {
  const proxied = await startServer({ trustedProxies: '127.0.0.1' })
  try {
    await proxied.addUser('boss', { isAdmin: true })
    proxied.put({ 'letters/': '' })
    await grant('/letters', ['create'], proxied)
    const from = (address: string) => (method: string, headers: Record<string, string>, body?: string) =>
      fetch(`${proxied.url}/api/tus/letters/long.bin`, {
        method,
        headers: { 'tus-resumable': '1.0.0', 'x-forwarded-for': address, ...headers },
        ...(body !== undefined && { body }),
      })
    const [one, other] = [from('203.0.113.5'), from('198.51.100.7')]
    const piece = { 'content-type': 'application/offset+octet-stream' }
    expect((await one('POST', { 'upload-length': '6' })).status).toBe(201)
    expect((await one('PATCH', { ...piece, 'upload-offset': '0' }, 'abc')).status).toBe(204)
    expect((await other('HEAD', {})).status).toBe(404)
    expect((await other('PATCH', { ...piece, 'upload-offset': '3' }, 'xyz')).status).toBe(404)
    expect((await other('DELETE', {})).status).toBe(404)
    expect((await one('PATCH', { ...piece, 'upload-offset': '3' }, 'def')).status).toBe(204)
    expect(proxied.file('letters/long.bin')).toBe('abcdef')
  } finally {
    await proxied.stop()
  }
})

test('a grant that is taken away counts at the next request', async () => {
  const { id } = await grant('/public', ['see'])
  expect(await statusOf('/api/resources/public/')).toBe(200)
  await boss(`/api/grants/${id}`, { method: 'PUT', body: JSON.stringify({ rights: [] }) })
  expect(await statusOf('/api/resources/public/')).toBe(401)
  await boss(`/api/grants/${id}`, { method: 'DELETE' })
  expect(await statusOf('/api/resources/public/')).toBe(401)
})

test('what belongs to accounts stays closed to guests, whatever they are granted', async () => {
  await grant('/', ['see', 'download', 'create', 'change', 'delete', 'share'])
  const open: string[] = []
  for (const { method, path, access, ...rest } of server.app.routes) {
    if (access === 'anyone' || access === 'visitors') continue
    if ('guests' in rest && rest.guests === true) {
      open.push(`${method} ${path}`)
      continue
    }
    const address = path.replace(/:\w+(\{[^}]*\})?/g, '1').replace('*', '')
    expect([method, path, await statusOf(address, { method })]).toEqual([method, path, 401])
  }
  expect(
    open
      .map((each) => each.split(' ')[1]?.split('/')[2])
      .filter((name, at, all) => all.indexOf(name) === at)
      .sort(),
  ).toEqual([
    ...['archive', 'archive-file', 'conflicts', 'entries', 'events', 'folder-size', 'folders', 'jobs', 'media'],
    ...['mounts', 'preview', 'raw', 'resources', 'search'],
    ...['subtitle', 'tus', 'uploads', 'usage'],
  ])
})

test('a token that is refused is no guest, and neither is one in a form', async () => {
  await grant('/public', ['see', 'download'])
  for (const token of ['not-a-token', 'a.b.c'])
    expect([token, await statusOf('/api/resources/public/', { headers: { 'x-auth': token } })]).toEqual([token, 401])
  const form = (fields: Record<string, string>) =>
    statusOf('/api/raw/public/', { method: 'POST', body: new URLSearchParams(fields) })
  expect(await form({ auth: 'a.b.c', files: 'a.txt' })).toBe(401)
  expect(await form({ files: 'a.txt' })).toBe(200)
})

test('a cookie of a session that has ended is the cookie of a guest', async () => {
  await grant('/public', ['see', 'download'])
  const token = await server.signIn('ann')
  const cookie = { headers: { cookie: `auth=${token}` } }
  expect(await statusOf('/api/resources/c.txt', cookie)).toBe(200)
  await fetch(`${server.url}/api/logout`, { method: 'POST', headers: { 'x-auth': token } })
  expect(await statusOf('/api/resources/c.txt', cookie)).toBe(403)
  expect(await statusOf('/api/raw/public/a.txt', cookie)).toBe(200)
  expect(await statusOf('/api/resources/public/', { headers: { 'x-auth': token } })).toBe(401)
})

test('grants for guests give nothing to accounts, and those for everybody nothing to guests', async () => {
  await grant('/public', ['see', 'download'])
  const ann = await server.as('ann')
  expect((await ann('/api/resources/c.txt')).status).toBe(200)
  expect((await ann('/api/resources/public/')).status).not.toBe(200)
  await endGrants()
  const body = JSON.stringify({ subject: 'everybody', mount: 1, folder: '/public', rights: ['see'] })
  expect((await boss('/api/grants', { method: 'POST', body })).status).toBe(201)
  expect(await statusOf('/api/resources/public/')).toBe(401)
})

test('a page of another site makes no guest change anything', async () => {
  await grant('/letters', ['create'])
  const send = (name: string, headers: Record<string, string>) =>
    statusOf(`/api/resources/letters/${name}`, { method: 'POST', body: 'x', headers })
  expect(await send('foreign.txt', { origin: 'https://evil.example' })).toBe(403)
  expect(await send('foreign.txt', { 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(existsSync(join(server.root, 'letters/foreign.txt'))).toBe(false)
  expect(await send('own.txt', { origin: server.url, 'sec-fetch-site': 'same-origin' })).toBe(200)
  expect(await send('program.txt', {})).toBe(200)
})

test('a name of another host opens nothing to guests on a loopback address', async () => {
  await grant('/public', ['see'])
  const rebound = { headers: { host: 'evil.example' } }
  expect(await statusOf('/api/resources/public/', rebound)).toBe(400)
  const ann = await server.signIn('ann')
  expect(await statusOf('/api/resources/', { headers: { ...rebound.headers, 'x-auth': ann } })).toBe(200)
})

test('the page knows of guests while there is a grant for them, and begins with the files', async () => {
  await grant('/public', ['see'])
  const page = await pageOf(server)
  expect(page).toContain('"Guests":true')
  await endGrants()
  expect(await pageOf(server)).not.toContain('"Guests"')
})

test('guests are told their mounts without folders of the server', async () => {
  await grant('/public', ['see'])
  const mounts = await jsonIn<Mount[]>(guest('/api/mounts'))
  expect(mounts.map(({ path, isHome, folder }) => ({ path, isHome, folder }))).toEqual([
    { path: '/', isHome: false, folder: undefined },
  ])
})

test('the log names guests', async () => {
  await grant('/public', ['see', 'download'])
  server.logged.length = 0
  await (await guest('/api/raw/public/a.txt')).text()
  expect(server.logged).toContainEqual([expect.objectContaining({ event: 'download', user: 'guest', userId: 0 })])
})

test('rules of the instance and hidden dotfiles count for guests', async () => {
  const strict = await startServer({
    settings: {
      rules: [{ allow: false, regex: false, path: '/public/box', regexp: { raw: '' } }],
      defaults: { ...(await server.app.deps.settings()).defaults, hideDotfiles: true },
    },
  })
  try {
    await strict.addUser('boss', { isAdmin: true })
    strict.put({ 'public/a.txt': 'a', 'public/.dot': 'x', 'public/box/in.txt': 'in' })
    await grant('/public', ['see', 'download'], strict)
    const names = async () => {
      const answer = await fetch(`${strict.url}/api/resources/public/`)
      return ((await answer.json()) as FolderResource).items.map(({ name }) => name)
    }
    expect(await names()).toEqual(['a.txt'])
    expect((await fetch(`${strict.url}/api/raw/public/box/in.txt`)).status).toBe(403)
  } finally {
    await strict.stop()
  }
})

test('a read-only server lets guests change nothing', async () => {
  const still = await startServer({ readOnly: true })
  try {
    await still.addUser('boss', { isAdmin: true })
    still.put({ 'letters/': '' })
    await grant('/letters', ['see', 'create'], still)
    const answer = await fetch(`${still.url}/api/resources/letters/new.txt`, { method: 'POST', body: 'x' })
    expect(answer.status).toBe(403)
    expect(await pageOf(still)).toContain('"Guests":true,"ReadOnly":true')
  } finally {
    await still.stop()
  }
})

test('where no sign-in is needed there are no guests', async () => {
  const open = await startServer({ settings: { authMethod: 'noauth' } })
  try {
    await open.addUser('boss', { isAdmin: true })
    open.put({ 'public/a.txt': 'a' })
    const token = await (await fetch(`${open.url}/api/login`, { method: 'POST', body: '{}' })).text()
    const body = JSON.stringify({ subject: 'guest', mount: 1, folder: '/public', rights: ['see'] })
    const made = await fetch(`${open.url}/api/grants`, { method: 'POST', body, headers: { 'x-auth': token } })
    expect(made.status).toBe(201)
    expect((await fetch(`${open.url}/api/resources/public/`)).status).toBe(401)
    expect(await pageOf(open)).not.toContain('"Guests"')
  } finally {
    await open.stop()
  }
})
